// Where messages go: the integration of a channel, the destinations of a subscriber, and why a message is not sent.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { messageTo, useReceiver } from '../support/delivery/receiver.ts'
import {
  activateAll,
  adasRun,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  trigger,
} from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

const steps = {
  email: { email: { stepId: 'it', subject: 'Hi', body: 'Hello' } },
  sms: { sms: { stepId: 'it', body: 'Hello' } },
  chat: { chat: { stepId: 'it', body: 'Hello' } },
  push: { push: { stepId: 'it', subject: 'Hi', body: 'Hello' } },
  tool: { tool: { stepId: 'it', body: 'Hello' } },
}

async function send(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work()
  return transactionId
}

const paths = () => receiver.received.map(({ path }) => path).toSorted()
const at = (path: string) => `${receiver.url}${path}`

/** The only step of Ada's run. */
async function stepOf(transactionId: string) {
  const { steps } = await adasRun(acme, transactionId)
  return steps[0]
}

/** The status of each delivery of a step, and the error of its first attempt. */
const outcomesOf = ({ deliveries }: Awaited<ReturnType<typeof stepOf>>): string[] =>
  deliveries.map(({ status, attempts }) => `${status} ${attempts[0].error}`).toSorted()

const same = (endpoint: object): [object, object] => [endpoint, endpoint]
const tenant = (identifier: string) => [{ type: 'tenant', identifier }]
const ofTenant = (identifier: string) => ({ '==': [{ var: 'context.tenant.id' }, identifier] })

describe('integration selection', () => {
  beforeEach(() => createWorkflow(acme, [steps.email]))

  test('skips the step when the channel has no integration', async () => {
    expect(await stepOf(await send())).toMatchObject({
      status: 'SKIPPED',
      reason: 'no_integration',
      detail: 'The environment has no integration for the channel email.',
      deliveries: [],
    })
  })

  test('picks the primary integration, otherwise the oldest', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', at('/oldest'), { identifier: 'oldest' })
    const second = await createIntegration(acme, 'EMAIL_WEBHOOK', at('/second'), { identifier: 'second' })
    await send()
    expect(receiver.last.path).toBe('/oldest')
    await done(acme, 'updateIntegration', { id: second, primary: true })
    await send()
    expect(receiver.last.path).toBe('/second')
    expect(receiver.received).toHaveLength(2)
  })

  test('ignores inactive integrations', async () => {
    const first = { identifier: 'first', primary: true }
    const primary = await createIntegration(acme, 'EMAIL_WEBHOOK', at('/primary'), first)
    const other = await createIntegration(acme, 'EMAIL_WEBHOOK', at('/other'), { identifier: 'other' })
    await done(acme, 'updateIntegration', { id: primary, active: false })
    await send()
    expect(paths()).toEqual(['/other'])
    await done(acme, 'updateIntegration', { id: other, active: false })
    expect(await stepOf(await send())).toMatchObject({ status: 'SKIPPED', reason: 'no_integration' })
  })

  test('prefers an integration for the given contexts to one for any context, even if that is primary', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', at('/any'), { identifier: 'any', primary: true })
    for (const name of ['acme', 'globex']) {
      await createIntegration(acme, 'EMAIL_WEBHOOK', at(`/${name}`), { identifier: name, conditions: ofTenant(name) })
    }
    const reached = async (more: object) => {
      await send(more)
      return receiver.last.path
    }
    expect(await reached({ context: { tenant: 'acme' } })).toBe('/acme')
    expect(await reached({ context: { tenant: 'globex' } })).toBe('/globex')
    expect(await reached({ context: { tenant: 'initech' } })).toBe('/any')
    expect(await reached({})).toBe('/any')
  })

  test('skips the step when the only integration is for other contexts', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', at('/acme'), { conditions: ofTenant('acme') })
    const transactionId = await send({ context: { tenant: 'globex' } })
    expect(await outcomes(acme, transactionId)).toEqual({ it: 'SKIPPED no_integration' })
    expect(await stepOf(transactionId)).toMatchObject({
      detail:
        'The condition of integration "email_webhook" is not met: {"==":[{"var":"context.tenant.id"},"acme"]}. context.tenant.id was "globex".',
    })
    expect(receiver.received).toEqual([])
  })

  test('skips the step with the names of integrations that are inactive, and says if their set-up is incomplete', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', at('/off'), { identifier: 'off', active: false })
    await createIntegration(acme, 'SENDGRID', at('/incomplete'), { identifier: 'incomplete' })
    await createIntegration(acme, 'GENERIC_SMS', at('/sms'))
    expect(await stepOf(await send())).toMatchObject({
      status: 'SKIPPED',
      reason: 'no_integration',
      detail: 'Integration "off" is inactive. Integration "incomplete" is inactive, because its set-up is incomplete.',
    })
  })

  test('fails the message with a clear reason when the provider is not implemented', async () => {
    await createIntegration(acme, 'BRAZE', receiver.url)
    await activateAll(world)
    const step = await stepOf(await send())
    const reason = 'This gateway does not implement the provider braze.'
    expect(step).toMatchObject({
      status: 'FAILED',
      reason: 'refused',
      detail: reason,
      cause: 'PROVIDER_NOT_IMPLEMENTED',
      deliveries: [
        {
          status: 'FAILED',
          cause: 'PROVIDER_NOT_IMPLEMENTED',
          attempts: [{ number: 1, error: reason, status: null, answer: null }],
        },
      ],
    })
  })
})

