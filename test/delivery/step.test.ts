// Steps at run time: templates, conditions, delays and inactive steps.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { definitions } from '../../src/metrics/definitions.ts'
import { type Client, useWorld } from '../support/world.ts'
import { growth } from '../support/scrape.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  feedOf,
  outcomes,
  trigger,
} from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

/** Triggers an event and runs the worker. @returns the transaction id. */
async function run(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work()
  return transactionId
}

const ada = { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com', data: { plan: 'pro' } }
const equals = (variable: string, value: unknown) => ({ '==': [{ var: variable }, value] })

describe('a template', () => {
  test('can use the subscriber, the payload and the data of the contexts', async () => {
    const inApp = {
      subject: 'Order {{payload.id}}',
      body: '{{subscriber.firstName}} of {{context.tenant.data.name}} ({{context.tenant.id}}) is {{subscriber.data.plan}}',
      avatar: '{{context.tenant.data.logo}}',
      url: '/orders/{{payload.id}}',
      actions: [{ label: 'Open {{payload.id}}', url: 'https://shop.test/{{payload.id}}' }],
      data: { sound: 'ding' },
    }
    await createWorkflow(acme, [{ inApp }], { severity: 'HIGH', tags: ['orders', 'shop'] })
    await run({
      to: ada,
      payload: { id: 7 },
      context: { tenant: { id: 'acme', data: { name: 'Acme', logo: 'https://acme.test/logo.png' } } },
    })
    expect(await feedOf(acme, 'ada', ['tenant:acme'])).toMatchObject([
      {
        workflowIdentifier: 'order',
        severity: 'high',
        tags: ['orders', 'shop'],
        contextKeys: ['tenant:acme'],
        subject: 'Order 7',
        body: 'Ada of Acme (acme) is pro',
        avatar: 'https://acme.test/logo.png',
        url: '/orders/7',
        actions: [{ label: 'Open 7', url: 'https://shop.test/7' }],
        data: { sound: 'ding' },
      },
    ])
    expect(await feedOf(acme)).toEqual([])
  })

  test('escapes its variables in an email body, but not in plain text', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const greeting = 'Hi {{subscriber.firstName}}'
    await createWorkflow(acme, [{ inApp: { body: greeting } }, { email: { subject: greeting, body: greeting } }])
    await run({ to: { ...ada, firstName: '<b>' } })
    expect(await bodiesOf(acme)).toEqual(['Hi <b>'])
    expect(receiver.last.json).toMatchObject({ subject: 'Hi <b>', content: 'Hi &lt;b&gt;', to: 'ada@example.com' })
  })

  test('can use the outcome of earlier steps', async () => {
    await createWorkflow(acme, [
      { sms: { stepId: 'text', body: 'x' } },
      { inApp: { body: '{{steps.text.status}}: {{steps.text.reason}}' } },
    ])
    await run()
    expect(await bodiesOf(acme)).toEqual(['skipped: no_integration'])
  })

  test('replaces half a surrogate pair and drops NUL characters', async () => {
    await createWorkflow(acme, [{ inApp: { body: '{{payload.text | split: "" | last}}{{ "%00" | url_decode }}!' } }])
    await run({ payload: { text: 'a😀' } })
    expect(await bodiesOf(acme)).toEqual(['\uFFFD!'])
  })

  test('that fails ends only its own step, only for that subscriber, and records the reason', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const long = '{% for i in (1..subscriber.data.times) %}{{payload.text}}{% endfor %}'
    await createWorkflow(acme, [
      { email: { stepId: 'mail', subject: 'x', body: long } },
      { inApp: { stepId: 'bell', body: long } },
      { inApp: { stepId: 'end', body: 'End' } },
    ])
    const transactionId = await run({
      to: [
        { ...ada, data: { times: 1000 } },
        { subscriberId: 'grace', email: 'grace@example.com', data: { times: 1 } },
      ],
      payload: { text: 'x'.repeat(1000) },
    })
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([
      { status: 'FAILED', reason: 'content', detail: expect.stringContaining('longer than 262144 characters') },
      { status: 'FAILED', reason: 'content', deliveries: [] },
      { status: 'SENT', reason: null, detail: null },
    ])
    expect(await bodiesOf(acme)).toEqual(['End'])
    expect(await bodiesOf(acme, 'grace')).toEqual(['x'.repeat(1000), 'End'])
    expect(receiver.received).toHaveLength(1)
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.test', '/\\evil.test', 'order 7'])(
    'that renders a link to %j fails its step',
    async (link) => {
      await createWorkflow(acme, [
        { inApp: { stepId: 'url', body: 'x', url: '{{payload.link}}' } },
        { inApp: { stepId: 'action', body: 'x', actions: [{ label: 'x', url: '{{payload.link}}' }] } },
        { inApp: { stepId: 'avatar', body: 'x', avatar: '{{payload.link}}' } },
      ])
      const { steps } = await adasRun(acme, await run({ payload: { link } }))
      const refused = (field: string) => ({
        status: 'FAILED',
        reason: 'content',
        detail: `${field} must render to an http or https URL, or to a path that starts with "/"`,
      })
      expect(steps).toMatchObject([refused('url'), refused('url of an action'), refused('avatar')])
      expect(await feedOf(acme)).toEqual([])
    },
  )

  test('that renders a link to nothing leaves the link out', async () => {
    await createWorkflow(acme, [{ inApp: { body: 'x', url: '{{payload.link}}' } }])
    await run()
    const [notification] = await feedOf(acme)
    expect(notification).not.toHaveProperty('url')
  })
})

