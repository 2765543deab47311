// Integrations in the REST API, as existing callers use them.
import { describe, expect, test } from 'vitest'
import { activateAll } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, type RestAnswer, useWorld } from '../support/world.ts'

const world = useWorld()

async function create(client: Client, body: object): Promise<RestAnswer['body']> {
  const created = await client.rest('POST /v1/integrations', { body })
  expect(created).toMatchObject({ status: 201 })
  return created.body
}

const identifiersIn = ({ body }: RestAnswer) => body.data.map(({ identifier }) => identifier)

const onlyForPro = { '==': [{ var: 'payload.plan' }, 'pro'] }

describe('integrations', () => {
  test('are created with 201 and returned in full, but without credentials', async () => {
    const client = await world.environment()
    const created = await client.rest('POST /v1/integrations', {
      body: {
        identifier: 'acme-sms',
        name: 'Text messages of Acme',
        providerId: 'twilio',
        channel: 'sms',
        credentials: { token: 'a-secret-of-acme' },
        active: false,
        primary: true,
        conditions: onlyForPro,
      },
    })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      _id: expect.any(String),
      _environmentId: expect.any(String),
      _organizationId: expect.any(String),
      name: 'Text messages of Acme',
      identifier: 'acme-sms',
      providerId: 'twilio',
      channel: 'sms',
      active: false,
      primary: true,
      credentials: {},
      conditions: onlyForPro,
      isFallback: false,
      fallbackAfterTimeout: false,
      circuit: 'closed',
      deliverable: false,
      problems: ['accountSid', 'from'].map((setting) => ({
        ...{ code: 'setting_missing', setting, message: `${setting} is required`, blocking: true },
      })),
      inboundWebhook: {
        ...{ url: null, needsToken: false, isVerified: false, lastReportAt: null },
        problem: 'The setting BASE_URL of the gateway is missing.',
      },
      version: 1,
      deleted: false,
    })
    const listed = await client.rest('GET /v1/integrations')
    expect(listed).toMatchObject({
      status: 200,
      body: { data: [created.body], next: null, previous: null, totalCount: 1 },
    })
  })

  test('have defaults for optional fields, and omit conditions that are not set', async () => {
    const created = await create(await world.environment(), { providerId: 'slack', channel: 'chat' })
    expect(created).toMatchObject({ name: 'slack', active: true, primary: false, credentials: {} })
    expect(created).not.toHaveProperty('conditions')
  })

  test('are updated by PUT, and deleted by DELETE together with their endpoints', async () => {
    const client = await world.environment()
    const { _id } = await create(client, { identifier: 'before', providerId: 'slack', conditions: onlyForPro })
    const changed = await client.rest(`PUT /v1/integrations/${_id}`, {
      body: { identifier: 'after', name: 'Chat', active: false, conditions: null },
    })
    expect(changed).toMatchObject({ status: 200, body: { _id, identifier: 'after', name: 'Chat', active: false } })
    expect(changed.body).not.toHaveProperty('conditions')
    await client.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    const endpoint = {
      subscriberId: 'ada',
      integrationIdentifier: 'after',
      type: 'messenger_chat',
      endpoint: { chatId: '1' },
    }
    expect(await client.rest('POST /v1/channel-endpoints', { body: endpoint })).toMatchObject({ status: 201 })
    expect(await client.rest(`DELETE /v1/integrations/${_id}`)).toMatchObject({ status: 204, body: undefined })
    expect((await client.rest('GET /v1/channel-endpoints')).body.totalCount).toBe(0)
    for (const method of ['PUT', 'DELETE']) {
      expect(await client.rest(`${method} /v1/integrations/${_id}`, { body: {} })).toMatchObject({
        status: 404,
        body: { message: `Integration "${_id}" not found` },
      })
    }
  })

  test('are filtered, and stay filtered on every page in both directions', async () => {
    const client = await world.environment()
    await create(client, { identifier: 'a', providerId: 'slack' })
    await create(client, { identifier: 'sms', providerId: 'twilio' })
    await create(client, { identifier: 'b', providerId: 'slack', active: false })
    await create(client, { identifier: 'c', providerId: 'telegram' })
    await activateAll(world)
    const found = async (query: string) =>
      identifiersIn(await client.rest(`GET /v1/integrations?orderDirection=ASC&${query}`))
    expect(await found('channel=chat')).toEqual(['a', 'b', 'c'])
    expect(await found('providerId=slack')).toEqual(['a', 'b'])
    expect(await found('active=false')).toEqual(['b'])
    expect(await found('active=true&channel=chat')).toEqual(['a', 'c'])
    const page = (query: string) => client.rest(`GET /v1/integrations?orderDirection=ASC&channel=chat&limit=2${query}`)
    const first = await page('')
    expect(identifiersIn(first)).toEqual(['a', 'b'])
    const second = await page(`&after=${first.body.next}`)
    expect(identifiersIn(second)).toEqual(['c'])
    expect(second.body).toMatchObject({ next: null, totalCount: 3 })
    const back = await page(`&before=${second.body.previous}`)
    expect(identifiersIn(back)).toEqual(['a', 'b'])
    expect(back.body.previous).toBeNull()
  })

  test.each([
    [{ providerId: 'nobody' }, 'providerId'],
    [{ providerId: 'slack', channel: 'sms' }, 'channel'],
    [{ providerId: 'slack', name: ' ' }, 'name'],
    [{ providerId: 'slack', credentials: 'a-secret-of-acme' }, 'credentials'],
    [{ providerId: 'slack', conditions: { and: [{ shell: 'ls' }] } }, 'conditions.and.0'],
  ])('reject %j with 422, naming the field and revealing no secret', async (body, field) => {
    const client = await world.environment()
    const refused = await client.rest('POST /v1/integrations', { body })
    expect(refused.status).toBe(422)
    expect(Object.keys(refused.body.errors)).toEqual([field])
    expect(JSON.stringify(refused.body)).not.toContain('a-secret-of-acme')
    const { totalCount } = (await client.rest('GET /v1/integrations')).body
    expect(totalCount).toBe(0)
  })
})

