// The HTTP request that each third-party provider receives, and which of its responses are failures.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { providerFor, providers } from '../../../src/delivery/sending/provider-registry.ts'
import { kindOf, type ProviderId, providerIds } from '../../../src/domain/channel/provider-id.ts'
import type { Message } from '../../../src/engine/message.ts'
import type { JsonObject } from '../../../src/lib/validation.ts'
import {
  ada,
  deliver,
  deliveryId,
  failureOf,
  toDevice,
  toEmail,
  toEndpoint,
  toPhone,
} from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const receiver = useReceiver()

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
const form = (body: string) => Object.fromEntries(new URLSearchParams(body))

const html = '<h1>Shipped</h1><p>Your order is <a href="https://example.com/1">on its way</a>.</p>'
const text = 'Shipped\n\nYour order is on its way (https://example.com/1).'
const email = { target: toEmail, content: { subject: 'Shipped', body: html } }
const from = { from: 'shop@example.com', senderName: 'The "Shop"' }
const line = 'Shipped\nYour order is on its way.'

interface Sent {
  readonly provider: ProviderId
  readonly message: Partial<Message>
  readonly credentials: JsonObject
  readonly path: string
  readonly headers?: Record<string, string>
  readonly json?: object
  readonly form?: object
}

const sent: readonly Sent[] = [
  {
    provider: 'sendgrid',
    message: email,
    credentials: { ...from, apiKey: 'SG.key' },
    path: '/v3/mail/send',
    headers: { authorization: 'Bearer SG.key' },
    json: {
      from: { email: 'shop@example.com', name: 'The "Shop"' },
      personalizations: [{ to: [{ email: 'ada@example.com' }] }],
      subject: 'Shipped',
      content: [
        { type: 'text/plain', value: text },
        { type: 'text/html', value: html },
      ],
    },
  },
  {
    provider: 'resend',
    message: email,
    credentials: { ...from, apiKey: 're_key' },
    path: '/emails',
    headers: { authorization: 'Bearer re_key' },
    json: { from: '"The \\"Shop\\"" <shop@example.com>', to: ['ada@example.com'], subject: 'Shipped', html, text },
  },
  {
    provider: 'postmark',
    message: email,
    credentials: { from: 'shop@example.com', apiKey: 'pm-token' },
    path: '/email',
    headers: { 'x-postmark-server-token': 'pm-token' },
    json: {
      From: 'shop@example.com',
      To: 'ada@example.com',
      Subject: 'Shipped',
      HtmlBody: html,
      TextBody: text,
    },
  },
  {
    provider: 'mailgun',
    message: email,
    credentials: { ...from, apiKey: 'mg-key', domain: 'mg.example.com' },
    path: '/v3/mg.example.com/messages',
    headers: { authorization: basic('api:mg-key') },
    form: { from: '"The \\"Shop\\"" <shop@example.com>', to: 'ada@example.com', subject: 'Shipped', text, html },
  },
  {
    provider: 'twilio',
    message: { target: toPhone },
    credentials: { accountSid: 'AC1', token: 'tw-token', from: '+15550001' },
    path: '/2010-04-01/Accounts/AC1/Messages.json',
    headers: { authorization: basic('AC1:tw-token') },
    form: { To: '+4915123456789', From: '+15550001', Body: line },
  },
  {
    provider: 'twilio',
    message: { target: toEndpoint({ type: 'phone', phoneNumber: '+4930123456' }) },
    credentials: { accountSid: 'AC1', token: 'tw-token', from: `MG${'0'.repeat(32)}` },
    path: '/2010-04-01/Accounts/AC1/Messages.json',
    form: { To: '+4930123456', MessagingServiceSid: `MG${'0'.repeat(32)}`, Body: line },
  },
  {
    provider: 'nexmo',
    message: { target: toPhone, content: { subject: null, body: 'Grüße' } },
    credentials: { apiKey: 'key', secretKey: 'vonage-secret', from: 'Shop' },
    path: '/sms/json',
    form: {
      api_key: 'key',
      api_secret: 'vonage-secret',
      from: 'Shop',
      to: '4915123456789',
      text: 'Grüße',
      type: 'unicode',
    },
  },
  {
    provider: 'messagebird',
    message: { target: toPhone },
    credentials: { accessKey: 'mb-key', from: 'Shop' },
    path: '/messages',
    headers: { authorization: 'AccessKey mb-key' },
    json: { originator: 'Shop', recipients: ['+4915123456789'], body: line, datacoding: 'auto' },
  },
  {
    provider: 'plivo',
    message: { target: toPhone },
    credentials: { accountSid: 'MA1', token: 'pl-token', from: '+15550001' },
    path: '/v1/Account/MA1/Message/',
    headers: { authorization: basic('MA1:pl-token') },
    json: { src: '+15550001', dst: '+4915123456789', text: line },
  },
  {
    provider: 'telnyx',
    message: { target: toPhone },
    credentials: { apiKey: 'tx-key', from: '+15550001', messageProfileId: 'profile' },
    path: '/v2/messages',
    headers: { authorization: 'Bearer tx-key' },
    json: { from: '+15550001', to: '+4915123456789', text: line, messaging_profile_id: 'profile' },
  },
  {
    provider: 'expo',
    message: { target: toDevice },
    credentials: { apiKey: 'expo-key' },
    path: '/--/api/v2/push/send',
    headers: { authorization: 'Bearer expo-key' },
    json: {
      to: 'ExponentPushToken[0123456789]',
      title: 'Shipped',
      body: 'Your order is on its way.',
      data: { total: 120 },
    },
  },
  {
    provider: 'slack',
    message: { target: toEndpoint({ type: 'workspace_chat_channel', channelId: 'C1' }) },
    credentials: { botToken: 'xoxb-token' },
    path: '/api/chat.postMessage',
    headers: { authorization: 'Bearer xoxb-token' },
    json: { channel: 'C1', text: line },
  },
  {
    provider: 'slack',
    message: { target: toEndpoint({ type: 'workspace_chat_user', userId: 'U1' }) },
    credentials: { botToken: 'xoxb-token' },
    path: '/api/chat.postMessage',
    json: { channel: 'U1', text: line },
  },
  {
    provider: 'telegram',
    message: { target: toEndpoint({ type: 'messenger_chat', chatId: '42' }) },
    credentials: { botToken: '1:telegram' },
    path: '/bot1:telegram/sendMessage',
    json: { chat_id: '42', text: line },
  },
  {
    provider: 'webex-messaging',
    message: { target: toEndpoint({ type: 'meeting_room', roomId: 'R1', parentId: 'M1' }) },
    credentials: { botToken: 'webex-token' },
    path: '/v1/messages',
    headers: { authorization: 'Bearer webex-token' },
    json: { roomId: 'R1', parentId: 'M1', text: line },
  },
  {
    provider: 'webex-messaging',
    message: {
      target: toEndpoint({ type: 'meeting_person', personId: undefined, personEmail: 'ada@example.com' }),
    },
    credentials: { botToken: 'webex-token' },
    path: '/v1/messages',
    json: { toPersonEmail: 'ada@example.com', text: line },
  },
  {
    provider: 'line',
    message: { target: toEndpoint({ type: 'messaging_app_user', userId: 'U1' }) },
    credentials: { channelAccessToken: 'line-token' },
    path: '/v2/bot/message/push',
    headers: { authorization: 'Bearer line-token', 'x-line-retry-key': deliveryId },
    json: { to: 'U1', messages: [{ type: 'text', text: line }] },
  },
  {
    provider: 'pagerduty',
    message: { target: toEndpoint({ type: 'incident_service', routingKey: 'r'.repeat(32), region: 'us' }) },
    credentials: {},
    path: '/v2/enqueue',
    json: {
      routing_key: 'r'.repeat(32),
      event_action: 'trigger',
      dedup_key: deliveryId,
      payload: {
        summary: 'Shipped',
        source: 'order-shipped',
        severity: 'critical',
        custom_details: { message: 'Your order is on its way.', subscriberId: 'ada', payload: { total: 120 } },
      },
    },
  },
  {
    provider: 'opsgenie',
    message: {
      target: toEndpoint({
        type: 'alerting_integration',
        apiKey: '00000000-0000-4000-8000-000000000000',
        region: 'eu',
      }),
      content: { subject: null, body: 'x'.repeat(200) },
    },
    credentials: {},
    path: '/v2/alerts',
    headers: { authorization: 'GenieKey 00000000-0000-4000-8000-000000000000' },
    json: {
      message: 'x'.repeat(130),
      alias: deliveryId,
      description: 'x'.repeat(200),
      priority: 'P1',
      source: 'order-shipped',
      tags: ['orders'],
      details: { subscriberId: 'ada' },
    },
  },
  {
    provider: 'pagerduty',
    message: {
      target: toEndpoint({ type: 'incident_service', routingKey: 'r'.repeat(32), region: 'us' }),
      content: { subject: null, body: 'Solved', incident: { key: 'db-1', action: 'resolve' } },
    },
    credentials: {},
    path: '/v2/enqueue',
    json: {
      routing_key: 'r'.repeat(32),
      event_action: 'resolve',
      dedup_key: 'db-1',
      payload: {
        summary: 'Solved',
        source: 'order-shipped',
        severity: 'critical',
        custom_details: { message: 'Solved', subscriberId: 'ada', payload: { total: 120 } },
      },
    },
  },
  {
    provider: 'opsgenie',
    message: {
      target: toEndpoint({ type: 'alerting_integration', apiKey: 'key', region: 'us' }),
      content: { subject: null, body: 'Down', incident: { key: 'db-1', action: 'trigger' } },
    },
    credentials: {},
    path: '/v2/alerts',
    json: {
      message: 'Down',
      alias: 'db-1',
      description: 'Down',
      priority: 'P1',
      source: 'order-shipped',
      tags: ['orders'],
      details: { subscriberId: 'ada' },
    },
  },
  ...(['acknowledge', 'resolve'] as const).map((action) => ({
    provider: 'opsgenie' as const,
    message: {
      target: toEndpoint({ type: 'alerting_integration', apiKey: 'key', region: 'us' }),
      content: { subject: null, body: 'Solved', incident: { key: 'db/1?', action } },
    },
    credentials: {},
    path: `/v2/alerts/db%2F1%3F/${action === 'resolve' ? 'close' : action}?identifierType=alias`,
    json: { source: 'order-shipped', note: 'Solved' },
  })),
]