describe('a condition', () => {
  test.each<[string, object]>([
    ['the subscriber', equals('subscriber.data.plan', 'pro')],
    ['the payload', { '>': [{ var: 'payload.total' }, 100] }],
    ['the contexts', equals('context.tenant.id', 'acme')],
    ['an earlier step', equals('steps.text.status', 'skipped')],
  ])('can depend on %s', async (_what, condition) => {
    await createWorkflow(acme, [
      { sms: { stepId: 'text', body: 'x' } },
      { inApp: { stepId: 'yes', body: 'Yes', condition } },
      { inApp: { stepId: 'no', body: 'No', condition: { '!': [condition] } } },
    ])
    const transactionId = await run({ to: ada, payload: { total: 120 }, context: { tenant: 'acme' } })
    expect(await outcomes(acme, transactionId)).toEqual({
      text: 'SKIPPED no_integration',
      yes: 'SENT',
      no: 'SKIPPED condition',
    })
    expect(await bodiesOf(acme, 'ada', ['tenant:acme'])).toEqual(['Yes'])
  })

  test('uses the seen and read state at the time its step runs', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const mail = (stepId: string, variable: string) => ({
      email: { stepId, subject: 'x', body: 'x', condition: { '!': [{ var: variable }] } },
    })
    await createWorkflow(acme, [
      { inApp: { stepId: 'bell', body: 'x' } },
      { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } },
      mail('unseen', 'steps.bell.seen'),
      mail('unread', 'steps.bell.read'),
    ])
    const transactionId = await run({ to: [ada, { subscriberId: 'grace', email: 'grace@example.com' }] })
    await acme.rest('POST /v2/subscribers/ada/notifications/seen', { body: {} })
    await acme.rest('POST /v2/subscribers/grace/notifications/read', { body: {} })
    await world.work({ early: true })
    expect(await outcomes(acme, transactionId)).toEqual({
      bell: 'SENT',
      wait: 'COMPLETED',
      unseen: 'SKIPPED condition',
      unread: 'SENT',
    })
    expect(receiver.received.map(({ json }) => json)).toMatchObject([{ to: 'ada@example.com' }])
  })

  test('of an inactive step does not wait for an earlier message', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    receiver.answer(500)
    await createWorkflow(acme, [
      { email: { stepId: 'mail', subject: 'x', body: 'x' } },
      { inApp: { stepId: 'off', body: 'x', active: false, condition: equals('steps.mail.status', 'sent') } },
      { inApp: { stepId: 'bell', body: 'Hello' } },
    ])
    const transactionId = await run({ to: ada })
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SENDING', off: 'SKIPPED step_inactive', bell: 'SENT' })
    await done(acme, 'cancelEvent', { transactionId })
  })

  test('on a message waits until the message has been sent', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    receiver.answer(500)
    await createWorkflow(acme, [
      { email: { stepId: 'mail', subject: 'x', body: 'x' } },
      { inApp: { stepId: 'sent', body: 'Sent', condition: equals('steps.mail.status', 'sent') } },
      { inApp: { stepId: 'failed', body: 'Failed', condition: equals('steps.mail.status', 'failed') } },
    ])
    const transactionId = await run({ to: ada })
    expect(await adasRun(acme, transactionId)).toMatchObject({ status: 'WAITING', steps: [{ status: 'SENDING' }] })
    expect(await feedOf(acme)).toEqual([])
    receiver.answer(200)
    await world.work({ early: true })
    expect(await adasRun(acme, transactionId)).toMatchObject({ status: 'COMPLETED' })
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SENT', sent: 'SENT', failed: 'SKIPPED condition' })
    expect(await bodiesOf(acme)).toEqual(['Sent'])
  })

  test('on a message is evaluated once the message has failed for good', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    receiver.answer(400)
    await createWorkflow(acme, [
      { email: { stepId: 'mail', subject: 'x', body: 'x' } },
      { inApp: { stepId: 'failed', body: 'Failed', condition: equals('steps.mail.status', 'failed') } },
    ])
    const transactionId = await run({ to: ada })
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'FAILED refused', failed: 'SENT' })
  })
})

