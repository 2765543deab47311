// Environments that redirect messages: no one but the tester and the allowed destinations receives any.
import { beforeEach, describe, expect, test } from 'vitest'
import { handlingOf } from '../../src/delivery/sending/capture.ts'
import type { Message } from '../../src/engine/message.ts'
import { ada, toDevice, toEmail, toPhone } from '../support/delivery/message.ts'
import { smtp } from '../support/delivery/smtp.ts'
import { createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const rules = { sending: 'redirect' as const, redirectTo: 'tester@example.org', allowedDestinations: [] as string[] }
const captured = { captured: { isCaptured: true } }

async function set(client: Client, input: object, by: Client = world.production) {
  const { environment } = await client.ask('{ environment { identifier } }')
  const fields = 'environment { sending redirectTo allowedDestinations version }'
  return by.act('updateEnvironment', { identifier: environment.identifier, ...input }, fields)
}

beforeEach(async () => {
  acme = await world.environment()
})

describe('a redirected email', () => {
  const email = {
    cc: [{ name: '', address: 'boss@example.com' }],
    bcc: [{ name: '', address: 'ben@example.net' }],
    headers: [{ name: 'X-Campaign', value: 'spring' }],
  }
  const message: Message = {
    ...ada,
    channel: 'email',
    target: toEmail,
    content: { subject: 'Hi', body: 'Hello', email },
  }

  test('goes to the tester, with the original recipient in the subject and a header, and without copies', () => {
    const passage = handlingOf(rules, message)
    expect(passage).toMatchObject({
      message: {
        target: { kind: 'email', address: 'tester@example.org' },
        subscriber: { email: 'tester@example.org', phone: null },
        content: {
          subject: '[to ada@example.com] Hi',
          email: { cc: [], bcc: [], headers: [...email.headers, { name: 'X-Original-To', value: 'ada@example.com' }] },
        },
      },
    })
  })

  test.each([['ada@example.com'], ['ADA@EXAMPLE.COM'], ['*@example.com']])(
    'is sent as it is if %s is allowed, with copies to allowed addresses only',
    (allowed) => {
      const passage = handlingOf({ ...rules, allowedDestinations: [allowed] }, message)
      const cc = allowed.startsWith('*') ? email.cc : []
      expect(passage).toMatchObject({
        message: { target: toEmail, content: { subject: 'Hi', email: { cc, bcc: [], headers: email.headers } } },
      })
    },
  )

  test.each([['*@xample.com'], ['*@com.example'], ['ada@example.co'], ['+49']])('is not allowed by %s', (allowed) => {
    expect(handlingOf({ ...rules, allowedDestinations: [allowed] }, message)).toMatchObject({
      message: { target: { address: 'tester@example.org' } },
    })
  })

  test('reaches none of the recipients that an override added or put in the place of the subscriber', () => {
    const to = [{ name: '', address: 'customer@example.com' }]
    const overridden = { ...message, content: { ...message.content, email: { ...email, to, replacesTo: true } } }
    const passage = handlingOf(rules, overridden)
    expect(passage).toMatchObject({ message: { target: { address: 'tester@example.org' } } })
    expect(passage).toHaveProperty('message.content.email.to', [])
    expect(passage).not.toHaveProperty('message.content.email.replacesTo')
  })

  test('is captured without a tester, or if the tester has a phone only', () => {
    expect(handlingOf({ ...rules, redirectTo: null }, message)).toMatchObject(captured)
    expect(handlingOf({ ...rules, redirectTo: '+4915100000000' }, message)).toMatchObject(captured)
  })
})

test('text messages go to the number of the tester, and to allowed beginnings of numbers', () => {
  const text: Message = { ...ada, channel: 'sms', target: toPhone, content: { subject: null, body: 'Hello' } }
  expect(handlingOf({ ...rules, redirectTo: '+15551234567' }, text)).toMatchObject({
    message: {
      target: { kind: 'phone', phoneNumber: '+15551234567' },
      content: { body: '[to +4915123456789] Hello' },
    },
  })
  expect(handlingOf({ ...rules, allowedDestinations: ['+4915'] }, text)).toEqual({ message: text })
  expect(handlingOf(rules, text)).toMatchObject(captured)
})

test('messages without an address are captured', () => {
  expect(handlingOf(rules, { ...ada, channel: 'push', target: toDevice })).toMatchObject(captured)
})

test('the tester receives the email of a trigger, and its real recipients do not', async () => {
  const server = await smtp()
  await set(acme, { sending: 'REDIRECT', redirectTo: 'tester@example.org' })
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await createIntegration(acme, 'NODEMAILER', '', { identifier: 'smtp', credentials: server.credentials })
  await createWorkflow(acme, [
    { email: { stepId: 'mail', subject: 'Spring', body: 'Hello', cc: 'boss@example.com', bcc: 'ben@example.net' } },
  ])
  const id = await trigger(acme)
  await world.work()
  expect(await outcomes(acme, id)).toEqual({ mail: 'SENT' })
  expect(server.received).toHaveLength(1)
  expect(JSON.stringify(server.received)).not.toMatch(/boss@|ben@/)
  expect(server.received[0]?.message).toMatch(/^Subject: \[to ada@example\.com\] Spring$/m)
  expect(server.received[0]?.message).toMatch(/^X-Original-To: ada@example\.com$/m)
  const { deliveries } = await acme.ask('{ deliveries { nodes { destination attempts { isCaptured redirectedTo } } } }')
  expect(deliveries.nodes).toEqual([
    { destination: 'ada@example.com', attempts: [{ isCaptured: false, redirectedTo: 'tester@example.org' }] },
  ])
})

describe('the mode of an environment', () => {
  test('is CAPTURE for a new one of the type DEV, and LIVE for all others', async () => {
    const create = (name: string, more: object = {}) =>
      done(world.development, 'createEnvironment', { name, color: '#000', ...more }, 'environment { type sending }')
    expect(await create('One')).toMatchObject({ environment: { type: 'PROD', sending: 'LIVE' } })
    expect(await create('Two', { type: 'DEV' })).toMatchObject({ environment: { type: 'DEV', sending: 'CAPTURE' } })
    expect(await create('Three', { type: 'DEV', sending: 'LIVE' })).toMatchObject({ environment: { sending: 'LIVE' } })
  })

  test('is changed in production only by an ADMIN key, and the change is in the log', async () => {
    const attempt = set(acme, { sending: 'CAPTURE' }, world.development)
    await expect(attempt).rejects.toThrow(/FORBIDDEN.*sending/)
    // Nothing changes.
    expect(await set(acme, { sending: 'LIVE', name: 'Shop' }, world.development)).toMatchObject({ userErrors: [] })
    await set(acme, { sending: 'CAPTURE' })
    expect(world.logged.filter(({ msg }) => msg === 'sending mode changed')).toContainEqual(
      expect.objectContaining({ before: 'live', after: 'capture' }),
    )
  })

  test('of another environment is FORBIDDEN without an ADMIN key', async () => {
    await expect(set(world.production, { sending: 'CAPTURE' }, acme)).rejects.toThrow('FORBIDDEN')
  })

  test('is changed by the key of a development environment itself, unless it has changed meanwhile', async () => {
    const { environment } = await set(world.development, { redirectTo: 'tester@example.org' }, world.development)
    const expectedVersion = environment.version - 1
    const stale = await set(world.development, { sending: 'CAPTURE', expectedVersion }, world.development)
    expect(stale.userErrors).toMatchObject([{ code: 'CONFLICT' }])
  })

  test.each([
    [{ redirectTo: 'nobody' }, 'redirectTo'],
    [{ allowedDestinations: ['example.com'] }, 'allowedDestinations'],
    [{ allowedDestinations: ['a@example.com', '+'] }, 'allowedDestinations'],
    [{ allowedDestinations: Array.from({ length: 101 }, (_, index) => `+49${index}`) }, 'allowedDestinations'],
  ])('rejects %o', async (input, field) => {
    const { userErrors } = await set(acme, input)
    expect(userErrors[0]).toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(userErrors[0].field[0]).toBe(field)
  })

  test('is the same in the REST API', async () => {
    const body = { sending: 'redirect', redirectTo: 'tester@example.org', allowedDestinations: ['*@example.com'] }
    const created = await world.production.rest<Record<string, unknown>>('POST /v1/environments', {
      body: { name: 'Rest', color: '#000', type: 'dev' },
    })
    expect(created.body).toMatchObject({ type: 'dev', sending: 'capture', allowedDestinations: [] })
    const changed = await world.production.rest(`PUT /v1/environments/${String(created.body['_id'])}`, { body })
    expect(changed).toMatchObject({ status: 200, body })
  })
})
