// Overrides of a trigger: what receivers get of them, which ones win, and which are named as unused.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { readMail, smtp } from '../support/delivery/smtp.ts'
import { createWorkflow, done, feedOf, outcomes, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const email = { email: { stepId: 'mail', subject: 'Order', body: 'Shipped' } }
const sms = { sms: { stepId: 'text', body: 'Shipped' } }
const push = { push: { stepId: 'phone', subject: 'Order', body: 'Shipped' } }

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

const integrate = (providerId: string, credentials: object, more: object = {}) =>
  done(acme, 'createIntegration', {
    identifier: providerId.toLowerCase(),
    providerId,
    credentials: { baseUrl: receiver.url, ...credentials },
    ...more,
  })

const useSendgrid = (more?: object) => integrate('SENDGRID', { apiKey: 'key-123', from: 'orders@example.com' }, more)
const useTwilio = () => integrate('TWILIO', { accountSid: 'AC1', token: 'token-123', from: '+4930111111' })

async function useExpo() {
  await integrate('EXPO', {})
  await acme.rest('PUT /v1/subscribers/ada/credentials', {
    body: { providerId: 'expo', credentials: { deviceTokens: ['ExponentPushToken[1]'] } },
  })
}

/** Triggers with these overrides. @returns the last request to the provider. */
async function requestWith(overrides: object) {
  const transactionId = await trigger(acme, { overrides })
  await world.work()
  const request = receiver.received.at(-1)
  if (request === undefined) throw new Error(`no request: ${JSON.stringify(await outcomes(acme, transactionId))}`)
  return request
}

const jsonWith = async (overrides: object) => JSON.parse((await requestWith(overrides)).body)

const notesOf = async (overrides: object) => {
  const transactionId = await trigger(acme, { overrides })
  await world.work()
  const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { notes } }', {
    id: transactionId,
  })
  const { body } = await acme.rest(`GET /v1/events/${transactionId}`)
  expect(body.notes ?? []).toEqual(event.notes)
  return event.notes
}