describe('a step', () => {
  test('that is inactive is skipped, and the others run', async () => {
    await createWorkflow(acme, [
      { inApp: { stepId: 'off', body: 'Off', active: false } },
      { delay: { stepId: 'wait', amount: 1, unit: 'DAYS', active: false } },
      { inApp: { stepId: 'on', body: 'On' } },
    ])
    const transactionId = await run()
    expect(await outcomes(acme, transactionId)).toEqual({
      off: 'SKIPPED step_inactive',
      wait: 'SKIPPED step_inactive',
      on: 'SENT',
    })
    expect(await bodiesOf(acme)).toEqual(['On'])
  })

  test('runs as defined at the time of the trigger, even if its workflow is changed and deleted', async () => {
    await createWorkflow(acme, [{ delay: { amount: 1, unit: 'HOURS' } }, { inApp: { body: 'Before' } }])
    await run()
    await done(acme, 'updateWorkflow', { identifier: 'order', active: false, steps: [{ inApp: { body: 'After' } }] })
    await done(acme, 'deleteWorkflow', { identifier: 'order' })
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual(['Before'])
  })

  test('with a delay waits until it is due', async () => {
    await createWorkflow(acme, [
      { inApp: { body: 'First' } },
      { delay: { stepId: 'wait', amount: 2, unit: 'HOURS' } },
      { inApp: { body: 'Then' } },
    ])
    const transactionId = await run()
    const waiting = await adasRun(acme, transactionId)
    expect(waiting).toMatchObject({ status: 'WAITING', steps: [{ status: 'SENT' }, { status: 'WAITING' }] })
    const [, { dueAt }] = waiting.steps
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { createdAt } }', {
      id: transactionId,
    })
    expect(Date.parse(dueAt ?? '') - Date.parse(event.createdAt)).toBe(2 * 60 * 60 * 1000)
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['First'])
    await world.work({ early: true })
    expect(await adasRun(acme, transactionId)).toMatchObject({
      status: 'COMPLETED',
      steps: [{ status: 'SENT' }, { status: 'COMPLETED', dueAt }, { status: 'SENT' }],
    })
    expect(await bodiesOf(acme)).toEqual(['First', 'Then'])
  })

  test('after a delay composes messages whose time is measured from the end of the delay', async () => {
    world.setClock(new Date('2030-01-01T00:00:00Z'))
    onTestFinished(() => world.setClock(undefined))
    const seconds = (count: number) => world.setClock(new Date(Date.UTC(2030, 0, 1, 0, 0, count)))
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const mail = { subject: 'x', body: 'x' }
    await createWorkflow(acme, [
      { inApp: { body: 'x' } },
      { email: mail },
      { delay: { amount: 1, unit: 'HOURS' } },
      { inApp: { body: 'x' } },
      { email: mail },
    ])
    await trigger(acme, { to: ada })
    /** The seconds that the messages sent now took, by channel. */
    async function measured() {
      const grown = await growth(world, definitions.triggerToSent.name, () => world.work())
      const of = (channel: string) => [
        Math.round(grown[`_sum{channel="${channel}"}`] ?? 0),
        grown[`_count{channel="${channel}"}`],
      ]
      return { inApp: of('in_app'), email: of('email') }
    }
    seconds(20)
    expect(await measured()).toEqual({ inApp: [20, 1], email: [20, 1] })
    seconds(3_600 + 50)
    // An email after a delay is measured from its creation.
    expect(await measured()).toEqual({ inApp: [50, 1], email: [0, 1] })
  })
})
