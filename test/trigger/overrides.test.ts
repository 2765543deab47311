// Overrides that a trigger refuses: each with its path, at both doors, in bulk and in a preview.
import { beforeEach, describe, expect, test } from 'vitest'
import { reservedFields } from '../../src/domain/channel/reserved-fields.ts'
import { createWorkflow, done } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Order', body: 'Shipped' } }])
})

/** Returns the paths that the route names. */
async function refusedPaths(overrides: object): Promise<readonly string[]> {
  const { status, body } = await acme.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada', overrides } })
  expect(status).toBe(422)
  return Object.keys(body.errors)
}

/** A value with the field at a path. */
const nested = (path: readonly string[], value: unknown): object =>
  path.reduceRight<unknown>((inside, name) => ({ [name]: inside }), value) as object

describe('the recipient of the format of', () => {
  const cases = Object.entries(reservedFields).flatMap(([id, fields]) =>
    fields.slice(0, 1).map((field) => [id, field] as const),
  )
  test.each(cases)('%s is rejected: %s', async (id, field) => {
    const override = nested(field.split('.'), 'bob@example.com')
    const paths = (at: string) => [`overrides.${at}.${field}`]
    expect(await refusedPaths({ [id]: override })).toEqual(paths(id))
    expect(await refusedPaths({ providers: { [id]: override } })).toEqual(paths(`providers.${id}`))
    expect(await refusedPaths({ steps: { mail: { providers: { [id]: override } } } })).toEqual(
      paths(`steps.mail.providers.${id}`),
    )
    expect(await refusedPaths({ providers: { [id]: { _passthrough: { body: override } } } })).toEqual(
      paths(`providers.${id}._passthrough.body`),
    )
  })
})

test.each([
  ['Authorization', 'is authentication'],
  ['x-api-key', 'is authentication'],
  ['X-Postmark-Server-Token', 'is authentication'],
  ['Cookie', 'is authentication'],
  ['Host', 'is the host'],
  ['Idempotency-Key', 'is set by the gateway'],
  ['X-Signature-256', 'is set by the gateway'],
  ['Proxy-Authorization', 'is for proxies'],
  ['Transfer-Encoding', 'is of the connection'],
  ['A B', 'is no name'],
])('the header %s is rejected: it %s', async (name) => {
  const overrides = { providers: { sendgrid: { _passthrough: { headers: { [name]: 'x' } } } } }
  const [path] = await refusedPaths(overrides)
  expect(path).toContain('overrides.providers.sendgrid._passthrough.headers')
  expect(path).toContain(name)
})

test.each<[path: string, overrides: object]>([
  ['email', { email: 'x' }],
  ['email.to.1', { email: { to: ['a@example.com', 'x\r\nBcc: b@example.com'] } }],
  ['email.from', { email: { from: 'x' } }],
  ['email.subject', { email: { subject: 'x\ny' } }],
  ['email.headers.Bcc', { email: { headers: { Bcc: 'a@example.com' } } }],
  ['email.headers.X-A', { email: { headers: { 'X-A': 'x\r\nBcc: b@example.com' } } }],
  ['email.replaceToRecipient', { email: { replaceToRecipient: true } }],
  ['email.to', { email: { to: Array.from({ length: 50 }, (_, index) => `a${index}@example.com`) } }],
  ['sms.to', { sms: { to: '0151' } }],
  ['sms.from', { sms: { from: '' } }],
  ['push.to', { push: { to: 'token' } }],
  ['push.message.token', { push: { message: { token: 'token' } } }],
  ['chat.channel', { chat: { channel: 'C1' } }],
  ['severity', { severity: 'urgent' }],
  ['layoutIdentifier', { layoutIdentifier: 7 }],
  ['channels.email.layoutId', { channels: { email: { layoutId: 7 } } }],
  ['steps.mail.layoutId', { steps: { mail: { layoutId: 7 } } }],
  ['steps.mail', { steps: { mail: 'x' } }],
  ['providers.sendgrid', { providers: { sendgrid: 'x' } }],
  ['providers.sendgrid._passthrough.url', { providers: { sendgrid: { _passthrough: { url: 'https://x.org' } } } }],
  [
    'providers.nexmo._passthrough.query.api_key',
    { providers: { nexmo: { _passthrough: { query: { api_key: 'x' } } } } },
  ],
  ['providers.nodemailer.cc', { providers: { nodemailer: { cc: 'x' } } }],
])('%s is rejected', async (path, overrides) => {
  expect(await refusedPaths(overrides)).toContain(`overrides.${path}`)
})

test('a wrong override is rejected in the graph, in bulk and in a preview, and its secret is not repeated', async () => {
  const overrides = { providers: { sendgrid: { _passthrough: { headers: { authorization: 'Bearer secret-7' } } } } }
  const path = 'overrides.providers.sendgrid._passthrough.headers.authorization'
  const input = { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }], overrides }
  const { userErrors } = await acme.act('triggerEvent', input, 'userErrors { code field message }')
  expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT' }])
  expect(JSON.stringify(userErrors)).toContain('authorization')
  const bulk = await acme.rest('POST /v1/events/trigger/bulk', {
    body: { events: [{ name: 'order', to: 'ada', overrides }] },
  })
  expect(bulk.body).toMatchObject([{ status: 'error', error: [expect.stringContaining(path)] }])
  const previewed = await acme.send(
    'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { eventStatus } }',
    { input },
  )
  expect(previewed.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } })
  expect(JSON.stringify([userErrors, bulk.body, previewed])).not.toContain('secret-7')
})
