// Integrations: creation, updates, lists and isolation between environments.
import { describe, expect, test } from 'vitest'
import { activateAll } from '../support/delivery/story.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const fields = 'identifier name providerId channel active hasCredentials'

describe('integrations', () => {
  test('take their channel from the provider and have defaults for everything else', async () => {
    const client = await world.environment()
    const created = await client.act('createIntegration', { providerId: 'SLACK' }, `integration { ${fields} }`)
    expect(created).toEqual({
      integration: {
        identifier: expect.stringMatching(/^slack-[0-9a-f]{12}$/),
        name: 'slack',
        providerId: 'SLACK',
        channel: 'CHAT',
        active: true,
        hasCredentials: false,
      },
      userErrors: [],
    })
    const { identifier } = created.integration
    const read = await client.ask(
      `query ($identifier: String!) { integration(identifier: $identifier) { ${fields} } }`,
      {
        identifier,
      },
    )
    expect(read.integration).toEqual(created.integration)
  })

  test('keep every given field and store credentials only encrypted', async () => {
    const client = await world.environment()
    const created = await client.act(
      'createIntegration',
      {
        identifier: 'acme-sms',
        name: 'Text messages of Acme',
        providerId: 'TWILIO',
        channel: 'SMS',
        active: false,
        credentials: { accountSid: 'AC-acme', token: 'a-secret-of-acme' },
      },
      `integration { ${fields} }`,
    )
    expect(created.integration).toEqual({
      identifier: 'acme-sms',
      name: 'Text messages of Acme',
      providerId: 'TWILIO',
      channel: 'SMS',
      active: false,
      hasCredentials: true,
    })
    const { rows } = await world.database.pool.query(`SELECT * FROM integrations WHERE identifier = 'acme-sms'`)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toMatch(/AC-acme|a-secret-of-acme/)
    const owner = rows[0].environment_id
    expect(JSON.parse(world.gateway.cipher.decrypt(rows[0].credentials, owner))).toEqual({
      accountSid: 'AC-acme',
      token: 'a-secret-of-acme',
    })
  })

  test.each([
    ['apiKeyRequestHeader', 'Host'],
    ['secretKeyRequestHeader', 'x-signature-256'],
    ['apiKeyRequestHeader', 'Proxy-Authorization'],
  ])('reject credentials whose %s is %s, on creation and on update', async (field, name) => {
    const client = await world.environment()
    const { integration } = await client.act('createIntegration', { providerId: 'GENERIC_SMS' }, 'integration { id }')
    const message = `credentials.${field} must not be the header "${name}", which the gateway sets itself`
    for (const [mutation, input] of [
      ['createIntegration', { providerId: 'GENERIC_SMS' }],
      ['updateIntegration', { id: integration.id }],
    ] as const) {
      const { userErrors } = await client.act(mutation, { ...input, credentials: { [field]: name, apiKey: 'k' } })
      expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: ['credentials', field] }])
    }
    const body = { providerId: 'generic-sms', channel: 'sms', credentials: { [field]: name } }
    expect(await client.rest('POST /v1/integrations', { body })).toMatchObject({ status: 422, body: { message } })
  })

  test('return CONFLICT to one of two concurrent requests with the same identifier', async () => {
    const client = await world.environment()
    const answers = await Promise.all(
      ['One', 'Another'].map((name) =>
        client.act('createIntegration', { identifier: 'chat', name, providerId: 'SLACK' }, 'integration { name }'),
      ),
    )
    expect(answers.filter(({ userErrors }) => userErrors.length === 0)).toHaveLength(1)
    expect(answers.flatMap(({ userErrors }) => userErrors)).toEqual([
      { code: 'CONFLICT', message: 'Integration "chat" already exists', field: ['identifier'] },
    ])
    expect(await client.ask('{ integrations { totalCount } }')).toEqual({ integrations: { totalCount: 1 } })
  })

  test.each([
    [{ providerId: 'SLACK', channel: 'EMAIL' }, 'channel', 'channel must be chat, the channel of slack'],
    [{ providerId: 'ANTHROPIC' }, 'providerId', 'providerId must be a provider with a channel, and anthropic has none'],
    [{ providerId: 'SLACK', identifier: '' }, 'identifier', 'identifier must not be empty'],
    [{ providerId: 'SLACK', name: '' }, 'name', 'name must not be empty'],
    [{ providerId: 'SLACK', name: 'x'.repeat(256) }, 'name', 'name must be at most 255 characters long'],
  ])('are not created from %j', async (input, field, message) => {
    const client = await world.environment()
    expect(await client.act('createIntegration', input, 'integration { id }')).toEqual({
      integration: null,
      userErrors: [{ code: 'BAD_USER_INPUT', message, field: [field] }],
    })
    expect(await client.ask('{ integrations { totalCount } }')).toEqual({ integrations: { totalCount: 0 } })
  })

  test('change only the fields in an update, and null removes the credentials', async () => {
    const client = await world.environment()
    const { integration } = await client.act(
      'createIntegration',
      { identifier: 'before', providerId: 'SLACK', credentials: { token: 'xoxb' } },
      'integration { id }',
    )
    const renamed = await client.act(
      'updateIntegration',
      { id: integration.id, identifier: 'after', active: false },
      `integration { ${fields} }`,
    )
    expect(renamed.integration).toEqual({
      identifier: 'after',
      name: 'slack',
      providerId: 'SLACK',
      channel: 'CHAT',
      active: false,
      hasCredentials: true,
    })
    const cleared = await client.act(
      'updateIntegration',
      { id: integration.id, credentials: null },
      'integration { identifier hasCredentials }',
    )
    expect(cleared.integration).toEqual({ identifier: 'after', hasCredentials: false })
  })

  test('cannot be renamed to an identifier that is taken', async () => {
    const client = await world.environment()
    await client.act('createIntegration', { identifier: 'taken', providerId: 'SLACK' })
    const { integration } = await client.act(
      'createIntegration',
      { identifier: 'free', providerId: 'SLACK' },
      'integration { id }',
    )
    const refused = await client.act('updateIntegration', { id: integration.id, identifier: 'taken' })
    expect(refused.userErrors).toEqual([
      { code: 'CONFLICT', message: 'Integration "taken" already exists', field: ['identifier'] },
    ])
  })

  test('can be filtered by channel, provider and active state', async () => {
    const client = await world.environment()
    for (const [identifier, providerId, active] of [
      ['slack', 'SLACK', true],
      ['old-slack', 'SLACK', false],
      ['telegram', 'TELEGRAM', true],
      ['twilio', 'TWILIO', true],
    ]) {
      await client.act('createIntegration', { identifier, providerId, active })
    }
    await activateAll(world)
    const found = async (filter: object) => {
      const data = await client.ask(
        `query ($filter: IntegrationFilter) {
          integrations(filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { identifier } }
        }`,
        { filter },
      )
      const identifiers = data.integrations.nodes.map(({ identifier }: { identifier: string }) => identifier)
      expect(data.integrations.totalCount).toBe(identifiers.length)
      return identifiers
    }
    expect(await found({})).toEqual(['slack', 'old-slack', 'telegram', 'twilio'])
    expect(await found({ channel: 'CHAT' })).toEqual(['slack', 'old-slack', 'telegram'])
    expect(await found({ providerId: 'SLACK' })).toEqual(['slack', 'old-slack'])
    expect(await found({ active: false })).toEqual(['old-slack'])
    expect(await found({ channel: 'CHAT', active: true })).toEqual(['slack', 'telegram'])
    expect(await found({ channel: 'PUSH' })).toEqual([])
    expect(await found({ channels: ['SMS', 'PUSH'] })).toEqual(['twilio'])
    expect(await found({ providerIds: ['TELEGRAM', 'SLACK'], active: true })).toEqual(['slack', 'telegram'])
  })

  test('can be searched by identifier and name', async () => {
    const client = await world.environment()
    await client.act('createIntegration', { identifier: 'acme-chat', providerId: 'SLACK', name: 'Support' })
    await client.act('createIntegration', { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', name: 'Mail of Acme' })
    const found = async (search: string) => {
      const { integrations } = await client.ask(
        `query ($search: String) {
          integrations(filter: { search: $search }, orderBy: { direction: ASC }) { totalCount nodes { identifier } }
        }`,
        { search },
      )
      expect(integrations.totalCount).toBe(integrations.nodes.length)
      return integrations.nodes.map(({ identifier }: { identifier: string }) => identifier)
    }
    expect(await found('ACME')).toEqual(['acme-chat', 'mail'])
    expect(await found('uppor')).toEqual(['acme-chat'])
    expect(await found('ma')).toEqual(['mail'])
    expect(await found('cm')).toEqual([])
  })

  test('cannot be read, changed or deleted from another environment', async () => {
    const [mine, other] = [await world.environment(), await world.environment()]
    const { integration } = await mine.act(
      'createIntegration',
      { identifier: 'mine', providerId: 'SLACK', primary: true },
      'integration { id }',
    )
    const { id } = integration
    expect((await other.act('createIntegration', { providerId: 'SLACK', primary: true })).userErrors).toEqual([])
    expect(await other.ask('{ integration(identifier: "mine") { id } }')).toEqual({ integration: null })
    expect(await other.ask('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null })
    for (const [mutation, input] of [
      ['updateIntegration', { id, name: 'Theirs' }],
      ['deleteIntegration', { id }],
    ] as const) {
      expect((await other.act(mutation, input)).userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
    }
    expect(await mine.ask('{ integration(identifier: "mine") { name primary } }')).toEqual({
      integration: { name: 'slack', primary: true },
    })
  })
})
