// Test messages: one real message through an integration, with the provider's response.
import { describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const cautious = useWorld({ allowPrivateAddresses: false })
const receiver = useReceiver()

const result = 'result { accepted status answer error duration }'

async function integrationOf(client: Client, providerId: string, credentials: Record<string, unknown>, more = {}) {
  const input = { providerId, credentials, ...more }
  const { integration } = await client.act('createIntegration', input, 'integration { id }')
  return integration.id
}

const twilio = () => ({
  accountSid: 'AC-acme',
  token: 'a-secret-of-acme',
  from: '+4915100000000',
  baseUrl: receiver.url,
})

describe('a test message', () => {
  test('reaches the provider, and its answer is the result', async () => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, 'TWILIO', twilio(), { identifier: 'tested' })
    receiver.answer(201, { sid: 'SM1' })
    const sent = await client.act(
      'sendTestMessage',
      { integrationId, to: { phoneNumber: '+4915123456789' }, subject: 'Hello', body: 'It works.' },
      result,
    )
    expect(sent).toEqual({
      result: { accepted: true, status: 201, answer: '{"sid":"SM1"}', error: null, duration: expect.any(Number) },
      userErrors: [],
    })
    const { path, body, headers } = receiver.last
    expect(path).toBe('/2010-04-01/Accounts/AC-acme/Messages.json')
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      ...{ To: '+4915123456789', From: '+4915100000000', Body: 'Hello\nIt works.' },
    })
    expect(headers).toMatchObject({ 'idempotency-key': expect.any(String), traceparent: expect.any(String) })
    expect(await client.ask('{ events { totalCount } subscribers { totalCount } }')).toEqual({
      ...{ events: { totalCount: 0 }, subscribers: { totalCount: 0 } },
    })
    expect(world.logged.filter(({ msg }) => msg === 'test message sent')).toMatchObject([
      { level: 30, apiKeyId: expect.any(String), integration: 'tested', accepted: true, status: 201 },
    ])
  })

  test('that the provider rejects causes no user error, and the answer has no secret', async () => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, 'TWILIO', twilio())
    receiver.answer(401, 'The token a-secret-of-acme is invalid')
    const sent = await client.act('sendTestMessage', { integrationId, to: { phoneNumber: '+4915123456789' } }, result)
    const { host } = new URL(receiver.url)
    expect(sent).toMatchObject({
      result: {
        ...{ accepted: false, status: 401, answer: 'The token *** is invalid', error: `${host} responded with 401` },
      },
      userErrors: [],
    })
    expect(receiver.received).toHaveLength(1)
  })

  test('names the missing settings', async () => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, 'SENDGRID', { from: 'gateway@example.com' })
    const { result: attempt } = await client.act(
      'sendTestMessage',
      { integrationId, to: { email: 'ada@example.com' } },
      result,
    )
    expect(attempt).toMatchObject({
      ...{ accepted: false, status: null, error: "The integration's credentials are invalid: apiKey is required" },
    })
  })

  test('through a provider that the gateway does not implement fails and says so', async () => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, 'BRAZE', {})
    const { result: attempt } = await client.act(
      'sendTestMessage',
      { integrationId, to: { email: 'ada@example.com' } },
      result,
    )
    expect(attempt).toMatchObject({ accepted: false, error: 'This gateway does not implement the provider braze.' })
  })

  test.each([
    ['SLACK', (url: string) => ({ webhookUrl: url }), 'Test message'],
    ['SLACK', (url: string) => ({ endpoint: { webhook: { url } } }), 'Test message'],
    ['TOOL_WEBHOOK', (url: string) => ({ endpoint: { toolWebhook: { url, method: 'PUT' } } }), 'Test message'],
    ['EMAIL_WEBHOOK', () => ({ email: 'ada@example.com' }), 'ada@example.com'],
    ['PUSH_WEBHOOK', () => ({ deviceToken: 'device-1' }), 'device-1'],
  ])(
    'of %s goes to the destination of case %#, also if the integration is not active',
    async (providerId, to, sent) => {
      const client = await world.environment()
      const credentials = providerId === 'SLACK' ? {} : { webhookUrl: receiver.url }
      const integrationId = await integrationOf(client, providerId, credentials, { active: false })
      receiver.answer(200)
      const attempt = await client.act('sendTestMessage', { integrationId, to: to(receiver.url) }, result)
      expect(attempt).toMatchObject({ result: { accepted: true, error: null }, userErrors: [] })
      expect(receiver.last.body).toContain(sent)
    },
  )

  test.each([
    ['TWILIO', { phoneNumber: '0151' }, ['to', 'phoneNumber'], /^to.phoneNumber must be a phone number/],
    ['RESEND', { email: 'nobody' }, ['to', 'email'], /must be an email address$/],
    [
      ...(['TWILIO', { email: 'ada@example.com' }, ['to']] as const),
      /^to must be a destination of twilio: a phone number or an endpoint of type phone$/,
    ],
    ['PAGERDUTY', { endpoint: { webhook: { url: 'https://a.example.com' } } }, ['to'], /of type incident_service$/],
    [
      ...(['PAGERDUTY', { endpoint: { incidentService: { routingKey: 'short', region: 'EU' } } }] as const),
      ...([['to', 'endpoint', 'incidentService', 'routingKey'], /must be exactly 32 letters and digits$/] as const),
    ],
  ])('of %s to %j is rejected', async (providerId, to, field, message) => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, providerId, {})
    const { userErrors } = await client.act('sendTestMessage', { integrationId, to }, result)
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message: expect.stringMatching(message), field }])
  })

  test('cannot be sent through an integration of another environment', async () => {
    const integrationId = await integrationOf(await world.environment(), 'TWILIO', twilio())
    const stranger = await world.environment()
    const { userErrors } = await stranger.act('sendTestMessage', {
      integrationId,
      to: { phoneNumber: '+4915123456789' },
    })
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['integrationId'] }])
    expect(receiver.received).toEqual([])
  })

  test('is not sent with an idempotency key, whose transaction would wait for the provider', async () => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, 'TWILIO', twilio())
    const { data } = await client.send(
      'mutation ($input: SendTestMessageInput!) { sendTestMessage(input: $input) { userErrors { code message } } }',
      { input: { integrationId, to: { phoneNumber: '+4915123456789' } } },
      { 'idempotency-key': 'test-1' },
    )
    const message = 'A test message cannot be sent with an Idempotency-Key'
    expect(data).toEqual({ sendTestMessage: { userErrors: [{ code: 'BAD_USER_INPUT', message }] } })
    expect(receiver.received).toEqual([])
  })

  test('does not reach a private address unless private addresses are allowed', async () => {
    const client = await cautious.environment()
    const integrationId = await integrationOf(client, 'TWILIO', twilio())
    const { result: attempt } = await client.act(
      'sendTestMessage',
      { integrationId, to: { phoneNumber: '+4915123456789' } },
      result,
    )
    expect(attempt).toMatchObject({ accepted: false, status: null, error: expect.stringMatching(/private|allowed/) })
    expect(receiver.received).toEqual([])
  })

  test('requires a key that can write', async () => {
    const client = await world.environment()
    const integrationId = await integrationOf(client, 'TWILIO', twilio())
    const reader = { name: 'Reader', access: 'READ_ONLY' }
    const { newApiKey } = await client.act('createApiKey', reader, 'newApiKey { key }')
    const { errors } = await world
      .client(newApiKey.key)
      .send('mutation ($input: SendTestMessageInput!) { sendTestMessage(input: $input) { userErrors { code } } }', {
        input: { integrationId, to: { phoneNumber: '+4915123456789' } },
      })
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})