describe('the request of a receiver', () => {
  test('has the fields of `email`', async () => {
    await useSendgrid()
    await createWorkflow(acme, [{ email: { ...email.email, headers: [{ name: 'X-Order', value: '7' }] } }])
    const body = await jsonWith({
      email: {
        ...{ to: ['bob@example.com'], cc: 'Carol <carol@example.com>', bcc: ['dan@example.com'] },
        ...{ replyTo: 'help@example.com', from: 'Shop <shop@example.com>', subject: 'Your order', text: 'Plain' },
        headers: { 'x-order': '8', 'X-Campaign': 'spring' },
      },
    })
    expect(body).toMatchObject({
      from: { email: 'shop@example.com', name: 'Shop' },
      personalizations: [
        {
          to: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }],
          cc: [{ email: 'carol@example.com', name: 'Carol' }],
          bcc: [{ email: 'dan@example.com' }],
        },
      ],
      reply_to_list: [{ email: 'help@example.com' }],
      headers: { 'x-order': '8', 'X-Campaign': 'spring' },
      subject: 'Your order',
      content: [
        { type: 'text/plain', value: 'Plain' },
        { type: 'text/html', value: 'Shipped' },
      ],
    })
  })

  test('has other recipients with `email.replaceToRecipient`, even if the subscriber has no address', async () => {
    await useSendgrid()
    await createWorkflow(acme, [email])
    await done(acme, 'updateSubscriber', { subscriberId: 'ada', email: null })
    const { personalizations } = await jsonWith({ email: { to: ['bob@example.com'], replaceToRecipient: true } })
    expect(personalizations).toEqual([{ to: [{ email: 'bob@example.com' }] }])
    const { deliveries } = await acme.ask('{ deliveries { nodes { destination email { to } } } }')
    expect(deliveries.nodes).toEqual([{ destination: 'bob@example.com', email: { to: ['bob@example.com'] } }])
  })

  test('has the fields of `sms`', async () => {
    await useTwilio()
    await createWorkflow(acme, [sms])
    const { body } = await requestWith({
      sms: { from: '+4930222222', to: '+4915100000000', content: 'Gone', StatusCallback: 'https://example.com/s' },
    })
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      ...{ From: '+4930222222', To: '+4915100000000', Body: 'Gone', StatusCallback: 'https://example.com/s' },
    })
    const { deliveries } = await acme.ask('{ deliveries { nodes { destination body } } }')
    expect(deliveries.nodes).toEqual([{ destination: '+4915100000000', body: 'Gone' }])
  })

  test('has the fields of `push`, and those of its provider', async () => {
    await useExpo()
    await createWorkflow(acme, [push])
    const body = await jsonWith({ push: { sound: 'default', badge: 1 }, providers: { expo: { badge: 2 } } })
    expect(body).toMatchObject({ title: 'Order', body: 'Shipped', sound: 'default', badge: 2 })
    const { deliveries } = await acme.ask('{ deliveries { nodes { overrides } } }')
    expect(deliveries.nodes).toEqual([{ overrides: { sound: 'default', badge: 2 } }])
  })

  test('has the fields of `chat`', async () => {
    await done(acme, 'createIntegration', { identifier: 'discord', providerId: 'DISCORD', credentials: {} })
    await acme.rest('PUT /v1/subscribers/ada/credentials', {
      body: { providerId: 'discord', credentials: { webhookUrl: receiver.url } },
    })
    await createWorkflow(acme, [{ chat: { stepId: 'chat', body: 'Shipped' } }])
    expect(await jsonWith({ chat: { username: 'Orders' } })).toEqual({ content: 'Shipped', username: 'Orders' })
  })

  test('has each later form in place of the earlier ones: objects merge, lists and values replace', async () => {
    await useSendgrid()
    await createWorkflow(acme, [{ email: { ...email.email, replyTo: ['step@example.com'] } }])
    const forms = [
      ['the step', {}, 'Order', undefined],
      ['email', { email: { subject: 'email' } }, 'email', undefined],
      ['<providerId>', { sendgrid: { subject: 'older', custom_args: { a: 1 }, categories: ['a', 'b'] } }, 'older', {}],
      ['providers', { providers: { sendgrid: { subject: 'provider', custom_args: { b: 2 } } } }, 'provider', {}],
      [
        'steps',
        { steps: { mail: { providers: { sendgrid: { subject: 'step', categories: ['c'] } } } } },
        'step',
        { custom_args: { a: 1, b: 2 }, categories: ['c'] },
      ],
    ] as const
    let overrides = {}
    for (const [form, more, subject, others] of forms) {
      overrides = { ...more, ...overrides }
      expect({ form, ...(await jsonWith(overrides)) }).toMatchObject({ form, subject, ...others })
    }
  })

  test('has what passes through after the code of the provider', async () => {
    await useSendgrid()
    await createWorkflow(acme, [email])
    const { body, headers, path } = await requestWith({
      providers: {
        sendgrid: {
          subject: 'First',
          _passthrough: { body: { subject: 'Last' }, headers: { 'X-Tag': 'spring' }, query: { dry: true } },
        },
      },
    })
    expect(JSON.parse(body)).toMatchObject({ subject: 'Last' })
    expect(headers).toMatchObject({ 'x-tag': 'spring', authorization: 'Bearer key-123' })
    expect(path).toBe('/v3/mail/send?dry=true')
  })

  test('has the severity of the trigger', async () => {
    await done(acme, 'createIntegration', {
      identifier: 'hook',
      providerId: 'EMAIL_WEBHOOK',
      credentials: { webhookUrl: receiver.url },
    })
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'Hi' } }, email])
    expect((await jsonWith({ severity: 'high' })).workflow.severity).toBe('high')
    expect(await feedOf(acme)).toMatchObject([{ severity: 'high' }])
  })

  test('does not have an override of another provider or step', async () => {
    await useSendgrid()
    await createWorkflow(acme, [email])
    const body = await jsonWith({
      providers: { mailgun: { subject: 'Mailgun' } },
      steps: { other: { providers: { sendgrid: { subject: 'Other' } } } },
    })
    expect(body).toMatchObject({ subject: 'Order' })
  })
})

