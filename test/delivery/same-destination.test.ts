// A message that is sent again goes to its original destination or nowhere, even if another one has the same name by
// then.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { messageTo, useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const ada = { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' }

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', ada)
})

const steps = {
  email: { email: { stepId: 'it', subject: 'Hi', body: 'For Ada' } },
  sms: { sms: { stepId: 'it', body: 'For Ada' } },
  chat: { chat: { stepId: 'it', body: 'For Ada' } },
  push: { push: { stepId: 'it', subject: 'Hi', body: 'For Ada' } },
  tool: { tool: { stepId: 'it', body: 'For Ada' } },
}

const gone = 'The destination no longer exists.'
const tenant = (identifier: string) => [{ type: 'tenant', identifier }]
const ofTenant = (identifier: string) => ({ '==': [{ var: 'context.tenant.id' }, identifier] })
const at = (path: string) => `${receiver.url}${path}`
const paths = () => receiver.received.map(({ path }) => path)

async function deliveryOf(transactionId: string) {
  const { steps } = await adasRun(acme, transactionId)
  return steps[0].deliveries[0]
}

/** Makes the first attempt fail temporarily, applies the change, then runs the second attempt. */
async function sendAgain(change: () => Promise<unknown>, more: object = {}) {
  receiver.answer(503)
  const transactionId = await trigger(acme, more)
  await world.work()
  expect(receiver.received).toHaveLength(1)
  await change()
  receiver.answer(200)
  await world.work({ early: true })
  return deliveryOf(transactionId)
}

/** Makes the first attempt fail permanently, applies the change, then retries the delivery. */
async function retryAfter(change: () => Promise<unknown>, more: object = {}) {
  receiver.answer(400)
  const transactionId = await trigger(acme, more)
  await world.work()
  expect(receiver.received).toHaveLength(1)
  await change()
  receiver.answer(200)
  const { id } = await deliveryOf(transactionId)
  await done(acme, 'retryDelivery', { id })
  await world.work({ early: true })
  return deliveryOf(transactionId)
}

const ways = [
  ['sent again after a temporary failure', sendAgain],
  ['sent again from the dead letters', retryAfter],
] as const

const notSent = (reason = gone) => ({
  status: 'FAILED',
  attempts: [{ number: 1 }, { number: 2, status: null, answer: null, error: reason }],
})

function expectNothingMore() {
  expect(receiver.received).toHaveLength(1)
}