describe('destinations of a subscriber', () => {
  test('include the email address in the profile', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.email])
    const step = await stepOf(await send())
    expect(step).toMatchObject({
      status: 'SENT',
      deliveries: [
        {
          channel: 'EMAIL',
          providerId: 'EMAIL_WEBHOOK',
          integrationIdentifier: 'email_webhook',
          destination: 'ada@example.com',
          subject: 'Hi',
          body: 'Hello',
          status: 'SENT',
          attempts: [{ number: 1, error: null, status: 200, answer: '{}' }],
        },
      ],
    })
    expect(receiver.last.json).toMatchObject({ to: 'ada@example.com', subject: 'Hi', content: 'Hello' })
  })

  test('include the phone number in the profile', async () => {
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    await createWorkflow(acme, [steps.sms])
    expect(await stepOf(await send())).toMatchObject({ deliveries: [{ destination: '+4915123456789' }] })
    expect(receiver.last.json).toMatchObject({ to: '+4915123456789' })
  })

  test('for SMS are the endpoints under exactly these contexts, otherwise the phone number in the profile', async () => {
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    await createWorkflow(acme, [steps.sms])
    await done(acme, 'createChannelEndpoint', {
      subscriberId: 'ada',
      integrationIdentifier: 'generic_sms',
      contexts: tenant('acme'),
      endpoint: { phone: { phoneNumber: '+4930123456' } },
    })
    await send({ context: { tenant: 'acme' } })
    await send({ context: { tenant: 'globex' } })
    expect(receiver.received.map(({ json }) => json)).toMatchObject([{ to: '+4930123456' }, { to: '+4915123456789' }])
  })

  test('include every tool endpoint under exactly these contexts', async () => {
    await createIntegration(acme, 'TOOL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.tool])
    const register = (identifier: string, contexts: object[]) =>
      done(acme, 'createChannelEndpoint', {
        identifier,
        subscriberId: 'ada',
        integrationIdentifier: 'tool_webhook',
        contexts,
        endpoint: { toolWebhook: { url: at(`/${identifier}`), headers: [{ name: 'x-key', value: 'SECRET-KEY' }] } },
      })
    await register('one', tenant('acme'))
    await register('two', tenant('acme'))
    await register('three', [])
    const step = await stepOf(await send({ context: { tenant: 'acme' } }))
    expect(paths()).toEqual(['/one', '/two'])
    expect(receiver.last.headers['x-key']).toBe('SECRET-KEY')
    expect(step.deliveries.map(({ destination }) => destination).toSorted()).toEqual([
      'endpoint "one"',
      'endpoint "two"',
    ])
  })

  describe('of the same integration, type and address', () => {
    const register = (identifier: string, endpoint: object, integrationIdentifier: string) =>
      done(acme, 'createChannelEndpoint', { identifier, subscriberId: 'ada', integrationIdentifier, endpoint })
    const destinationsOf = async (transactionId: string) =>
      (await stepOf(transactionId)).deliveries.map(({ destination }) => destination).toSorted()

    test.each<[string, keyof typeof steps, string, () => [object, object]]>([
      ['phone numbers', 'sms', 'GENERIC_SMS', () => same({ phone: { phoneNumber: '+4930111111' } })],
      [
        'URLs in two spellings',
        'chat',
        'CHAT_WEBHOOK',
        () => [{ webhook: { url: at('/x/../hook') } }, { webhook: { url: at('/hook').replace('http', 'HTTP') } }],
      ],
      [
        'secret URLs with different tokens',
        'tool',
        'GRAFANA',
        () => [
          { oncallIntegration: { url: at('/SECRET'), authToken: 'one' } },
          { oncallIntegration: { url: at('/SECRET'), authToken: 'two' } },
        ],
      ],
      [
        'email addresses in two spellings',
        'chat',
        // Not implemented, so the message fails without a request.
        'RYVER',
        () => [
          { meetingPerson: { personEmail: 'Ada@Example.com' } },
          { meetingPerson: { personEmail: 'ada@example.com' } },
        ],
      ],
    ])('get one message, through the oldest: %s', async (_what, channel, provider, endpoints) => {
      const [older, younger] = endpoints()
      await createIntegration(acme, provider, at('/unused'))
      await activateAll(world)
      await createWorkflow(acme, [steps[channel]])
      await register('older', older, provider.toLowerCase())
      await register('younger', younger, provider.toLowerCase())
      expect(await destinationsOf(await send())).toEqual(['endpoint "older"'])
      const { previewTrigger } = await acme.ask(
        `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
             runs { steps { messages { destination } } }
           } }`,
      )
      expect(previewTrigger.runs).toEqual([{ steps: [{ messages: [{ destination: 'endpoint "older"' }] }] }])
      await done(acme, 'deleteChannelEndpoint', { identifier: 'older' })
      expect(await destinationsOf(await send())).toEqual(['endpoint "younger"'])
    })

    test('are distinguished by each of the three', async () => {
      const [one, two] = same({ webhook: { url: at('/one') } })
      await createIntegration(acme, 'CHAT_WEBHOOK', at('/unused'))
      await createIntegration(acme, 'MATTERMOST', at('/unused'))
      await createWorkflow(acme, [steps.chat])
      await register('first', one, 'chat_webhook')
      await register('other-integration', two, 'mattermost')
      await register('other-address', { webhook: { url: at('/One') } }, 'chat_webhook')
      await register('other-channel', { webhook: { url: at('/one'), channel: 'news' } }, 'mattermost')
      await register('other-type', { messengerChat: { chatId: at('/one') } }, 'chat_webhook')
      expect(await destinationsOf(await send())).toHaveLength(5)
    })

    test('stay distinct if one cannot be decrypted, and only its message fails', async () => {
      await createIntegration(acme, 'GRAFANA', at('/unused'))
      await createWorkflow(acme, [steps.tool])
      for (const name of ['broken', 'sound']) {
        await register(name, { oncallIntegration: { url: at(`/${name}`) } }, 'grafana')
      }
      await world.database.pool.query(`UPDATE channel_endpoints SET secret = 'x' WHERE identifier = 'broken'`)
      expect(outcomesOf(await stepOf(await send()))).toEqual([
        'FAILED The secrets of the channel endpoint "broken" cannot be decrypted.',
        'SENT null',
      ])
    })
  })

  test('include chat endpoints and the webhook in the credentials', async () => {
    await createIntegration(acme, 'CHAT_WEBHOOK', at('/unused'))
    await createWorkflow(acme, [steps.chat])
    await done(acme, 'createChannelEndpoint', {
      subscriberId: 'ada',
      integrationIdentifier: 'chat_webhook',
      endpoint: { webhook: { url: at('/endpoint') } },
    })
    await done(acme, 'setSubscriberCredentials', {
      subscriberId: 'ada',
      providerId: 'CHAT_WEBHOOK',
      credentials: { webhookUrl: at('/credential') },
    })
    const step = await stepOf(await send())
    expect(step.deliveries).toHaveLength(2)
    expect(paths()).toEqual(['/credential', '/endpoint'])
  })

  test('include every device token', async () => {
    await createIntegration(acme, 'PUSH_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.push])
    await done(acme, 'setSubscriberCredentials', {
      subscriberId: 'ada',
      providerId: 'PUSH_WEBHOOK',
      credentials: { deviceTokens: ['token-of-the-phone', 'token-of-the-tablet'] },
    })
    const step = await stepOf(await send())
    expect(receiver.received.map(({ json }) => messageTo.parse(json).to).toSorted()).toEqual([
      'token-of-the-phone',
      'token-of-the-tablet',
    ])
    expect(step.deliveries.map(({ destination }) => destination).toSorted()).toEqual(['device …blet', 'device …hone'])
  })

  describe('with secrets that cannot be decrypted', () => {
    const undecryptable = (table: string, column: string, providerId: string) =>
      world.database.pool.query(`UPDATE ${table} SET ${column} = 'x' WHERE provider_id = $1`, [providerId])
    const ofAda = 'The secrets of the subscriber "ada" cannot be decrypted.'

    beforeEach(async () => {
      await createIntegration(acme, 'PUSH_WEBHOOK', at('/push'))
      await createIntegration(acme, 'PUSHER_BEAMS', at('/unused'))
      await activateAll(world)
      await createIntegration(acme, 'CHAT_WEBHOOK', at('/unused'))
      await createWorkflow(acme, [
        { push: { stepId: 'it', subject: 'Hi', body: 'Hello' } },
        { chat: { stepId: 'chat', body: 'Hello' } },
      ])
      for (const subscriberId of ['ada', 'grace']) {
        const to = {
          subscriberId,
          providerId: 'PUSH_WEBHOOK',
          credentials: { deviceTokens: [`token-of-${subscriberId}`] },
        }
        await done(acme, 'upsertSubscriber', { subscriberId })
        await done(acme, 'setSubscriberCredentials', to)
      }
    })

    test.each([
      ['PUSHER_BEAMS', 'encrypted_tokens', { deviceTokens: ['token'] }, [0, [`FAILED ${ofAda}`, 'SENT null']]],
      ['CHAT_WEBHOOK', 'webhook_url', { webhookUrl: 'https://example.com' }, [1, [`FAILED ${ofAda}`]]],
    ] as const)(
      'in the credentials for %s fail their message alone, and no other run',
      async (providerId, column, credentials, [index, expected]) => {
        await done(acme, 'setSubscriberCredentials', { subscriberId: 'ada', providerId, credentials })
        await undecryptable('subscriber_credentials', column, providerId.toLowerCase().replace('_', '-'))
        const run = await adasRun(acme, await send({ to: ['ada', 'grace'] }))
        expect(run.status).toBe('COMPLETED')
        expect(outcomesOf(run.steps[index])).toEqual(expected)
        const sent = receiver.received.map(({ json }) => messageTo.parse(json).to)
        expect(sent.toSorted()).toEqual(['token-of-ada', 'token-of-grace'])
        expect(world.logged).toContainEqual(
          expect.objectContaining({
            msg: 'message not sent: secrets cannot be decrypted',
            err: expect.objectContaining({ message: expect.stringMatching(/^the secrets of the subscriber "ada"/) }),
          }),
        )
      },
    )

    test('in an integration fail the messages through it, and no others', async () => {
      await done(acme, 'setSubscriberCredentials', {
        subscriberId: 'ada',
        providerId: 'CHAT_WEBHOOK',
        credentials: { webhookUrl: at('/chat') },
      })
      await undecryptable('integrations', 'credentials', 'push-webhook')
      const { status, steps } = await adasRun(acme, await send())
      expect(status).toBe('COMPLETED')
      expect(steps.map(outcomesOf)).toEqual([
        ['FAILED The secrets of the integration "push_webhook" cannot be decrypted.'],
        ['SENT null'],
      ])
    })
  })

  test('are reached through the integration that their credentials name', async () => {
    await createIntegration(acme, 'PUSH_WEBHOOK', at('/first'), { identifier: 'first', primary: true })
    await createIntegration(acme, 'PUSH_WEBHOOK', at('/second'), { identifier: 'second' })
    await createWorkflow(acme, [steps.push])
    await done(acme, 'setSubscriberCredentials', {
      subscriberId: 'ada',
      providerId: 'PUSH_WEBHOOK',
      integrationIdentifier: 'second',
      credentials: { deviceTokens: ['token-of-the-phone'] },
    })
    await send()
    expect(paths()).toEqual(['/second'])
  })

  test.each<[keyof typeof steps, string, string]>([
    ['email', 'EMAIL_WEBHOOK', 'no email address and no endpoint under these contexts'],
    ['sms', 'GENERIC_SMS', 'no phone number and no endpoint under these contexts'],
    ['chat', 'CHAT_WEBHOOK', 'no endpoint under these contexts and no credentials'],
    ['push', 'PUSH_WEBHOOK', 'no device tokens and no endpoint under these contexts'],
    ['tool', 'TOOL_WEBHOOK', 'no endpoint under these contexts'],
  ])(
    'can be empty for %s: the step is skipped and the execution log says what is missing',
    async (channel, provider, lacking) => {
      await createIntegration(acme, provider, receiver.url)
      await createWorkflow(acme, [steps[channel]])
      await done(acme, 'updateSubscriber', { subscriberId: 'ada', email: null, phone: null })
      expect(await stepOf(await send())).toMatchObject({
        status: 'SKIPPED',
        reason: 'no_destination',
        detail: `Subscriber "ada" has ${lacking}.`,
      })
    },
  )
})