test('an email by SMTP has the fields of its provider, as the preview and the log show them', async () => {
  const server = await smtp()
  await integrate('NODEMAILER', server.credentials)
  await createWorkflow(acme, [email])
  const overrides = {
    email: { subject: 'email', cc: ['carol@example.com'], to: ['bob@example.com'] },
    nodemailer: { subject: 'SMTP', headers: { 'X-Order': '7' } },
    steps: { mail: { providers: { nodemailer: { replyTo: ['help@example.com'] } } } },
  }
  const fields = 'subject email { to cc replyTo headers { name value } }'
  const { previewTrigger } = await acme.ask(
    `query ($overrides: JSONObject) {
      previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }], overrides: $overrides }) {
        notes runs { steps { messages { error ${fields} } } }
      }
    }`,
    { overrides },
  )
  const shown = {
    subject: 'SMTP',
    email: {
      ...{ to: ['ada@example.com', 'bob@example.com'], cc: ['carol@example.com'], replyTo: ['help@example.com'] },
      headers: [{ name: 'X-Order', value: '7' }],
    },
  }
  expect(previewTrigger).toEqual({ notes: [], runs: [{ steps: [{ messages: [{ error: null, ...shown }] }] }] })
  await trigger(acme, { overrides })
  await world.work()
  expect((await acme.ask(`{ deliveries { nodes { ${fields} } } }`)).deliveries.nodes).toEqual([shown])
  const [mail] = server.received
  if (mail === undefined) throw new Error('no mail has arrived')
  const { headers } = readMail(mail)
  expect(Object.fromEntries(headers)).toMatchObject({
    ...{ subject: 'SMTP', to: 'ada@example.com, bob@example.com', cc: 'carol@example.com' },
    ...{ 'reply-to': 'help@example.com', 'x-order': '7' },
  })
})

describe('overrides of SMTP', () => {
  const overrides = { nodemailer: { subject: 'SMTP' } }

  test('are sent by a fallback through SMTP, and not by the provider before it', async () => {
    const server = await smtp()
    await useSendgrid()
    await integrate('NODEMAILER', server.credentials, { isFallback: true })
    await createWorkflow(acme, [email])
    receiver.answer(401)
    const transactionId = await trigger(acme, { overrides })
    await world.work()
    expect(receiver.received.map(({ body }) => JSON.parse(body).subject)).toEqual(['Order'])
    expect(server.received.map((mail) => readMail(mail).headers.get('subject'))).toEqual(['SMTP'])
    expect(
      await acme.ask('query ($id: String!) { event(transactionId: $id) { notes } deliveries { nodes { subject } } }', {
        id: transactionId,
      }),
    ).toEqual({ event: { notes: [] }, deliveries: { nodes: [{ subject: 'SMTP' }] } })
  })

  test('are not sent by a fallback through another provider', async () => {
    const server = await smtp()
    await integrate('NODEMAILER', { ...server.credentials, user: 'shop', password: 'wrong' })
    await useSendgrid({ isFallback: true })
    await createWorkflow(acme, [email])
    expect(await jsonWith(overrides)).toMatchObject({ subject: 'Order' })
    expect((await acme.ask('{ deliveries { nodes { subject providerId } } }')).deliveries.nodes).toEqual([
      { subject: 'Order', providerId: 'SENDGRID' },
    ])
  })
})