describe.each(ways)('a message that is %s', (_way, again) => {
  describe('to a channel endpoint', () => {
    const endpoint = (phoneNumber: string, more: object = {}) => ({
      identifier: 'primary-phone',
      subscriberId: 'ada',
      integrationIdentifier: 'generic_sms',
      contexts: tenant('acme'),
      endpoint: { phone: { phoneNumber } },
      ...more,
    })
    const recreate = async (phoneNumber: string, more: object = {}) => {
      await done(acme, 'deleteChannelEndpoint', { identifier: 'primary-phone' })
      await done(acme, 'createChannelEndpoint', endpoint(phoneNumber, more))
    }
    const underAcme = { context: { tenant: 'acme' } }

    beforeEach(async () => {
      await done(acme, 'createSubscriber', { subscriberId: 'bob' })
      await createIntegration(acme, 'GENERIC_SMS', receiver.url)
      await createWorkflow(acme, [steps.sms])
      await done(acme, 'createChannelEndpoint', endpoint('+4930111111'))
    })

    test('does not go to another subscriber whose endpoint now has the identifier', async () => {
      const change = () => recreate('+4930222222', { subscriberId: 'bob', contexts: tenant('globex') })
      expect(await again(change, underAcme)).toMatchObject(notSent())
      expectNothingMore()
    })

    test('does not go to an endpoint that was created again, even if it is the same', async () => {
      expect(await again(() => recreate('+4930111111'), underAcme)).toMatchObject(notSent())
      expectNothingMore()
    })

    test('does not go to an endpoint that was created again at the same time', async () => {
      world.setClock(new Date(Date.now() - 1000))
      const frozen = again(() => recreate('+4930222222'), underAcme).finally(() => world.setClock(undefined))
      expect(await frozen).toMatchObject(notSent())
      expectNothingMore()
    })

    test.each([
      ['contexts', "context_keys = '{tenant:globex}'"],
      ['subscriber', "subscriber_id = 'bob'"],
    ])('does not go to an endpoint that has other %s by then', async (_what, assignment) => {
      const { pool } = world.database
      const move = () => pool.query(`UPDATE channel_endpoints SET ${assignment} WHERE identifier = 'primary-phone'`)
      expect(await again(move, underAcme)).toMatchObject(notSent())
      expectNothingMore()
    })

    test('goes to the new address of an endpoint that was updated', async () => {
      const change = () =>
        done(acme, 'updateChannelEndpoint', {
          identifier: 'primary-phone',
          endpoint: { phone: { phoneNumber: '+4930333333' } },
        })
      expect(await again(change, underAcme)).toMatchObject({ status: 'SENT' })
      expect(receiver.received.map(({ json }) => messageTo.parse(json).to)).toEqual(['+4930111111', '+4930333333'])
    })
  })

  describe('through an integration', () => {
    let id: string

    beforeEach(async () => {
      id = await createIntegration(acme, 'GENERIC_SMS', at('/first'), { identifier: 'sms' })
      await createWorkflow(acme, [steps.sms])
    })
    const update = (input: object) => () => done(acme, 'updateIntegration', { id, ...input })

    test('does not go through another one of the same identifier', async () => {
      const change = async () => {
        await done(acme, 'deleteIntegration', { id })
        await createIntegration(acme, 'GENERIC_SMS', at('/second'), {
          identifier: 'sms',
          conditions: ofTenant('globex'),
        })
      }
      expect(await again(change)).toMatchObject(notSent())
      expectNothingMore()
    })

    test('goes through it under its new identifier', async () => {
      expect(await again(update({ identifier: 'texts' }))).toMatchObject({
        status: 'SENT',
        integrationIdentifier: 'sms',
      })
      expect(paths()).toEqual(['/first', '/first'])
    })

    test('goes through it even if another one swapped identifiers with it', async () => {
      const other = await createIntegration(acme, 'GENERIC_SMS', at('/other'), { identifier: 'other' })
      const change = async () => {
        await update({ identifier: 'between' })()
        await done(acme, 'updateIntegration', { id: other, identifier: 'sms' })
        await update({ identifier: 'other' })()
      }
      expect(await again(change)).toMatchObject({ status: 'SENT' })
      expect(paths()).toEqual(['/first', '/first'])
    })

    test('uses its new credentials', async () => {
      expect(await again(update({ credentials: { webhookUrl: at('/moved') } }))).toMatchObject({ status: 'SENT' })
      expect(paths()).toEqual(['/first', '/moved'])
    })

    test('is not sent if its new conditions exclude the contexts', async () => {
      const context = { tenant: 'acme' }
      expect(await again(update({ conditions: ofTenant('globex') }), { context })).toMatchObject(
        notSent('The conditions of integration "sms" do not hold for these contexts any more.'),
      )
      expectNothingMore()
    })

    test('is sent if its new conditions admit the contexts', async () => {
      const context = { tenant: 'acme' }
      expect(await again(update({ conditions: ofTenant('acme') }), { context })).toMatchObject({ status: 'SENT' })
    })

    test('is not sent while it is inactive', async () => {
      expect(await again(update({ active: false }))).toMatchObject(
        notSent('Integration "sms" is not active. If it is paused instead, its messages wait.'),
      )
      expectNothingMore()
    })
  })

  describe('to credentials', () => {
    const chat = { subscriberId: 'ada', providerId: 'CHAT_WEBHOOK' }
    const push = { subscriberId: 'ada', providerId: 'PUSH_WEBHOOK' }
    const set = (of: object, credentials: object) => done(acme, 'setSubscriberCredentials', { ...of, credentials })
    const recreate = async (of: object, credentials: object) => {
      await done(acme, 'deleteSubscriberCredentials', { ...of })
      await set(of, credentials)
    }

    test('does not go to a webhook that was deleted and set again', async () => {
      await createIntegration(acme, 'CHAT_WEBHOOK', at('/unused'))
      await createWorkflow(acme, [steps.chat])
      await set(chat, { webhookUrl: at('/mine') })
      expect(await again(() => recreate(chat, { webhookUrl: at('/mine') }))).toMatchObject(notSent())
      expectNothingMore()
    })

    test('goes to the new URL of a webhook that was replaced', async () => {
      await createIntegration(acme, 'CHAT_WEBHOOK', at('/unused'))
      await createWorkflow(acme, [steps.chat])
      await set(chat, { webhookUrl: at('/mine') })
      expect(await again(() => set(chat, { webhookUrl: at('/moved') }))).toMatchObject({ status: 'SENT' })
      expect(paths()).toEqual(['/mine', '/moved'])
    })

    test('does not go to a device whose credentials were deleted and set again', async () => {
      await createIntegration(acme, 'PUSH_WEBHOOK', receiver.url)
      await createWorkflow(acme, [steps.push])
      await set(push, { deviceTokens: ['phone'] })
      expect(await again(() => recreate(push, { deviceTokens: ['phone'] }))).toMatchObject(notSent())
      expectNothingMore()
    })

    test('goes to a device that is still registered after others were added and removed', async () => {
      await createIntegration(acme, 'PUSH_WEBHOOK', receiver.url)
      await createWorkflow(acme, [steps.push])
      await set(push, { deviceTokens: ['phone'] })
      const change = async () => {
        await set(push, { deviceTokens: ['tablet', 'phone'] })
        await done(acme, 'appendSubscriberCredentials', { ...push, credentials: { deviceTokens: ['watch'] } })
      }
      expect(await again(change)).toMatchObject({ status: 'SENT' })
      expect(receiver.last.json).toMatchObject({ to: 'phone' })
    })
  })

  describe('to the address in the profile', () => {
    beforeEach(async () => {
      await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
      await createWorkflow(acme, [steps.email])
    })

    test('goes to the new address, which the execution log shows', async () => {
      const change = () => done(acme, 'updateSubscriber', { subscriberId: 'ada', email: 'ada@example.org' })
      expect(await again(change)).toMatchObject({ status: 'SENT', destination: 'ada@example.org' })
      expect(receiver.last.json).toMatchObject({ to: 'ada@example.org' })
    })

    test('is not sent if the address was removed', async () => {
      const change = () => done(acme, 'updateSubscriber', { subscriberId: 'ada', email: null })
      expect(await again(change)).toMatchObject({ ...notSent(), destination: 'ada@example.com' })
      expectNothingMore()
    })
  })

  describe('to a subscriber of a topic', () => {
    const toTopic = (...topicKeys: string[]) => ({ to: topicKeys.map((topicKey) => ({ type: 'Topic', topicKey })) })
    const subscribe = (topicKey: string) =>
      done(acme, 'createTopicSubscriptions', { topicKey, subscriptions: [{ subscriberId: 'ada' }] })
    const unsubscribe = (topicKey: string) =>
      done(acme, 'deleteTopicSubscriptions', { topicKey, subscriptions: [{ subscriberId: 'ada' }] })

    beforeEach(async () => {
      await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
      await createWorkflow(acme, [steps.email])
      await subscribe('news')
    })

    const left = 'Subscriber "ada" is no longer subscribed to the topics of the trigger.'

    test('is not sent after the subscription was deleted', async () => {
      expect(await again(() => unsubscribe('news'), toTopic('news'))).toMatchObject(notSent(left))
      expectNothingMore()
    })

    test('is not sent if the subscription was created again', async () => {
      const change = async () => {
        await unsubscribe('news')
        await subscribe('news')
      }
      expect(await again(change, toTopic('news'))).toMatchObject(notSent(left))
      expectNothingMore()
    })

    test('is sent while a subscription to another topic of the trigger remains', async () => {
      await subscribe('alerts')
      expect(await again(() => unsubscribe('news'), toTopic('news', 'alerts'))).toMatchObject({ status: 'SENT' })
    })

    test('is sent if the trigger names the subscriber directly, whatever the subscriptions are', async () => {
      const { to } = toTopic('news')
      expect(await again(() => unsubscribe('news'), { to: [...to, 'ada'] })).toMatchObject({ status: 'SENT' })
    })
  })
})

test('a message whose subscriber was deleted and created again is not sent again after a temporary failure', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [steps.email])
  const { pool } = world.database
  // The state after a deletion and a creation, until the runs are erased. A retry is rejected then.
  const change = () =>
    pool.query(`UPDATE subscribers SET id = gen_random_uuid() WHERE subscriber_id = 'ada'
                AND environment_id = (SELECT environment_id FROM events ORDER BY created_at DESC LIMIT 1)`)
  expect(await sendAgain(change)).toMatchObject(notSent())
  expectNothingMore()
})

test('a subscriber that was deleted and created again gets no message for the deleted subscriber', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [{ delay: { amount: 1, unit: 'HOURS' } }, steps.email])
  await trigger(acme)
  await world.work()
  await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
  await done(acme, 'createSubscriber', { ...ada, email: 'other@example.com' })
  await world.work({ early: true })
  expect(receiver.received).toEqual([])
})