describe('the second attempt of a message', () => {
  const removed = 'The destination no longer exists.'

  /** Makes the first attempt fail, applies the change, then runs the second attempt. */
  async function tryTwice(change: () => Promise<unknown>) {
    receiver.answer(500)
    const transactionId = await send()
    expect(await stepOf(transactionId)).toMatchObject({ status: 'SENDING', deliveries: [{ status: 'PENDING' }] })
    await change()
    receiver.answer(200)
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(1)
    return stepOf(transactionId)
  }

  const failedFor = (reason: string) => ({
    status: 'FAILED',
    reason: 'refused',
    detail: reason,
    deliveries: [{ status: 'FAILED', attempts: [{ status: 500 }, { number: 2, error: reason, status: null }] }],
  })

  test.each<[string, string, (id: string) => Promise<unknown>]>([
    [
      'deactivated',
      'Integration "email_webhook" is not active. If it is paused instead, its messages wait.',
      (id) => done(acme, 'updateIntegration', { id, active: false }),
    ],
    ['deleted', removed, (id) => done(acme, 'deleteIntegration', { id })],
  ])('fails without a request when the integration was %s', async (_how, reason, change) => {
    const id = await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.email])
    expect(await tryTwice(() => change(id))).toMatchObject(failedFor(reason))
  })

  test('fails without a request when the endpoint was deleted', async () => {
    await createIntegration(acme, 'TOOL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.tool])
    await done(acme, 'createChannelEndpoint', {
      identifier: 'one',
      subscriberId: 'ada',
      integrationIdentifier: 'tool_webhook',
      endpoint: { toolWebhook: { url: receiver.url } },
    })
    expect(await tryTwice(() => done(acme, 'deleteChannelEndpoint', { identifier: 'one' }))).toMatchObject(
      failedFor(removed),
    )
  })

  test('fails without a request when the device token was removed', async () => {
    await createIntegration(acme, 'PUSH_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.push])
    const ofAda = { subscriberId: 'ada', providerId: 'PUSH_WEBHOOK' }
    await done(acme, 'setSubscriberCredentials', { ...ofAda, credentials: { deviceTokens: ['token-of-the-phone'] } })
    const step = await tryTwice(() =>
      done(acme, 'setSubscriberCredentials', { ...ofAda, credentials: { deviceTokens: ['token-of-the-tablet'] } }),
    )
    expect(step).toMatchObject(failedFor(removed))
  })

  test('fails without a request when the webhook was deleted', async () => {
    await createIntegration(acme, 'CHAT_WEBHOOK', receiver.url)
    await createWorkflow(acme, [steps.chat])
    const ofAda = { subscriberId: 'ada', providerId: 'CHAT_WEBHOOK' }
    await done(acme, 'setSubscriberCredentials', { ...ofAda, credentials: { webhookUrl: receiver.url } })
    const step = await tryTwice(() => done(acme, 'deleteSubscriberCredentials', ofAda))
    expect(step).toMatchObject(failedFor(removed))
  })
})

