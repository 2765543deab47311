// The headers and variables by which the recipient of an email unsubscribes, at the mail server and in what is stored.
import { beforeEach, describe, expect, test } from 'vitest'
import { readMail, smtp } from '../../support/delivery/smtp.ts'
import { createWorkflow, done, trigger } from '../../support/delivery/story.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example' })
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

const step = (fields: object = {}) => ({
  email: {
    stepId: 'mail',
    subject: 'Order',
    body: '<p>Hello <a href="{{ unsubscribe.url }}">stop</a> <a href="{{ unsubscribe.preferencesUrl }}">all</a></p>',
    ...fields,
  },
})

async function useMailServer(more: object = {}, client = acme) {
  const server = await smtp()
  const credentials = { ...server.credentials, ...more }
  await done(client, 'createIntegration', { identifier: 'smtp', providerId: 'NODEMAILER', credentials })
  return server
}

async function sendMail(steps: readonly object[], more: object = {}, triggered: object = {}, settings: object = {}) {
  const server = await useMailServer(settings)
  await createWorkflow(acme, steps, more)
  const id = await trigger(acme, triggered)
  await world.work()
  const mail = server.received.at(-1)
  if (mail === undefined) throw new Error('no mail has arrived')
  const names = [...mail.message.matchAll(/^(List-Unsubscribe[\w-]*):/gim)].map(([, name]) => name)
  return { id, names, source: mail.message, ...readMail(mail) }
}

const token = /https:\/\/gateway\.example\/u\/([\w.-]+)/

test('An email to one recipient has both headers once, with the link of its body', async () => {
  const { headers, names, parts } = await sendMail([step()])
  expect(names).toEqual(['List-Unsubscribe', 'List-Unsubscribe-Post'])
  const link = token.exec(parts['text/html'] ?? '')?.[0]
  expect(headers.get('list-unsubscribe')).toBe(`<${link}>`)
  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  expect(parts['text/html']).toContain(link?.replace('/u/', '/p/'))
  expect(link?.length).toBeLessThan(512)
  expect(link).not.toMatch(/\/example$/)
})

test('What is stored, previewed and logged has an example in place of the token', async () => {
  const { id, parts } = await sendMail([step()])
  const [, secret = ''] = token.exec(parts['text/html'] ?? '') ?? []
  const fields = 'body email { headers { name value } html } emailSource'
  const { event } = await acme.ask(
    `query ($id: String!) { event(transactionId: $id) { runs(first: 1) { nodes { steps { deliveries { ${fields} } } } } } }`,
    { id },
  )
  const shown = JSON.stringify(event)
  expect(shown).not.toContain(secret)
  expect(shown).toMatch(/"name":"List-Unsubscribe","value":"<https:\/\/gateway\.example\/u\/example-[\w-]{22}>"/)
  expect(JSON.stringify(world.logged)).not.toContain(secret)
})

test('A setting of the integration adds an address', async () => {
  const { headers, source } = await sendMail([step()], {}, {}, { unsubscribeMailto: 'stop@example.com' })
  expect(headers.get('list-unsubscribe')).toMatch(/^<https:.*>, <mailto:stop@example\.com\?subject=unsubscribe>$/)
  // On one line: servers exist that sign a folded one wrong.
  expect(source).toMatch(/^List-Unsubscribe: <https:\S+>, <mailto:\S+>\r?$/m)
})

test.each([['cc'], ['bcc']])('An email with %s has neither header', async (field) => {
  const { names } = await sendMail([step({ [field]: ['copy@example.com'] })])
  expect(names).toEqual([])
})

test('A critical workflow has neither headers nor links', async () => {
  const { names, parts } = await sendMail([step()], { critical: true })
  expect(names).toEqual([])
  expect(parts['text/html']).not.toContain('gateway.example')
})

test('A workflow that turns unsubscribing off has neither headers nor links', async () => {
  const { names, parts } = await sendMail([step()], { unsubscribe: 'OFF' })
  expect(names).toEqual([])
  expect(parts['text/html']).not.toContain('gateway.example')
})

test('Text of the payload cannot send the token elsewhere', async () => {
  const url = 'https://evil.example/?https://gateway.example/u/example'
  const { parts } = await sendMail([step({ body: '<p>{{ payload.url }}</p>' })], {}, { payload: { url } })
  expect(parts['text/html']).toContain(url)
})

test('An override must not set the headers', async () => {
  await createWorkflow(acme, [step()])
  for (const overrides of [
    { email: { headers: { 'list-unsubscribe': '<https://example.com>' } } },
    { providers: { sendgrid: { headers: { 'List-unsubscribe': '<https://example.com>' } } } },
    { providers: { mailgun: { 'h:List-Unsubscribe': '<https://example.com>' } } },
    { providers: { postmark: { Headers: [{ Name: 'List-Unsubscribe', Value: '<https://example.com>' }] } } },
    { providers: { resend: { _passthrough: { body: { headers: { 'List-Unsubscribe-Post': 'x' } } } } } },
  ]) {
    const { status, body } = await acme.rest('POST /v1/events/trigger', {
      body: { name: 'order', to: 'ada', overrides },
    })
    expect({ status, body }).toMatchObject({ status: 422 })
  }
})

describe.each([[undefined], ['http://gateway.example']])('With the address %s', (baseUrl) => {
  const without = useWorld({ baseUrl })

  test('emails have empty links and no headers, and no link is created', async () => {
    const client = await without.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    const server = await useMailServer({}, client)
    await createWorkflow(client, [step()])
    await trigger(client)
    await without.work()
    const { headers, parts } = readMail(server.received[0] ?? { from: '', to: [], user: undefined, message: '' })
    expect(parts['text/html']).toContain('<a href="">stop</a> <a href="">all</a>')
    expect([...headers.keys()].filter((name) => name.startsWith('list-'))).toEqual([])
    const { userErrors } = await client.act('createPreferenceLink', { subscriberId: 'ada' })
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('set BASE_URL') }])
  })
})