describe('a message', () => {
  test.each(sent)('is sent to $provider at $path', async ({ provider, message, credentials, ...expected }) => {
    // The trailing slash must not be doubled.
    const receipt = await deliver(provider, {
      ...message,
      credentials: { ...credentials, baseUrl: `${receiver.url}/` },
    })
    expect(receipt.status).toBe(200)
    const { method, path, headers, json, body } = receiver.last
    expect({ method, path }).toEqual({ method: 'POST', path: expected.path })
    expect(headers).toMatchObject({ 'idempotency-key': deliveryId, ...expected.headers })
    if (expected.json) expect(json).toEqual(expected.json)
    else expect(form(body)).toEqual(expected.form)
  })

  const card = [{ type: 'TextBlock', text: line, wrap: true }]
  test.each<[ProviderId, string | undefined, object]>([
    ['slack', undefined, { text: line }],
    ['discord', undefined, { content: line }],
    ['mattermost', undefined, { text: line }],
    ['mattermost', 'town-square', { text: line, channel: 'town-square' }],
    ['rocket-chat', '#general', { text: line, channel: '#general' }],
  ])('is posted to a webhook of %s, with the channel %s', async (provider, channel, body) => {
    const url = `${receiver.url}/hooks/T0`
    await deliver(provider, { target: toEndpoint({ type: 'webhook', url, channel }) })
    expect(receiver.last).toMatchObject({ method: 'POST', path: '/hooks/T0' })
    expect(receiver.last.json).toEqual(body)
    if (channel !== undefined) return
    await deliver(provider, { target: { kind: 'webhook', url } })
    expect(receiver.received.map(({ json }) => json)).toEqual([body, body])
  })

  test('is sent to Teams as an adaptive card', async () => {
    await deliver('msteams', { target: { kind: 'webhook', url: receiver.url } })
    expect(receiver.last.json).toMatchObject({
      type: 'message',
      attachments: [
        { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', body: card } },
      ],
    })
  })

  test.each<ProviderId>(['grafana', 'grafana-on-call'])(
    'is sent as an alert to %s, with a token if the endpoint has one',
    async (id) => {
      const url = `${receiver.url}/integrations/v1/formatted_webhook/routing-secret/`
      await deliver(id, { target: toEndpoint({ type: 'oncall_integration', url, authToken: 'oncall-token' }) })
      expect(receiver.last.headers.authorization).toBe('Bearer oncall-token')
      expect(receiver.last.json).toEqual({
        alert_uid: deliveryId,
        title: 'Shipped',
        message: 'Your order is on its way.',
        state: 'alerting',
      })
      await deliver(id, { target: toEndpoint({ type: 'oncall_integration', url, authToken: undefined }) })
      expect(receiver.last.headers).not.toHaveProperty('authorization')
    },
  )

  test('resolves an alert at Grafana OnCall, which cannot acknowledge it', async () => {
    const url = `${receiver.url}/resolved`
    const target = toEndpoint({ type: 'oncall_integration', url, authToken: undefined })
    const incident = (action: 'resolve' | 'acknowledge') => ({
      ...{ subject: null, body: 'Solved', incident: { key: 'db-1', action } },
    })
    await deliver('grafana', { target, content: incident('resolve') })
    expect(receiver.last.json).toMatchObject({ alert_uid: 'db-1', state: 'ok' })
    expect(await failureOf(deliver('grafana', { target, content: incident('acknowledge') }))).toMatchObject({
      message: 'Grafana OnCall cannot acknowledge an alert by its webhook.',
      permanent: true,
    })
  })
})

describe('an email', () => {
  const credentials = () => ({ ...from, apiKey: 'SG.key', baseUrl: receiver.url })

  test('is plain text if its body has no tags', async () => {
    const content = { subject: 'Shipped', body: 'One,\ntwo & <three' }
    await deliver('sendgrid', { target: toEmail, content, credentials: credentials() })
    expect(receiver.last.json).toMatchObject({ content: [{ type: 'text/plain', value: 'One,\ntwo & <three' }] })
  })

  test.each([null, ''])('with the subject %j uses the workflow name instead', async (subject) => {
    await deliver('sendgrid', { target: toEmail, content: { subject, body: 'Hello' }, credentials: credentials() })
    expect(receiver.last.json).toMatchObject({ subject: 'Order shipped' })
  })

  test('has a text part with the visible text of the HTML', async () => {
    const body = `<html><head><title>No</title><style>p { color: red }</style></head><body><!-- no -->
      <h2>Hello&nbsp;Ada &amp; Grace</h2>  <div>One</div><ul><li>two</li><li>three</li></ul>
      <p><a href='https://example.com'>https://example.com</a><br/>&#49;&#x32; &copy;</p><script>no()</script></body></html>`
    await deliver('resend', { target: toEmail, content: { subject: 'Hi', body }, credentials: credentials() })
    expect(receiver.last.json).toMatchObject({
      text: 'Hello\u00a0Ada & Grace\n\nOne\n * two\n * three\n\nhttps://example.com\n12 ©',
    })
  })

  test('is converted to text within the time limit, even from large or malformed HTML', async () => {
    const row =
      '<tr><td style="padding: 4px"><a href="https://shop.example/1">An &amp; offer</a><p>Some <b>text</b></p></td></tr>'
    const table = `<table>${row.repeat(500)}</table>`
    const malformed = ['<', '<a ', '<script>', '<!-- ', '&#', '<a href="'].map((part) => `<p>${part.repeat(20_000)}`)
    for (const body of [table, ...malformed]) {
      await deliver('resend', { target: toEmail, content: { subject: 'Hi', body }, credentials: credentials() })
    }
    expect(receiver.received).toHaveLength(7)
  })
})

describe('a response with status 200', () => {
  const slack = () => ({
    target: toEndpoint({ type: 'workspace_chat_channel', channelId: 'C1' }),
    credentials: { botToken: 'xoxb-token', baseUrl: receiver.url },
  })
  const vonage = () => ({
    target: toPhone,
    credentials: { apiKey: 'key', secretKey: 'vonage-secret', from: 'Shop', baseUrl: receiver.url },
  })
  const expo = () => ({ target: toDevice, credentials: { baseUrl: receiver.url } })
  const expoError = (error: string) => ({ data: { status: 'error', message: 'No', details: { error } } })

  test.each<[ProviderId, () => Partial<Message>, object, string, boolean]>([
    ['slack', slack, { ok: false, error: 'channel_not_found' }, 'channel_not_found', true],
    ['slack', slack, { ok: false, error: 'ratelimited' }, 'ratelimited', false],
    ['nexmo', vonage, { messages: [{ status: '4', 'error-text': 'Bad Credentials' }] }, 'Bad Credentials', true],
    ['nexmo', vonage, { messages: [{ status: '0' }, { status: '1', 'error-text': 'Throttled' }] }, 'Throttled', false],
    ['expo', expo, expoError('MessageTooBig'), 'MessageTooBig', true],
    ['expo', expo, expoError('MessageRateExceeded'), 'MessageRateExceeded', false],
  ])('is a failure if %s reports an error in it', async (provider, message, answer, reason, permanent) => {
    receiver.answer(200, answer)
    const failure = await failureOf(deliver(provider, message()))
    expect(failure).toMatchObject({ permanent, status: 200 })
    expect(failure.message).toBe(`127.0.0.1:${receiver.port} rejected the message: ${reason}`)
  })

  test('is a success if its body reports success', async () => {
    receiver.answer(200, { ok: true, ts: '1' })
    expect(await deliver('slack', slack())).toEqual({ status: 200, answer: '{"ok":true,"ts":"1"}' })
  })
})

test('a 409 from LINE means that it already has the message', async () => {
  receiver.answer(409, { message: 'The retry key is already accepted' })
  const target = toEndpoint({ type: 'messaging_app_user', userId: 'U1' })
  const receipt = await deliver('line', { target, credentials: { channelAccessToken: 'line', baseUrl: receiver.url } })
  expect(receipt.status).toBe(409)
})

describe('the provider registry', () => {
  const ids = Object.keys(providers) as ProviderId[]

  test('matches the table in docs/providers.md', () => {
    const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| (email|sms|push|chat|tool) /gm)].map(([, id, channel]) => ({
      id,
      channel,
    }))
    expect(rows).toEqual(ids.map((id) => ({ id, channel: kindOf(id) })))
  })

  test('has no entry for channels that are not delivered by a provider', () => {
    const undelivered = providerIds.filter((id) => ['agent', 'in_app'].includes(kindOf(id)))
    expect(undelivered.filter((id) => providerFor(id) !== undefined)).toEqual([])
  })

  test.each(ids.filter((id) => !/-webhook$|^generic-|^fcm$|^msteams$/.test(id)))(
    '%s rejects an endpoint type that it cannot deliver to',
    async (id) => {
      const wrong = toEndpoint({ type: 'office_chat_user', userId: 'U1' })
      const credentials = {
        ...from,
        apiKey: 'key',
        secretKey: 'key',
        accessKey: 'key',
        botToken: '1:key',
        host: 'localhost',
      }
      const failure = await failureOf(
        deliver(id, {
          target: wrong,
          credentials: { ...credentials, accountSid: 'AC1', token: 'key', domain: 'd', channelAccessToken: 'key' },
        }),
      )
      expect(failure.permanent).toBe(true)
      expect(failure.message).toMatch(/^The provider delivers to .+, not to an endpoint of type office_chat_user$/)
    },
  )

  test('reports invalid credentials without their values', async () => {
    const credentials = { apiKey: 17, from: 'shop-secret', senderName: 'a\nb' }
    const failure = await failureOf(deliver('sendgrid', { target: ada.target, credentials }))
    expect(failure.permanent).toBe(true)
    expect(failure.message).toBe(
      "The integration's credentials are invalid: from must be an email address; senderName must not contain control characters; apiKey must be a string",
    )
  })
})
