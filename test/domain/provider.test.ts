// Providers for forms: which ones the gateway can send through, and which settings each needs.
import { describe, expect, test } from 'vitest'
import { providers as registry } from '../../src/delivery/sending/provider-registry.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

interface Setting {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly type: string
  readonly required: boolean
  readonly secret: boolean
  readonly default: string | null
}

interface Definition {
  readonly providerId: string
  readonly name: string
  readonly channel: string
  readonly supported: boolean
  readonly settings: readonly Setting[]
  readonly destinations: readonly string[]
  readonly endpointTypes: readonly string[]
}

const fields = `providerId name channel supported destinations endpointTypes
  settings { name label description type options required secret default }`

async function providersWith(filter: Record<string, unknown>): Promise<readonly Definition[]> {
  const client = await world.environment()
  const query = `query ($filter: ProviderFilter) { providers(filter: $filter) { ${fields} } }`
  const { providers } = await client.ask(query, { filter })
  return providers
}

const enumName = (id: string) => id.toUpperCase().replaceAll('-', '_')

describe('providers', () => {
  test('list every provider that an integration can name, and whether this gateway can send through it', async () => {
    const all = await providersWith({})
    const supported = all.filter((one) => one.supported).map(({ providerId }) => providerId)
    expect(supported.toSorted()).toEqual(Object.keys(registry).map(enumName).toSorted())
    expect(all.map(({ providerId }) => providerId)).not.toContain('ANTHROPIC')
    expect(all.find(({ providerId }) => providerId === 'BRAZE')).toEqual({
      ...{ providerId: 'BRAZE', name: 'Braze', channel: 'EMAIL', supported: false },
      ...{ settings: [], destinations: [], endpointTypes: [] },
    })
  })

  test('are filtered by channel and by whether the gateway can send through them', async () => {
    const push = await providersWith({ channel: 'PUSH', supported: true })
    expect(push.map(({ name }) => name)).toEqual([
      ...['Firebase Cloud Messaging', 'Apple Push Notification service', 'Expo', 'OneSignal', 'Push webhook'],
    ])
    expect((await providersWith({ channel: 'TOOL', supported: false })).length).toBe(0)
    const several = await providersWith({ channels: ['PUSH', 'TOOL'], supported: true })
    expect(new Set(several.map(({ channel }) => channel))).toEqual(new Set(['PUSH', 'TOOL']))
  })

  test('describe every setting with its type, its default and whether it is required or secret', async () => {
    const email = await providersWith({ channel: 'EMAIL', supported: true })
    expect(email.find(({ providerId }) => providerId === 'NODEMAILER')).toMatchObject({
      ...{ providerId: 'NODEMAILER', name: 'SMTP', destinations: ['EMAIL'], endpointTypes: [] },
      settings: [
        { name: 'from', label: 'From', type: 'STRING', required: true, secret: false, default: null },
        { name: 'senderName', required: false, secret: false },
        { name: 'unsubscribeMailto', required: false, secret: false },
        { name: 'host', label: 'Host', required: true, secret: false },
        { name: 'port', type: 'INTEGER', required: false },
        { name: 'secure', type: 'BOOLEAN', required: false },
        { name: 'requireTls', type: 'BOOLEAN' },
        { name: 'ignoreTls', type: 'BOOLEAN' },
        { name: 'user', required: false, secret: false },
        { name: 'password', required: false, secret: true },
        { name: 'sesTopicArn', required: false, secret: false },
      ],
    })
    const sms = await providersWith({ channel: 'SMS', supported: true })
    const twilio = sms.find(({ name }) => name === 'Twilio')
    expect(twilio?.settings.find(({ name }) => name === 'baseUrl')).toMatchObject({
      ...{ required: false, secret: false, default: 'https://api.twilio.com' },
    })
    const webhook = sms.find(({ providerId }) => providerId === 'GENERIC_SMS')
    expect(webhook?.settings.find(({ name }) => name === 'method')).toMatchObject({
      ...{ type: 'ENUM', options: ['POST', 'PUT', 'PATCH'] },
    })
    const push = await providersWith({ channel: 'PUSH', supported: true })
    expect(push[0]?.settings[0]).toMatchObject({ name: 'serviceAccount', type: 'JSON', required: true, secret: true })
  })

  test('have a sentence for every setting, and keep everything that looks like a secret secret', async () => {
    const settings = (await providersWith({})).flatMap((one) => one.settings)
    for (const { name, label, description, secret } of settings) {
      expect(label, name).toMatch(/^[A-Z]/)
      expect(description, name).toMatch(/\.$/)
      if (/token|password|secret|key|account$/i.test(name) && !/header$/i.test(name)) {
        expect({ name, secret }).toEqual({ name, secret: true })
      }
    }
  })

  test('deliver to the destinations that exist on their channel', async () => {
    const all = await providersWith({ supported: true })
    const of = (providerId: string) => {
      const found = all.find((one) => one.providerId === providerId)
      return [found?.destinations, found?.endpointTypes]
    }
    expect(of('EMAIL_WEBHOOK')).toEqual([['EMAIL'], ['WEBHOOK']])
    expect(of('GENERIC_SMS')).toEqual([['PHONE'], ['PHONE', 'WEBHOOK']])
    expect(of('TOOL_WEBHOOK')).toEqual([[], ['WEBHOOK', 'TOOL_WEBHOOK']])
    expect(of('SLACK')).toEqual([['WEBHOOK'], ['WEBHOOK', 'WORKSPACE_CHAT_CHANNEL', 'WORKSPACE_CHAT_USER']])
    expect(of('PAGERDUTY')).toEqual([[], ['INCIDENT_SERVICE']])
  })
})

