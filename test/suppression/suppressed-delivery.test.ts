// Suppressed addresses during delivery: left out of steps and copies, checked again at each attempt, and learned from
// providers.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countSoftBounces, suppressAddresses } from '../../src/domain/address/suppress.ts'
import { createEnvironmentScope } from '../../src/domain/resolver/create-scope.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { onServer } from '../support/on-server.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const email = (more: object = {}) => ({ email: { stepId: 'mail', subject: 'Hi', body: 'Hello', ...more } })
const sms = { sms: { stepId: 'text', body: 'Hello' } }
const tenant = (identifier: string) => [{ type: 'tenant', identifier }]

/** The scope of the client's environment, as the engine and reports have it. */
async function scopeOf(client: Client) {
  const { environment } = await client.ask('{ environment { identifier } }')
  const { id } = await world.gateway.db.environment.findUniqueOrThrow({
    where: { identifier: environment.identifier },
    select: { id: true },
  })
  return createEnvironmentScope(world.gateway, id)
}

beforeEach(async () => {
  acme = await world.environment()
  const ada = { subscriberId: 'ada', email: 'Ada@Example.com', phone: '+4915123456789' }
  await done(acme, 'createSubscriber', ada)
  const mail = { apiKey: 'key', from: 'shop@example.com', baseUrl: receiver.url }
  await createIntegration(acme, 'SENDGRID', '', { identifier: 'mail', credentials: mail })
  receiver.answer(202, {})
})
afterEach(() => world.setClock(undefined))

const twilio = (identifier: string, more: object = {}) =>
  createIntegration(acme, 'TWILIO', '', {
    identifier,
    credentials: { accountSid: 'AC', token: 'secret', from: '+4915100000000', baseUrl: receiver.url },
    ...more,
  })

const suppress = (input: object) =>
  done(acme, 'createSuppression', { channel: 'EMAIL', address: 'ada@example.com', ...input }, 'suppression { id }')

async function send(more: object = {}) {
  const transactionId = await trigger(acme, more)
  await world.work()
  return transactionId
}
const outcomeOf = async (more: object = {}) => outcomes(acme, await send(more))