describe('the primary integration of a channel', () => {
  const primariesOf = async (client: Client) => {
    const { body } = await client.rest('GET /v1/integrations?orderDirection=ASC')
    return body.data.filter(({ primary }) => primary).map(({ identifier }) => identifier)
  }

  test('is the integration that became primary last, per channel and environment', async () => {
    const [client, other] = [await world.environment(), await world.environment()]
    await create(other, { identifier: 'other', providerId: 'twilio', primary: true })
    await create(client, { identifier: 'chat', providerId: 'slack', primary: true })
    const { _id } = await create(client, { identifier: 'first', providerId: 'twilio', primary: true })
    await create(client, { identifier: 'second', providerId: 'plivo', primary: true })
    expect(await primariesOf(client)).toEqual(['chat', 'second'])
    const back = await client.rest(`PUT /v1/integrations/${_id}`, { body: { primary: true } })
    expect(back.body.primary).toBe(true)
    expect(await primariesOf(client)).toEqual(['chat', 'first'])
    await client.rest(`PUT /v1/integrations/${_id}`, { body: { primary: false } })
    expect(await primariesOf(client)).toEqual(['chat'])
    expect(await primariesOf(other)).toEqual(['other'])
  })

  test('stays primary when its replacement is rejected', async () => {
    const client = await world.environment()
    await create(client, { identifier: 'first', providerId: 'twilio', primary: true })
    const refused = await client.rest('POST /v1/integrations', {
      body: { identifier: 'first', providerId: 'plivo', primary: true },
    })
    expect(refused).toMatchObject({ status: 409, body: { message: 'Integration "first" already exists' } })
    expect(await primariesOf(client)).toEqual(['first'])
  })

  test('is unique after concurrent requests', async () => {
    const client = await world.environment()
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((identifier) => create(client, { identifier, providerId: 'twilio' })),
    )
    const answers = await Promise.all([
      ...ids.map(({ _id }) => client.rest(`PUT /v1/integrations/${_id}`, { body: { primary: true } })),
      client.rest('POST /v1/integrations', { body: { identifier: 'd', providerId: 'plivo', primary: true } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201])
    expect(await primariesOf(client)).toHaveLength(1)
  })
})

describe('the REST and GraphQL APIs', () => {
  test('read and write the same integrations', async () => {
    const client = await world.environment()
    await client.act('createIntegration', {
      identifier: 'graph',
      providerId: 'TWILIO',
      primary: true,
      conditions: onlyForPro,
    })
    const listed = await client.rest('GET /v1/integrations')
    expect(listed.body.data).toMatchObject([{ identifier: 'graph', primary: true, conditions: onlyForPro }])
    const { _id } = await create(client, { identifier: 'rest', providerId: 'twilio', primary: true })
    const primaries = '{ integrations(orderBy: { direction: ASC }) { nodes { id identifier primary conditions } } }'
    const { integrations } = await client.ask(primaries)
    expect(integrations.nodes).toMatchObject([
      { identifier: 'graph', primary: false, conditions: onlyForPro },
      { identifier: 'rest', primary: true, conditions: null },
    ])
    await client.act('updateIntegration', { id: integrations.nodes[0].id, primary: true, conditions: null })
    expect((await client.rest(`PUT /v1/integrations/${_id}`, { body: {} })).body.primary).toBe(false)
    expect((await client.ask(primaries)).integrations.nodes[0]).toMatchObject({ primary: true, conditions: null })
  })

  test.each([
    [{ identifier: 'taken' }, 409, 'CONFLICT', ['identifier']],
    [{ channel: 'email' }, 422, 'BAD_USER_INPUT', ['channel']],
    [{ conditions: { log: 'me' } }, 422, 'BAD_USER_INPUT', ['conditions']],
  ])('reject %j with the same message', async (wrong, status, code, field) => {
    const client = await world.environment()
    await create(client, { identifier: 'taken', providerId: 'slack' })
    const rest = await client.rest('POST /v1/integrations', { body: { providerId: 'slack', ...wrong } })
    const input = { providerId: 'SLACK', ...wrong, ...('channel' in wrong ? { channel: 'EMAIL' } : {}) }
    const { userErrors } = await client.act('createIntegration', input)
    expect(rest.status).toBe(status)
    expect(userErrors).toEqual([{ code, message: rest.body.message, field }])
  })
})

describe('the channels of a subscriber', () => {
  const channelsOf = async (client: Client, subscriberId: string) =>
    (await client.rest(`GET /v2/subscribers/${subscriberId}`)).body.channels

  test('refer to the integration with their identifier, or to the oldest active one of their provider', async () => {
    const client = await world.environment()
    const channels = [
      { providerId: 'fcm', integrationIdentifier: 'new', credentials: { deviceTokens: ['one'] } },
      { providerId: 'fcm', integrationIdentifier: 'none', credentials: { deviceTokens: ['two'] } },
      { providerId: 'fcm', credentials: { deviceTokens: ['three'] } },
    ]
    await client.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', channels } })
    const ids = async () => {
      const shown = await channelsOf(client, 'ada')
      return Object.fromEntries(
        shown.map(({ _integrationId, credentials }) => [credentials.deviceTokens?.[0], _integrationId]),
      )
    }
    expect(await ids()).toEqual({ one: '', two: '', three: '' })
    await create(client, { identifier: 'asleep', providerId: 'fcm', active: false })
    const oldest = await create(client, { identifier: 'old', providerId: 'fcm' })
    const newest = await create(client, { identifier: 'new', providerId: 'fcm' })
    expect(await ids()).toEqual({ one: newest._id, two: '', three: oldest._id })
  })

  test('take the same number of statements for one subscriber as for a page', async () => {
    const client = await world.environment()
    await create(client, { identifier: 'push', providerId: 'fcm' })
    const channels = [
      { providerId: 'fcm', credentials: { deviceTokens: ['one'] } },
      { providerId: 'fcm', integrationIdentifier: 'push', credentials: { deviceTokens: ['two'] } },
    ]
    for (const subscriberId of ['ada', 'grace', 'joan']) {
      await client.rest('POST /v2/subscribers', { body: { subscriberId, channels } })
    }
    const one = await statementsOf(() => client.rest('GET /v2/subscribers?limit=1&subscriberId=ada'))
    const three = await statementsOf(() => client.rest('GET /v2/subscribers?limit=3'))
    expect(three).toHaveLength(one.length)
  })

  test('do not echo a rejected webhook URL', async () => {
    const client = await world.environment()
    const credentials = { webhookUrl: 'hooks.example.com/services/a-secret-of-ada' }
    await client.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    const refusals = [
      await client.rest('PUT /v1/subscribers/ada/credentials', { body: { providerId: 'slack', credentials } }),
      await client.rest('POST /v2/subscribers', {
        body: { subscriberId: 'ada', channels: [{ providerId: 'slack', credentials }] },
      }),
      await client.rest('POST /v2/subscribers', {
        body: { subscriberId: 'ada', channels: { slack: credentials.webhookUrl } },
      }),
    ]
    expect(refusals.map(({ body }) => Object.keys(body.errors))).toEqual([
      ['credentials.webhookUrl'],
      ['channels.0.credentials.webhookUrl'],
      ['channels.slack'],
    ])
    expect(JSON.stringify(refusals)).not.toContain('a-secret-of-ada')
  })
})