interface Stored {
  readonly name: string
  readonly isSet: boolean
  readonly value: string | null
}

const settingsOf = (list: readonly Stored[]) =>
  Object.fromEntries(list.map(({ name, isSet, value }) => [name, isSet ? (value ?? 'hidden') : 'absent']))

describe('the settings of an integration', () => {
  test('are readable unless they are secret', async () => {
    const client = await world.environment()
    const credentials = { accountSid: 'AC-acme', token: 'a-secret-of-acme', from: '+491510000', other: 'unknown-name' }
    const { integration } = await client.act(
      'createIntegration',
      { providerId: 'TWILIO', credentials },
      'integration { id settings { name isSet value } }',
    )
    expect(settingsOf(integration.settings)).toEqual({
      ...{ accountSid: 'AC-acme', token: 'hidden', from: '+491510000', baseUrl: 'absent', other: 'hidden' },
      statusReports: 'absent',
    })
    expect(JSON.stringify(integration)).not.toMatch(/a-secret-of-acme|unknown-name/)
  })

  test('hide a URL with a password, and all settings of a provider that the gateway does not know', async () => {
    const client = await world.environment()
    for (const [providerId, credentials] of [
      ['TWILIO', { baseUrl: 'https://me:hunter2@proxy.example.com' }],
      ['BRAZE', { region: 'eu-west-1', secretKey: 'hunter2' }],
    ] as const) {
      const { integration } = await client.act(
        'createIntegration',
        { providerId, credentials },
        'integration { settings { name isSet value } }',
      )
      expect(settingsOf(integration.settings)).toMatchObject(
        Object.fromEntries(Object.keys(credentials).map((name) => [name, 'hidden'])),
      )
    }
  })

  test('are read with the integrations of a page', async () => {
    const client = await world.environment()
    for (const token of ['one', 'another'])
      await client.act('createIntegration', { providerId: 'TWILIO', credentials: { token } })
    const { integrations } = await client.ask('{ integrations { nodes { settings { name isSet } } } }')
    const set = integrations.nodes.map(({ settings }) => settings.filter((one) => one.isSet))
    expect(set).toEqual([[{ name: 'token', isSet: true }], [{ name: 'token', isSet: true }]])
  })

  test('change one by one, and secrets that are not named stay', async () => {
    const client = await world.environment()
    const { integration } = await client.act(
      'createIntegration',
      { identifier: 'sms', providerId: 'TWILIO', credentials: { accountSid: 'AC1', token: 'kept-secret', from: '+1' } },
      'integration { id }',
    )
    const changed = await client.act(
      'updateIntegration',
      { id: integration.id, credentialChanges: { accountSid: 'AC2', from: null } },
      'integration { settings { name isSet value } }',
    )
    expect(settingsOf(changed.integration.settings)).toMatchObject({
      accountSid: 'AC2',
      token: 'hidden',
      from: 'absent',
    })
    const { rows } = await world.database.pool.query(
      `SELECT i.* FROM integrations i WHERE identifier = 'sms' ORDER BY created_at DESC LIMIT 1`,
    )
    const stored: unknown = JSON.parse(world.gateway.cipher.decrypt(rows[0].credentials, rows[0].environment_id))
    expect(stored).toEqual({ accountSid: 'AC2', token: 'kept-secret' })
    const emptied = await client.act(
      'updateIntegration',
      { id: integration.id, credentialChanges: { accountSid: null, token: null } },
      'integration { hasCredentials }',
    )
    expect(emptied.integration).toEqual({ hasCredentials: false })
  })

  test('change at REST in the same way', async () => {
    const client = await world.environment()
    const body = { providerId: 'twilio', channel: 'sms', credentials: { accountSid: 'AC1', token: 'kept-secret' } }
    const { body: created } = await client.rest('POST /v1/integrations', { body })
    const changes = { credentialChanges: { accountSid: 'AC2' } }
    expect(await client.rest(`PUT /v1/integrations/${created._id}`, { body: changes })).toMatchObject({ status: 200 })
    const { integrations } = await client.ask('{ integrations { nodes { settings { name isSet value } } } }')
    expect(settingsOf(integrations.nodes[0].settings)).toMatchObject({ accountSid: 'AC2', token: 'hidden' })
  })

  test.each([
    [
      { credentialChanges: { token: 'x' }, credentials: { token: 'y' } },
      ['credentialChanges'],
      'credentialChanges cannot be combined with credentials',
    ],
    [
      { credentialChanges: { apiKeyRequestHeader: 'Host' } },
      ['credentialChanges', 'apiKeyRequestHeader'],
      'credentialChanges.apiKeyRequestHeader must not be the header "Host", which the gateway sets itself',
    ],
    [
      { credentialChanges: { note: 'x'.repeat(64 * 1024) } },
      ['credentialChanges'],
      'credentialChanges must be at most 65536 bytes of JSON',
    ],
  ])('reject the changes of case %#', async (input, field, message) => {
    const client = await world.environment()
    const { integration } = await client.act('createIntegration', { providerId: 'GENERIC_SMS' }, 'integration { id }')
    const { userErrors } = await client.act('updateIntegration', { id: integration.id, ...input })
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field }])
  })

  test('keep the changes of two updates at the same time', async () => {
    const client = await world.environment()
    const { integration } = await client.act(
      'createIntegration',
      { providerId: 'TWILIO', credentials: { token: 'kept-secret' } },
      'integration { id }',
    )
    await Promise.all(
      [{ accountSid: 'AC1' }, { from: '+1' }].map((credentialChanges) =>
        client.act('updateIntegration', { id: integration.id, credentialChanges }),
      ),
    )
    const { integrations } = await client.ask('{ integrations { nodes { settings { name isSet value } } } }')
    expect(settingsOf(integrations.nodes[0].settings)).toMatchObject({ accountSid: 'AC1', from: '+1', token: 'hidden' })
  })

  test('of another environment are not found', async () => {
    const [client, stranger] = [await world.environment(), await world.environment()]
    const { integration } = await client.act('createIntegration', { providerId: 'TWILIO' }, 'integration { id }')
    const { userErrors } = await stranger.act('updateIntegration', {
      id: integration.id,
      credentialChanges: { token: 'x' },
    })
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
  })
})