describe('a suppressed address', () => {
  test('is left out, and the step says since when and why', async () => {
    await createWorkflow(acme, [email()])
    const { suppression } = await suppress({ reason: 'HARD_BOUNCE', detail: '550 no such user' })
    const transactionId = await send()
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) { runs { nodes { outcome reasonCode steps {
         status reasonCode detail explanation advice suppression { id } } } } } }`,
      { id: transactionId },
    )
    expect(event.runs.nodes).toMatchObject([
      {
        ...{ outcome: 'NOTHING', reasonCode: 'SUPPRESSED' },
        steps: [
          {
            ...{ status: 'SKIPPED', reasonCode: 'SUPPRESSED', suppression: { id: suppression.id } },
            detail: expect.stringMatching(
              /^Ada@Example\.com is suppressed since .*Z: a message to it bounced permanently \(550 no such user\)\.$/,
            ),
            advice: expect.stringContaining('delete the suppression'),
          },
        ],
      },
    ])
    expect(receiver.received).toEqual([])
  })

  test('receives messages again after its end, or once the suppression is deleted', async () => {
    await createWorkflow(acme, [email()])
    const { suppression } = await suppress({})
    expect(await outcomeOf()).toEqual({ mail: 'SKIPPED suppressed' })
    await done(acme, 'deleteSuppression', { id: suppression.id })
    expect(await outcomeOf()).toEqual({ mail: 'SENT' })
    await suppress({ expiresAt: new Date(Date.now() + 3600_000).toISOString() })
    expect(await outcomeOf()).toEqual({ mail: 'SKIPPED suppressed' })
    world.setClock(new Date(Date.now() + 3601_000))
    expect(await outcomeOf()).toEqual({ mail: 'SENT' })
  })

  test('says so in a preview and to a test message, which is not sent', async () => {
    await createWorkflow(acme, [email()])
    await suppress({ reason: 'COMPLAINT' })
    const input = { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }] }
    const { previewTrigger } = await acme.ask(
      'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { runs { steps { reasonCode detail } } } }',
      { input },
    )
    expect(previewTrigger.runs).toMatchObject([{ steps: [{ reasonCode: 'SUPPRESSED' }] }])
    const tested = await acme.act(
      'sendTestMessage',
      { integrationIdentifier: 'mail', to: { email: 'ada@example.com' } },
      'result { accepted error }',
    )
    expect(tested.result).toEqual({ accepted: false, error: expect.stringContaining('reported a message as spam') })
    expect(receiver.received).toEqual([])
  })

  test('still receives messages of critical workflows after a complaint, but not after a bounce', async () => {
    await createWorkflow(acme, [email()], { critical: true })
    await suppress({ reason: 'COMPLAINT' })
    expect(await outcomeOf()).toEqual({ mail: 'SENT' })
    await suppress({ reason: 'HARD_BOUNCE' })
    expect(await outcomeOf()).toEqual({ mail: 'SKIPPED suppressed' })
  })

  test('does not silence other channels and subscribers', async () => {
    await twilio('text')
    await done(acme, 'createSubscriber', { subscriberId: 'grace', email: 'grace@example.com' })
    await createWorkflow(acme, [email(), sms])
    await suppress({})
    const transactionId = await send({ to: ['ada', 'grace'] })
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SKIPPED suppressed', text: 'SENT' })
    expect(receiver.received.map(({ body }) => /grace@example/.test(body)).filter(Boolean)).toHaveLength(1)
  })

  test('of a channel endpoint is left out, and the others of the subscriber are not', async () => {
    await twilio('text')
    await createWorkflow(acme, [sms])
    for (const phoneNumber of ['+4915100000001', '+4915100000002']) {
      const endpoint = { phone: { phoneNumber } }
      await done(acme, 'createChannelEndpoint', { subscriberId: 'ada', integrationIdentifier: 'text', endpoint })
    }
    await suppress({ channel: 'SMS', address: '+4915100000001' })
    const { steps } = await adasRun(acme, await send())
    expect(steps).toMatchObject([{ status: 'SENT', detail: expect.stringMatching(/^Left out: \+4915100000001 is/) }])
    expect(receiver.received.map(({ body }) => new URLSearchParams(body).get('To'))).toEqual(['+4915100000002'])
    await suppress({ channel: 'SMS', address: '+4915100000002' })
    expect(await outcomeOf()).toEqual({ text: 'SKIPPED suppressed' })
  })
})

describe('a complaint under a tenant', () => {
  test('silences only messages under it', async () => {
    await createWorkflow(acme, [email()])
    await suppress({ reason: 'COMPLAINT', contexts: tenant('acme') })
    expect(await outcomeOf({ context: { tenant: 'acme' } })).toEqual({ mail: 'SKIPPED suppressed' })
    expect(await outcomeOf({ context: { tenant: 'acme', app: 'shop' } })).toEqual({ mail: 'SKIPPED suppressed' })
    expect(await outcomeOf({ context: { tenant: 'globex' } })).toEqual({ mail: 'SENT' })
    expect(await outcomeOf()).toEqual({ mail: 'SENT' })
  })
})

describe('a suppression on a sender', () => {
  test('silences only messages of its integration', async () => {
    await twilio('text')
    await twilio('other')
    await createWorkflow(acme, [sms])
    await suppress({ channel: 'SMS', address: '+4915123456789', integrationIdentifier: 'other' })
    expect(await outcomeOf()).toEqual({ text: 'SENT' })
    await suppress({ channel: 'SMS', address: '+4915123456789', integrationIdentifier: 'text' })
    expect(await outcomeOf()).toEqual({ text: 'SKIPPED suppressed' })
  })
})

describe('copies', () => {
  const copies = { cc: ['boss@example.com', 'eve@example.com'], bcc: ['audit@example.com'] }

  test('that are suppressed are dropped and named', async () => {
    await createWorkflow(acme, [email(copies)])
    await suppress({ address: 'EVE@example.com' })
    await suppress({ address: 'audit@example.com', reason: 'HARD_BOUNCE' })
    const { steps } = await adasRun(acme, await send())
    expect(steps).toMatchObject([
      {
        status: 'SENT',
        detail: expect.stringMatching(/^Left out of cc: eve@example\.com is .* Left out of bcc: audit@example\.com is/),
      },
    ])
    expect(receiver.last.json).toMatchObject({
      personalizations: [{ to: [{ email: 'Ada@Example.com' }], cc: [{ email: 'boss@example.com' }] }],
    })
    expect(receiver.last.body).not.toMatch(/eve|audit/)
  })

  test('do not get the message if its recipient is suppressed', async () => {
    await createWorkflow(acme, [email(copies)])
    await suppress({})
    expect(await outcomeOf()).toEqual({ mail: 'SKIPPED suppressed' })
    expect(receiver.received).toEqual([])
  })

  test('that are suppressed after the decision are dropped at the attempt', async () => {
    await createWorkflow(acme, [email(copies)])
    await suppress({ address: 'nobody@example.com' })
    receiver.answer(500, {})
    await send()
    receiver.answer(202, {})
    await suppress({ address: 'eve@example.com' })
    await world.work({ early: true })
    expect(receiver.last.json).toMatchObject({ personalizations: [{ cc: [{ email: 'boss@example.com' }] }] })
    expect(receiver.last.body).not.toContain('eve')
  })
})

describe('an override', () => {
  test('does not reach a suppressed address', async () => {
    await twilio('text')
    await createWorkflow(acme, [email(), sms])
    await suppress({ address: 'other@example.com' })
    await suppress({ channel: 'SMS', address: '+4915100000009' })
    const overrides = {
      email: { to: ['other@example.com'], replaceToRecipient: true },
      sms: { to: '+4915100000009' },
    }
    expect(await outcomeOf({ overrides })).toEqual({ mail: 'SKIPPED suppressed', text: 'SKIPPED suppressed' })
    expect(receiver.received).toEqual([])
  })

  test('that replaces the recipient by several reaches those that are not suppressed', async () => {
    await createWorkflow(acme, [email()])
    await suppress({})
    await suppress({ address: 'one@example.com' })
    const overrides = { email: { to: ['one@example.com', 'two@example.com'], replaceToRecipient: true } }
    expect(await outcomeOf({ overrides })).toEqual({ mail: 'SENT' })
    expect(receiver.last.json).toMatchObject({ personalizations: [{ to: [{ email: 'two@example.com' }] }] })
    expect(receiver.last.body).not.toContain('one@')
  })
})

describe('a suppression between the decision and the attempt', () => {
  test('stops the message, and a retry of it', async () => {
    await createWorkflow(acme, [email()])
    receiver.answer(500, {})
    const transactionId = await send()
    const { suppression } = await suppress({ reason: 'HARD_BOUNCE' })
    receiver.answer(202, {})
    await world.work({ early: true })
    expect(await adasRun(acme, transactionId)).toMatchObject({
      steps: [
        {
          ...{ status: 'FAILED', reason: 'suppressed', cause: 'SUPPRESSED' },
          deliveries: [{ status: 'FAILED', cause: 'SUPPRESSED', attempts: [{ status: 500 }, { status: null }] }],
        },
      ],
    })
    const [step] = (await adasRun(acme, transactionId)).steps
    await done(acme, 'retryDelivery', { id: step.deliveries[0].id })
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(1)
    await done(acme, 'deleteSuppression', { id: suppression.id })
    await done(acme, 'retryDelivery', { id: step.deliveries[0].id })
    await world.work({ early: true })
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SENT' })
  })
})

describe('a provider', () => {
  const listed = async () => {
    const { suppressions } = await acme.ask(
      '{ suppressions { nodes { reason address detail integration { identifier } sourceDelivery { status } } } }',
    )
    return suppressions.nodes
  }

  test.each([
    ['TWILIO', 400, { code: 21610, message: 'Attempt to send to unsubscribed recipient' }],
    ['TELNYX', 403, { errors: [{ code: '40300', title: 'Blocked due to STOP message' }] }],
  ])('%s that has the number on its list suppresses it for its sender', async (providerId, status, answer) => {
    const credentials = {
      apiKey: 'k',
      accountSid: 'AC',
      token: 'secret',
      from: '+4915100000000',
      baseUrl: receiver.url,
    }
    const { apiKey, accountSid, token, ...others } = credentials
    const own = providerId === 'TWILIO' ? { accountSid, token, ...others } : { apiKey, ...others }
    await createIntegration(acme, providerId, '', { identifier: 'text', credentials: own })
    await createWorkflow(acme, [sms])
    receiver.answer(status, answer)
    expect(await outcomeOf()).toEqual({ text: 'FAILED suppressed' })
    expect(await listed()).toMatchObject([
      {
        ...{ reason: 'PROVIDER', address: '+4915123456789', detail: expect.stringContaining('error') },
        ...{ integration: { identifier: 'text' }, sourceDelivery: { status: 'FAILED' } },
      },
    ])
    expect(await outcomeOf()).toEqual({ text: 'SKIPPED suppressed' })
    expect(receiver.received).toHaveLength(1)
  })

  test('Postmark that has deactivated the address suppresses it', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'mail' })
    const credentials = { apiKey: 'key', from: 'shop@example.com', baseUrl: receiver.url }
    await createIntegration(acme, 'POSTMARK', '', { identifier: 'mail', credentials })
    await createWorkflow(acme, [email()])
    receiver.answer(422, { ErrorCode: 406, Message: 'You tried to send to an inactive recipient.' })
    expect(await outcomeOf()).toEqual({ mail: 'FAILED suppressed' })
    expect(await listed()).toMatchObject([{ reason: 'PROVIDER', address: 'ada@example.com' }])
  })
})

describe('reports', () => {
  const bounced = { channel: 'email', address: 'ada@example.com', reason: 'hard_bounce' } as const

  test('suppress many addresses, and repeating them changes nothing', async () => {
    const scope = await scopeOf(acme)
    const rows = Array.from({ length: 300 }, (_, index) => ({ ...bounced, address: `a${index % 250}@example.com` }))
    expect(await scope.transaction((inner) => suppressAddresses(inner, rows))).toHaveLength(250)
    expect(await scope.transaction((inner) => suppressAddresses(inner, rows))).toHaveLength(0)
  })

  test('of one address at the same time lead to one suppression', async () => {
    const scopes = await Promise.all(Array.from({ length: 10 }, () => scopeOf(acme)))
    const added = await Promise.all(
      scopes.map((scope) => scope.transaction((inner) => suppressAddresses(inner, [bounced]))),
    )
    expect(added.flat().filter(({ isNew }) => isNew)).toHaveLength(1)
    await createWorkflow(acme, [email()])
    expect(await outcomeOf()).toEqual({ mail: 'SKIPPED suppressed' })
  })

  test('of soft bounces on three days within two weeks suppress for 30 days', async () => {
    const scope = await scopeOf(acme)
    const on = (day: string) => [
      { channel: 'email' as const, address: 'Ada@example.com', at: new Date(`${day}T12:00Z`) },
    ]
    world.setClock(new Date('2026-03-20T12:00:00Z'))
    for (const days of [['2026-03-01', '2026-03-06'], ['2026-03-19'], ['2026-03-19']]) {
      expect(await countSoftBounces(scope, days.flatMap(on))).toEqual([])
    }
    const [added] = await countSoftBounces(scope, on('2026-03-20').concat(on('2026-03-07')))
    expect(added).toMatchObject({ reason: 'soft_bounces', expiresAt: new Date('2026-04-19T12:00:00Z') })
    await createWorkflow(acme, [email()])
    expect(await outcomeOf()).toEqual({ mail: 'SKIPPED suppressed' })
    world.setClock(new Date('2026-04-19T12:00:01Z'))
    expect(await outcomeOf()).toEqual({ mail: 'SENT' })
  })
})

describe('an environment without suppressions', () => {
  test.runIf(onServer)('needs no more statements', async () => {
    await createWorkflow(acme, [email()])
    const { suppression } = await suppress({})
    await done(acme, 'deleteSuppression', { id: suppression.id })
    const statements = await statementsOf(() => send())
    expect(statements.filter((text) => /suppression|address_key/.test(text.split('*/')[0] ?? ''))).toEqual([])
    expect(statements.filter((text) => /\bfrom "?suppressions/i.test(text) && !/EXISTS/.test(text))).toEqual([])
  })
})
