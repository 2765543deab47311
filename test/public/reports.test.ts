// Reports of providers, from a message that was sent to what people see of it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { outboundOf } from '../support/reports/outbound.ts'
import {
  byMailgun,
  byResend,
  bySendgrid,
  bySns,
  byTelnyx,
  byTwilio,
  mailgunKey,
  resendKey,
  sendgridKey,
  type SignedRequest,
  telnyxKey,
  topicArn,
  twilioToken,
} from '../support/reports/signed.ts'
import { providerFor } from '../../src/delivery/sending/provider-registry.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const BASE = 'https://gateway.example.com'
const world = useWorld({ baseUrl: BASE })
const receiver = useReceiver()
const start = new Date('2026-11-27T08:00:00Z')
let acme: Client
let url: string

beforeEach(async () => {
  world.setClock(start)
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})
afterEach(() => world.setClock(undefined))

const from = 'shop@example.com'

interface Sending {
  readonly providerId: string
  readonly credentials: object
  /** What the provider answers to a message, with headers. */
  readonly answer: readonly [status: number, body: unknown, headers?: Record<string, string>]
  readonly step?: object
}

const email = { email: { stepId: 'mail', subject: 'Shipped', body: 'On its way' } }

/** Sends Ada a message through a provider. @returns the row id of its delivery. */
async function send({ providerId, credentials, answer, step = email }: Sending): Promise<string> {
  receiver.answer(...answer)
  const given = { identifier: 'acme', providerId, credentials: { baseUrl: receiver.url, ...credentials } }
  const { integration } = await done(acme, 'createIntegration', given, 'integration { inboundWebhook { url problem } }')
  url = integration.inboundWebhook.url ?? ''
  await createWorkflow(acme, [step])
  await trigger(acme)
  await world.work()
  return deliveryId()
}

async function deliveryId(): Promise<string> {
  const { id } = await world.gateway.db.delivery.findFirstOrThrow({
    where: { integrationId: url.split('/').at(-1) ?? '' },
    orderBy: { createdAt: 'desc' },
  })
  return id
}

/** Posts a request to the URL of the integration. @returns the status. */
async function post({ body, headers = {} }: SignedRequest, to = url): Promise<number> {
  const response = await world.app.fetch(new Request(to, { method: 'POST', body, headers }))
  return response.status
}

const fields = `
  status providerMessageId
  receipt { state at detail }
  reports { kind at address detail code }`

async function shown() {
  const { deliveries } = await acme.ask<{ deliveries: { nodes: readonly Shown[] } }>(
    `{ deliveries(first: 1) { nodes { ${fields} } } }`,
  )
  const [node] = deliveries.nodes
  if (node === undefined) throw new Error('there is no delivery')
  return node
}

interface Shown {
  readonly providerMessageId: string | null
  readonly receipt: { readonly state: string; readonly at: string | null; readonly detail: string | null }
  readonly reports: readonly { readonly kind: string; readonly at: string; readonly detail: string | null }[]
}

const stored = () => world.gateway.db.deliveryReport.count()

/** Changes one byte of the body. */
const changed = ({ body, ...others }: SignedRequest): SignedRequest => ({
  ...others,
  body: body.replace('ada@example.com', 'adb@example.com').replace('%2B4915123456789', '%2B4915123456780'),
})

const sendgrid: Sending = {
  providerId: 'SENDGRID',
  credentials: { from, apiKey: 'SG.key', webhookSigningKey: sendgridKey },
  answer: [202, '', { 'x-message-id': 'filterdrecv-abc' }],
}
const mailgun: Sending = {
  providerId: 'MAILGUN',
  credentials: { from, apiKey: 'key', domain: 'mg.example.com', webhookSigningKey: mailgunKey },
  answer: [200, { id: '<20261127.1@mg.example.com>', message: 'Queued. Thank you.' }],
}
const resend: Sending = {
  providerId: 'RESEND',
  credentials: { from, apiKey: 're_key', webhookSigningKey: resendKey },
  answer: [200, { id: '56761188-7520-42d8-8898-ff6fc54ce618' }],
}
const postmark: Sending = {
  providerId: 'POSTMARK',
  credentials: { from, apiKey: 'pm' },
  answer: [200, { ErrorCode: 0, Message: 'OK', MessageID: '883953f4-6105-42a2-a16a-77a8eac79483' }],
}
const twilio: Sending = {
  providerId: 'TWILIO',
  credentials: { accountSid: 'AC1', token: twilioToken, from: '+15550001', statusReports: true },
  answer: [201, { sid: 'SM1234' }],
  step: { sms: { stepId: 'text', body: 'Shipped' } },
}