test('an email with a secret field has the overrides of SMTP', async () => {
  const server = await smtp()
  await integrate('NODEMAILER', server.credentials)
  const payloadSchema = { type: 'object', properties: { code: { type: 'string', writeOnly: true } } }
  await createWorkflow(acme, [{ email: { ...email.email, body: 'Code {{payload.code}}' } }], { payloadSchema })
  await trigger(acme, { payload: { code: '4711' }, overrides: { nodemailer: { subject: 'SMTP' } } })
  await world.work()
  const [message] = server.received.map(readMail)
  expect([message?.headers.get('subject'), ...Object.values(message?.parts ?? {})]).toEqual(['SMTP', 'Code 4711'])
})

test('a later email can refer to the message id of an earlier one', async () => {
  const server = await smtp()
  await integrate('NODEMAILER', server.credentials)
  const headers = [{ name: 'In-Reply-To', value: '{{steps.mail.messageId}}' }]
  await createWorkflow(acme, [email, { email: { ...email.email, stepId: 'reply', headers } }])
  await trigger(acme)
  await world.work()
  const mails = server.received.map((mail) => readMail(mail).headers)
  const reply = mails.find((mail) => mail.has('in-reply-to'))
  const first = mails.find((mail) => mail !== reply)
  expect(reply?.get('in-reply-to')).toMatch(/^<[\w-]+@.+>$/)
  expect(reply?.get('in-reply-to')).toBe(first?.get('message-id'))
})

test('an override that no step could use is named on the event, at both doors', async () => {
  await useSendgrid()
  await createWorkflow(acme, [email])
  expect(
    await notesOf({
      email: { subject: 'Used', customData: {} },
      sms: { content: 'Hi' },
      mailgun: { 'o:tag': 'a' },
      providers: { sendgrid: { categories: ['a'] }, novel: {} },
      steps: { mail: { layoutId: 'plain' }, other: { providers: { sendgrid: { subject: 'a' } } } },
      layoutIdentifier: 'plain',
      channels: { email: { layoutId: 'plain' } },
      severity: 'low',
      tenant: {},
    }),
  ).toEqual([
    'overrides.channels.email.layoutId was not used: the gateway has no layouts.',
    'overrides.email.customData was not used: the gateway does not know it.',
    'overrides.layoutIdentifier was not used: the gateway has no layouts.',
    'overrides.mailgun was not used: no step sent a message through Mailgun.',
    'overrides.providers.novel was not used: the gateway does not know the provider.',
    'overrides.sms was not used: no step sent a message through the SMS channel.',
    'overrides.steps.mail.layoutId was not used: the gateway has no layouts.',
    'overrides.steps.other.providers.sendgrid was not used: the step "other" has not sent a message through SendGrid.',
    'overrides.tenant was not used: the gateway does not know it.',
  ])
  expect(await notesOf({ email: { subject: 'Used' } })).toEqual([])
})

test('an email with more than 50 addresses after the overrides fails', async () => {
  await useSendgrid()
  const addresses = (name: string) => Array.from({ length: 25 }, (_, index) => `${name}${index}@example.com`)
  await createWorkflow(acme, [{ email: { ...email.email, cc: addresses('cc') } }])
  const id = await trigger(acme, { overrides: { email: { to: addresses('to') } } })
  await world.work()
  expect(await outcomes(acme, id)).toEqual({ mail: 'FAILED content' })
})

test('a passed header never replaces one of the integration, and the delivery says so', async () => {
  await done(acme, 'createIntegration', {
    identifier: 'hook',
    providerId: 'EMAIL_WEBHOOK',
    credentials: { webhookUrl: receiver.url, apiKeyRequestHeader: 'X-Own', apiKey: 'secret-1' },
  })
  await createWorkflow(acme, [email])
  await trigger(acme, {
    overrides: { providers: { 'email-webhook': { _passthrough: { headers: { 'x-own': 'a' } } } } },
  })
  await world.work()
  expect(receiver.received).toEqual([])
  const { deliveries } = await acme.ask('{ deliveries { nodes { status attempts { error } } } }')
  expect(deliveries.nodes).toEqual([
    {
      status: 'FAILED',
      attempts: [{ error: 'The override of the header "x-own" cannot be sent: the integration sets it' }],
    },
  ])
})