test('the execution log and the server log contain no secrets', async () => {
  const secret = 'SECRET-0123456789'
  const [chat, push] = [{ providerId: 'CHAT_WEBHOOK' }, { providerId: 'PUSH_WEBHOOK' }]
  const url = at(`/${secret}`)
  receiver.answer(400, `no such key: ${secret}, ${url}`)
  await createIntegration(acme, 'CHAT_WEBHOOK', url, { credentials: { webhookUrl: url, hmacSecretKey: secret } })
  await createIntegration(acme, 'PUSH_WEBHOOK', url, {
    credentials: { webhookUrl: url, apiKeyRequestHeader: 'x-key', apiKey: secret },
  })
  await createIntegration(acme, 'TOOL_WEBHOOK', url)
  await createWorkflow(acme, [
    steps.chat,
    { ...steps.push, push: { ...steps.push.push, stepId: 'push' } },
    { tool: { body: 'x' } },
  ])
  await done(acme, 'setSubscriberCredentials', { subscriberId: 'ada', ...chat, credentials: { webhookUrl: url } })
  await done(acme, 'setSubscriberCredentials', {
    subscriberId: 'ada',
    ...push,
    credentials: { deviceTokens: [secret] },
  })
  await done(acme, 'createChannelEndpoint', {
    subscriberId: 'ada',
    integrationIdentifier: 'tool_webhook',
    endpoint: { toolWebhook: { url, headers: [{ name: 'authorization', value: `Bearer ${secret}` }] } },
  })
  const { id, status, steps: told } = await adasRun(acme, await send())
  expect([id, status]).toEqual([expect.any(String), 'COMPLETED'])
  expect(receiver.received).toHaveLength(3)
  expect(told).toMatchObject(
    told.map(() => ({ status: 'FAILED', deliveries: [{ attempts: [{ status: 400, answer: expect.any(String) }] }] })),
  )
  expect(JSON.stringify(told)).not.toContain(secret)
  expect(JSON.stringify(world.logged)).not.toContain(secret)
})