const telnyx: Sending = {
  providerId: 'TELNYX',
  credentials: { apiKey: 'KEY', from: '+15550001', webhookSigningKey: telnyxKey },
  answer: [200, { data: { id: 'ac012cbf-5e09-46af-a69a-7c0e2d90993c' } }],
  step: { sms: { stepId: 'text', body: 'Shipped' } },
}

/** The event of a hard bounce of each provider, as a function of the delivery. */
const bounces: Readonly<
  Record<string, { readonly sending: Sending; readonly request: (id?: string) => SignedRequest }>
> = {
  sendgrid: {
    sending: sendgrid,
    request: (id) =>
      bySendgrid(
        [
          {
            email: 'ada@example.com',
            event: 'bounce',
            type: 'bounce',
            timestamp: 1795766400,
            'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
            sg_event_id: '6g4ZI7SA-xmRDv57GoPIPw==',
            sg_message_id: 'filterdrecv-abc.filter0001.16648.5515E0B88.0',
            reason: '550 5.1.1 The email account that you tried to reach does not exist',
            status: '5.1.1',
            delivery_id: id,
          },
        ],
        start,
      ),
  },
  mailgun: {
    sending: mailgun,
    request: (id) =>
      byMailgun(
        {
          id: 'G9Bn5sl1TC6nu79C8C0bwg',
          timestamp: 1795766400,
          'log-level': 'error',
          event: 'failed',
          severity: 'permanent',
          reason: 'bounce',
          recipient: 'ada@example.com',
          message: { headers: { 'message-id': '20261127.1@mg.example.com', to: 'ada@example.com' } },
          'user-variables': { delivery_id: id },
          'delivery-status': {
            code: '5.1.1',
            message: '550 5.1.1 The email account that you tried to reach does not exist',
            description: '',
          },
        },
        start,
      ),
  },
  resend: {
    sending: resend,
    request: (id) =>
      byResend(
        {
          type: 'email.bounced',
          created_at: '2026-11-27T08:00:00.000Z',
          data: {
            email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
            from: 'Acme <shop@example.com>',
            to: ['ada@example.com'],
            subject: 'Shipped',
            bounce: {
              message: '550 5.1.1 The email account that you tried to reach does not exist',
              subType: 'General',
              type: 'Permanent',
            },
            tags: { delivery_id: id },
          },
        },
        start,
      ),
  },
  postmark: {
    sending: postmark,
    request: () => ({
      body: JSON.stringify({
        RecordType: 'Bounce',
        MessageStream: 'outbound',
        ID: 4323372036854776000,
        Type: 'HardBounce',
        TypeCode: 1,
        Name: 'Hard bounce',
        MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
        Metadata: {},
        Description: '550 5.1.1',
        Details: 'The email account that you tried to reach does not exist',
        Email: 'ada@example.com',
        From: 'shop@example.com',
        BouncedAt: '2026-11-27T08:00:00Z',
        Inactive: true,
      }),
    }),
  },
  twilio: {
    sending: twilio,
    request: (id) =>
      byTwilio(
        {
          AccountSid: 'AC1',
          MessageSid: 'SM1234',
          SmsSid: 'SM1234',
          MessageStatus: 'undelivered',
          SmsStatus: 'undelivered',
          ErrorCode: '30005',
          ErrorMessage: '550 5.1.1 The email account that you tried to reach does not exist',
          To: '+4915123456789',
          From: '+15550001',
          ApiVersion: '2010-04-01',
        },
        id === undefined ? url : `${url}?delivery=${id}`,
      ),
  },
}

describe.each(Object.entries(bounces))('%s', (provider, { sending, request }) => {
  /** The URL at which the provider reports. */
  async function reportUrl(id: string): Promise<string> {
    if (provider === 'twilio') return `${url}?delivery=${id}`
    if (provider !== 'postmark') return url
    const created = await done(acme, 'rotateInboundWebhookToken', { integrationIdentifier: 'acme' }, 'url token')
    return created.url
  }

  test('reports a bounce once, also if it arrives repeatedly', async () => {
    const id = await send(sending)
    const to = await reportUrl(id)
    const signed = request(id)
    expect(await post(signed, to)).toBe(200)
    const once = await shown()
    expect(once).toMatchObject({
      status: 'SENT',
      receipt: { state: 'BOUNCED', at: '2026-11-27T08:00:00.000Z' },
      reports: [{ kind: 'BOUNCED_HARD', address: null }],
    })
    expect(once.receipt.detail).toContain('does not exist')
    expect(once.providerMessageId).not.toBeNull()
    expect(await post(signed, to)).toBe(200)
    expect(await shown()).toEqual(once)
  })

  test('reports about the message by its own id of it', async () => {
    const id = await send(sending)
    const to = provider === 'twilio' ? url : await reportUrl(id)
    expect(await post(request(), to)).toBe(200)
    expect((await shown()).receipt.state).toBe('BOUNCED')
  })

  test('is rejected with another signature, and nothing is stored', async () => {
    const id = await send(sending)
    const to = await reportUrl(id)
    const before = await stored()
    // The signature of Mailgun and the token of Postmark do not cover the event.
    if (provider === 'postmark') expect(await post(request(id), `${to}x`)).toBe(401)
    else if (provider === 'mailgun') {
      const signed = request(id)
      expect(await post({ ...signed, body: signed.body.replace(/"token":"./, '"token":"x') }, to)).toBe(401)
    } else expect(await post(changed(request(id)), to)).toBe(401)
    expect(await stored()).toBe(before)
    expect((await shown()).receipt.state).toBe('UNKNOWN')
  })
})

describe('Telnyx', () => {
  const finalized = (status: string, errors: readonly object[] = []) =>
    byTelnyx(
      {
        data: {
          event_type: 'message.finalized',
          id: '4ee8c3a6-4995-4309-a3c6-38e3db9ea4be',
          occurred_at: '2026-11-27T08:00:00.000+00:00',
          payload: {
            completed_at: '2026-11-27T08:00:00.000+00:00',
            direction: 'outbound',
            errors,
            from: { carrier: 'Telnyx', line_type: 'Wireless', phone_number: '+15550001' },
            id: 'ac012cbf-5e09-46af-a69a-7c0e2d90993c',
            record_type: 'message',
            text: 'Shipped',
            to: [{ carrier: '', line_type: 'Wireless', phone_number: '+4915123456789', status }],
            type: 'SMS',
          },
          record_type: 'event',
        },
        meta: { attempt: 1, delivered_to: url },
      },
      start,
    )

  test.each([
    ['delivered', [], { state: 'DELIVERED', detail: null }],
    [
      'delivery_failed',
      [{ code: '40001', title: 'Not routable', detail: 'No route.' }],
      { state: 'BOUNCED', detail: 'No route.' },
    ],
    ['delivery_unconfirmed', [], { state: 'UNKNOWN', detail: null }],
  ])('reports that a message is %s', async (status, errors, receipt) => {
    await send(telnyx)
    expect(await post(finalized(status, errors))).toBe(200)
    expect((await shown()).receipt).toMatchObject(receipt)
  })

  test('is rejected with a changed body, or five minutes later, and nothing is stored', async () => {
    await send(telnyx)
    const before = await stored()
    const signed = finalized('delivered')
    expect(await post({ ...signed, body: signed.body.replace('4915123456789', '4915123456780') })).toBe(401)
    world.setClock(new Date(start.getTime() + 301_000))
    expect(await post(signed)).toBe(401)
    expect(await stored()).toBe(before)
  })
})

describe('SES', () => {
  const ses = { providerId: 'NODEMAILER', credentials: { from, host: '127.0.0.1', port: 1, sesTopicArn: topicArn } }
  const confirm = {
    Type: 'SubscriptionConfirmation',
    Token: '2336412f37',
    SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37',
  }
  const bounce = (id: string) => ({
    eventType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [
        {
          emailAddress: 'ada@example.com',
          action: 'failed',
          status: '5.1.1',
          diagnosticCode: 'smtp; 550 5.1.1 unknown',
        },
      ],
      timestamp: '2026-11-27T08:00:00.000Z',
      feedbackId: '01000157c44f053b-000000',
    },
    mail: {
      timestamp: '2026-11-27T07:59:00.000Z',
      messageId: 'EXAMPLE7c191be45-e9aedb9a-000000',
      destination: ['ada@example.com'],
      tags: { 'ses:configuration-set': ['acme'], delivery_id: [id] },
    },
  })
  let fetched: readonly string[]

  /** Creates the integration, and answers in place of SNS. */
  async function prepare(by: Sending = { ...ses, answer: [200, ''] }): Promise<string> {
    const id = await send(by)
    const { outbound, urls } = outboundOf()
    fetched = urls
    const { receiver: reports } = providerFor(by.providerId === 'SES' ? 'ses' : 'nodemailer') ?? {}
    Object.assign(world.gateway.providers, {
      receiveReports: (
        { environmentId, credentials }: Parameters<typeof world.gateway.providers.receiveReports>[0],
        request: Parameters<typeof world.gateway.providers.receiveReports>[1],
      ) => reports?.receive({ environmentId, credentials, request, outbound }),
    })
    return id
  }
  const { receiveReports } = { receiveReports: () => world.gateway.providers.receiveReports }
  let original: ReturnType<typeof receiveReports>
  beforeEach(() => {
    original = receiveReports()
  })
  afterEach(() => {
    Object.assign(world.gateway.providers, { receiveReports: original })
  })

  test('reports about a message that was sent by its API, by the id of its answer', async () => {
    const account = { apiKey: 'AKIDEXAMPLE', secretKey: 'secret', region: 'eu-central-1', sesTopicArn: topicArn }
    await prepare({
      ...{ providerId: 'SES', credentials: { from, ...account } },
      answer: [200, { MessageId: 'EXAMPLE7c191be45-e9aedb9a-000000' }],
    })
    const { mail, ...others } = bounce('')
    expect(await post(bySns({ ...others, mail: { ...mail, tags: {} } }))).toBe(200)
    expect(await shown()).toMatchObject({ receipt: { state: 'BOUNCED' }, reports: [{ kind: 'BOUNCED_HARD' }] })
  })

  test.each(['1', '2'])('reports a bounce once, with signatures of version %s', async (SignatureVersion) => {
    const id = await prepare()
    const signed = bySns(bounce(id), { SignatureVersion })
    expect(await post(signed)).toBe(200)
    expect(await post(signed)).toBe(200)
    expect(await shown()).toMatchObject({
      receipt: { state: 'BOUNCED', detail: 'smtp; 550 5.1.1 unknown' },
      reports: [{ kind: 'BOUNCED_HARD', code: '5.1.1' }],
    })
    // The certificate is kept.
    expect(fetched).toHaveLength(1)
  })

  test('is rejected with one changed byte', async () => {
    const id = await prepare()
    expect(await post(changed(bySns(bounce(id))))).toBe(401)
    expect((await shown()).reports).toEqual([])
  })

  test('confirms the subscription of the topic once', async () => {
    await prepare()
    expect(await post(bySns('You have chosen to subscribe', confirm))).toBe(200)
    expect(await post(bySns('You have chosen to subscribe', confirm))).toBe(200)
    expect(fetched).toEqual([expect.stringContaining('.pem'), confirm.SubscribeURL])
  })

  test.each([
    ['another topic', { TopicArn: `${topicArn}-2` }],
    ['a certificate elsewhere', { SigningCertURL: 'https://sns.eu-central-1.amazonaws.com.example.com/a.pem' }],
    ['a certificate without TLS', { SigningCertURL: 'http://sns.eu-central-1.amazonaws.com/a.pem' }],
    ['a certificate at another port', { SigningCertURL: 'https://sns.eu-central-1.amazonaws.com:8443/a.pem' }],
    ['a certificate at a private address', { SigningCertURL: 'https://169.254.169.254/a.pem' }],
    ['a certificate with a user', { SigningCertURL: 'https://sns.eu-central-1.amazonaws.com@example.com/a.pem' }],
    ['something that is no certificate', { SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/a.txt' }],
    ['an unknown version', { SignatureVersion: '3' }],
  ])('is rejected with %s, without a request', async (_name, more) => {
    await prepare()
    expect(await post(bySns('{}', { ...confirm, ...more }))).toBe(401)
    expect(fetched).toEqual([])
  })

  test('confirms no subscription elsewhere', async () => {
    await prepare()
    expect(await post(bySns('', { ...confirm, SubscribeURL: 'https://example.com/?Token=1' }))).toBe(401)
    expect(fetched).toEqual([expect.stringContaining('.pem')])
  })
})

describe('a report', () => {
  const event = (id: string, more: object) => ({
    email: 'ada@example.com',
    sg_event_id: JSON.stringify(more),
    delivery_id: id,
    ...more,
  })
  const at = (minute: number) => start.getTime() / 1000 + minute * 60

  test.each([
    [['delivered', 'spamreport'], 'COMPLAINED'],
    [['spamreport', 'bounce', 'delivered', 'deferred'], 'COMPLAINED'],
    [['bounce', 'delivered'], 'BOUNCED'],
    [['delivered', 'deferred'], 'DELIVERED'],
    [['deferred', 'processed'], 'DEFERRED'],
    [['processed'], 'UNKNOWN'],
    [['open', 'click', 'something_new'], 'UNKNOWN'],
  ])('of %s leads to %s in any order', async (kinds, state) => {
    const id = await send(sendgrid)
    for (const [minute, kind] of kinds.entries()) {
      expect(await post(bySendgrid([event(id, { event: kind, timestamp: at(minute) })], start))).toBe(200)
    }
    expect((await shown()).receipt.state).toBe(state)
  })

  test('is found by its state, and shows on an open page', async () => {
    const id = await send(sendgrid)
    const page = await acme.follow('subscription { deliveriesChanged { deliveries { receipt { state } } } }')
    await page.next()
    world.setClock(new Date(start.getTime() + 5_000))
    await post(bySendgrid([event(id, { event: 'delivered', timestamp: at(0) })], start))
    const { deliveries: found } = await acme.ask('{ deliveries(filter: { receipt: DELIVERED }) { nodes { channel } } }')
    expect(found.nodes).toHaveLength(1)
    const { deliveries: others } = await acme.ask(
      '{ deliveries(filter: { receipts: [UNKNOWN, BOUNCED] }) { nodes { channel } } }',
    )
    expect(others.nodes).toEqual([])
    await world.look()
    expect(await page.next()).toMatchObject({ data: { deliveriesChanged: {} } })
    await page.leave()
  })

  test('about a copy is listed with its address, and leaves the receipt', async () => {
    const step = { email: { ...email.email, cc: ['boss@example.com'] } }
    const id = await send({ ...sendgrid, step })
    await post(bySendgrid([event(id, { event: 'bounce', email: 'boss@example.com', timestamp: at(0) })], start))
    expect(await shown()).toMatchObject({
      receipt: { state: 'UNKNOWN' },
      reports: [{ kind: 'BOUNCED_HARD', address: 'boss@example.com' }],
    })
  })

  test('about a message of another environment or integration has no effect', async () => {
    const id = await send(sendgrid)
    const globex = await world.environment()
    const others = { identifier: 'other', providerId: 'SENDGRID', credentials: sendgrid.credentials }
    for (const client of [globex, acme]) {
      const { integration } = await done(client, 'createIntegration', others, 'integration { inboundWebhook { url } }')
      const to = integration.inboundWebhook.url ?? ''
      expect(await post(bySendgrid([event(id, { event: 'bounce', timestamp: at(0) })], start), to)).toBe(200)
    }
    expect((await shown()).reports).toEqual([])
    expect(await world.metrics.print()).toMatch(/unknown_reports_total\{provider="sendgrid"\} [2-9]/)
  })

  test('is stored although its texts could not be', async () => {
    const id = await send(sendgrid)
    const odd = { event: 'bounce', timestamp: 1e15, reason: `\0\ud800${'x'.repeat(10_000)}`, status: '\0' }
    expect(await post(bySendgrid([event(id, odd)], start))).toBe(200)
    const { reports } = await shown()
    expect(reports).toMatchObject([{ kind: 'BOUNCED_HARD', at: start.toISOString() }])
    expect(reports[0]?.detail).toHaveLength(500)
  })

  test('of a thousand takes a statement for each 250', async () => {
    const id = await send(sendgrid)
    const events = Array.from({ length: 1_000 }, (_, index) =>
      event(id, { event: 'deferred', timestamp: at(index), sg_event_id: `event-${index}` }),
    )
    await post(bySendgrid([event(id, { event: 'processed', timestamp: at(0) })], start))
    const statements = await statementsOf(() => post(bySendgrid(events, start)))
    expect(statements.filter((text) => text.includes('delivery-report.addReports'))).toHaveLength(4)
    expect(statements.length).toBeLessThanOrEqual(5)
  })

  test('counts in the health of deliveries', async () => {
    const id = await send(sendgrid)
    await post(bySendgrid([event(id, { event: 'bounce', timestamp: at(0) })], start))
    await post(bySendgrid([event(id, { event: 'spamreport', timestamp: at(0) })], start))
    const { deliveryHealth } = await acme.ask(
      '{ deliveryHealth { receipts { integrationIdentifier sent bounced complained bounceRate complaintRate } } }',
    )
    expect(deliveryHealth.receipts).toEqual([
      { integrationIdentifier: 'acme', sent: 1, bounced: 1, complained: 1, bounceRate: 1, complaintRate: 1 },
    ])
  })
})

describe('a request', () => {
  const delivered = (id: string) => ({
    email: 'ada@example.com',
    event: 'delivered',
    sg_event_id: 'e1',
    delivery_id: id,
  })

  test('is answered with what is wrong, and nothing is stored', async () => {
    const id = await send(sendgrid)
    const before = await stored()
    const signed = bySendgrid([delivered(id)], start)
    expect(await post({ ...signed, headers: {} })).toBe(401)
    expect(
      await post({ ...signed, headers: { ...signed.headers, 'x-twilio-email-event-webhook-signature': '%' } }),
    ).toBe(401)
    expect(await post(bySendgrid([{ ...delivered(id), reason: 'x'.repeat(6_000_000) }], start))).toBe(413)
    expect(await post(bySendgrid('not a list', start))).toBe(400)
    expect(await post(bySendgrid({ event: 'delivered' }, start))).toBe(400)
    expect(await post(signed, url.replace(/[^/]+$/, 'unknown'))).toBe(404)
    expect(await post(signed, url.replace(/[\da-f-]+(?=\/[^/]+$)/, 'unknown'))).toBe(404)
    expect(await stored()).toBe(before)
  })

  test('may name the environment and the integration by their identifiers', async () => {
    const id = await send(sendgrid)
    const { environment } = await acme.ask('{ environment { identifier } }')
    const to = `${BASE}/v2/inbound-webhooks/delivery-providers/${environment.identifier}/acme`
    expect(await post(bySendgrid([delivered(id)], start), to)).toBe(200)
    expect((await shown()).receipt.state).toBe('DELIVERED')
  })

  test('to an integration whose provider sends no reports is not found', async () => {
    await done(acme, 'createIntegration', { identifier: 'hook', providerId: 'EMAIL_WEBHOOK' })
    const { environment } = await acme.ask('{ environment { identifier } }')
    const to = `${BASE}/v2/inbound-webhooks/delivery-providers/${environment.identifier}/hook`
    expect(await post({ body: '{}' }, to)).toBe(404)
  })

  test('with a used token of Mailgun has no effect, and is too old after 15 minutes', async () => {
    const id = await send(mailgun)
    const event = (kind: string) => ({
      id: `e-${kind}`,
      event: kind,
      recipient: 'ada@example.com',
      'user-variables': { delivery_id: id },
    })
    const token = 'a'.repeat(50)
    expect(await post(byMailgun(event('delivered'), start, token))).toBe(200)
    expect(await post(byMailgun(event('complained'), start, token))).toBe(200)
    expect((await shown()).reports).toMatchObject([{ kind: 'DELIVERED' }])
    expect(await post(byMailgun(event('complained'), new Date(start.getTime() - 16 * 60_000)))).toBe(401)
    expect(await post(byMailgun(event('complained'), new Date(start.getTime() + 16 * 60_000)))).toBe(401)
    expect(await post({ body: 'not JSON' })).toBe(400)
    expect((await shown()).receipt.state).toBe('DELIVERED')
  })

  test('of Resend is too old after 5 minutes', async () => {
    await send(resend)
    const event = { type: 'email.delivered', data: { email_id: '56761188-7520-42d8-8898-ff6fc54ce618' } }
    expect(await post(byResend(event, new Date(start.getTime() - 6 * 60_000)))).toBe(401)
    expect(await post(byResend(event, new Date(start.getTime() - 4 * 60_000)))).toBe(200)
    expect((await shown()).receipt.state).toBe('DELIVERED')
  })

  test('of Twilio is verified with the port of its scheme, too', async () => {
    const id = await send(twilio)
    const form = { MessageSid: 'SM1234', MessageStatus: 'delivered', To: '+4915123456789' }
    const withPort = `${url.replace('gateway.example.com', 'gateway.example.com:443')}?delivery=${id}`
    expect(await post(byTwilio(form, withPort), `${url}?delivery=${id}`)).toBe(200)
    // The gateway has another host behind a proxy.
    const behind = `${url.replace(BASE, 'http://10.0.0.7:3000')}?delivery=${id}`
    expect(await post(byTwilio(form, `${url}?delivery=${id}`), behind)).toBe(200)
    expect((await shown()).receipt.state).toBe('DELIVERED')
  })

  test('is rejected over 200 requests in a second', async () => {
    await send(sendgrid)
    const statuses = await Promise.all(Array.from({ length: 210 }, () => post({ body: '[]' })))
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  })

  test('leaves no secret in the log', async () => {
    const id = await send(postmark)
    const { url: to, token } = await done(
      acme,
      'rotateInboundWebhookToken',
      { integrationIdentifier: 'acme' },
      'url token',
    )
    await post({ body: '{}' }, to)
    await post(bySendgrid([delivered(id)], start), to)
    expect(JSON.stringify(world.logged)).not.toContain(token)
  })
})

describe('the inbound webhook of an integration', () => {
  const read = async () => {
    const { integration } = await acme.ask(
      '{ integration(identifier: "acme") { inboundWebhook { url needsToken isVerified lastReportAt problem } } }',
    )
    return integration.inboundWebhook
  }

  test('says what is missing, and whether a report has arrived', async () => {
    const id = await send({ ...sendgrid, credentials: { from, apiKey: 'SG.key' } })
    expect(await read()).toMatchObject({ isVerified: false, problem: 'The setting webhookSigningKey is missing.' })
    const credentialChanges = { webhookSigningKey: sendgridKey }
    await done(acme, 'updateIntegration', { currentIdentifier: 'acme', credentialChanges })
    expect(await read()).toMatchObject({ url, needsToken: false, problem: null })
    await post(bySendgrid([{ event: 'delivered', sg_event_id: '1', delivery_id: id }], start))
    expect(await read()).toMatchObject({ isVerified: true, lastReportAt: start.toISOString() })
    const { integration } = await acme.ask('{ integration(identifier: "acme") { settings { name isSet value } } }')
    expect(integration.settings).toContainEqual({ name: 'webhookSigningKey', isSet: true, value: null })
  })

  test('has a token that can be replaced', async () => {
    await send(postmark)
    expect(await read()).toMatchObject({ needsToken: true, problem: 'The URL has no token: create one.' })
    const rotate = () => done(acme, 'rotateInboundWebhookToken', { integrationIdentifier: 'acme' }, 'url token')
    const first = await rotate()
    const second = await rotate()
    expect(Buffer.from(second.token, 'base64url')).toHaveLength(32)
    expect(await post({ body: '{"RecordType":"Delivery"}' }, first.url)).toBe(401)
    expect(await post({ body: '{"RecordType":"Delivery"}' }, second.url)).toBe(200)
    const authorization = `Basic ${Buffer.from(`postmark:${second.token}`).toString('base64')}`
    expect(await post({ body: '{"RecordType":"Delivery"}', headers: { authorization } })).toBe(200)
    expect(JSON.stringify(await world.gateway.db.inboundWebhook.findMany())).not.toContain(second.token)
    expect((await read()).problem).toBeNull()
  })

  test('has no token if the provider signs its reports', async () => {
    await send(sendgrid)
    const { userErrors } = await acme.act('rotateInboundWebhookToken', { integrationIdentifier: 'acme' })
    expect(userErrors).toMatchObject([
      { code: 'BAD_USER_INPUT', message: expect.stringContaining('signs its reports') },
    ])
  })
})
