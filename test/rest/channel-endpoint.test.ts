// Channel endpoints in the REST API.
import { describe, expect, test } from 'vitest'
import { EndpointType } from '../../src/data/prisma/enums.ts'
import { adasEndpoint, adasEnvironment } from '../support/ada.ts'
import { contractOf } from '../support/contract.ts'
import { type Client, type RestAnswer, useWorld } from '../support/world.ts'

const world = useWorld()

const phone = (more: object = {}) => ({
  subscriberId: 'ada',
  integrationIdentifier: 'sms',
  type: 'phone',
  endpoint: { phoneNumber: '+4915123456789' },
  ...more,
})

const toolWebhook = (more: object = {}) => ({
  subscriberId: 'ada',
  integrationIdentifier: 'tool',
  type: 'tool_webhook',
  endpoint: { url: 'https://tools.example.com/hooks/secret-of-ada' },
  ...more,
})

async function register(client: Client, ...bodies: object[]): Promise<void> {
  for (const body of bodies)
    expect(await client.rest('POST /v1/channel-endpoints', { body })).toMatchObject({ status: 201 })
}

const identifiersIn = ({ body }: RestAnswer) => body.data.map(({ identifier }) => identifier)

describe('POST /v1/channel-endpoints', () => {
  test('creates an endpoint and returns 201 with all 11 fields', async () => {
    const client = await adasEnvironment(world)
    const created = await client.rest('POST /v1/channel-endpoints', {
      body: phone({
        identifier: 'adas-phone',
        context: { tenant: 'acme', app: { id: 'shop', data: { plan: 'pro' } } },
      }),
    })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      identifier: 'adas-phone',
      channel: 'sms',
      providerId: 'twilio',
      integrationIdentifier: 'sms',
      connectionIdentifier: null,
      subscriberId: 'ada',
      contextKeys: ['app:shop', 'tenant:acme'],
      type: 'phone',
      endpoint: { phoneNumber: '+4915123456789' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updatedAt: created.body.createdAt,
    })
    expect((await client.rest('GET /v1/channel-endpoints/adas-phone')).body).toEqual(created.body)
    expect((await client.rest('GET /v2/subscribers')).body.totalCount).toBe(1)
  })

  test.each([
    [{ identifier: 'taken' }, 409, 'Channel endpoint "taken" already exists'],
    [{ integrationIdentifier: 'none' }, 404, 'Integration "none" not found'],
    [{ subscriberId: 'eve' }, 404, 'Subscriber "eve" not found'],
  ])('rejects %j with %i', async (wrong, status, message) => {
    const client = await adasEnvironment(world)
    await register(client, phone({ identifier: 'taken' }))
    const refused = await client.rest('POST /v1/channel-endpoints', { body: phone(wrong) })
    expect(refused).toMatchObject({ status, body: { statusCode: status, path: '/v1/channel-endpoints', message } })
    expect((await client.rest('GET /v1/channel-endpoints')).body.totalCount).toBe(1)
  })

  test.each([
    [{ endpoint: { phoneNumber: '0151 234' } }, 'endpoint.phoneNumber'],
    [{ type: 'tool_webhook', integrationIdentifier: 'tool', endpoint: { url: 'nowhere' } }, 'endpoint.url'],
    [{ type: 'pigeon' }, 'type'],
    [{ type: 'messenger_chat', endpoint: { chatId: '1' } }, 'type'],
    [{ context: { tenant: 'a b' } }, 'context.tenant'],
    [{ subscriberId: undefined }, 'subscriberId'],
    [{ endpoint: 'xoxb-a-secret' }, 'endpoint'],
  ])('rejects %j with a 422 that names the field and does not echo the endpoint', async (wrong, field) => {
    const client = await adasEnvironment(world)
    const refused = await client.rest('POST /v1/channel-endpoints', { body: phone(wrong) })
    expect(refused.status).toBe(422)
    expect(Object.keys(refused.body.errors)).toEqual([field])
    expect(refused.body.errors[field]?.messages).toEqual([expect.stringContaining(field.split('.').at(-1) ?? '')])
    expect(JSON.stringify(refused.body)).not.toMatch(/0151 234|nowhere|xoxb/)
  })
})

describe('the OpenAPI document', () => {
  const url = 'https://hooks.example.com/1'
  const key = '7f0c1b9a-3d52-4e8f-9a41-0c5b6d7e8f90'
  /** By type: an integration, and addresses with and without what is optional. Null is the same as absent. */
  const addresses = {
    workspace_chat_channel: ['chat', { channelId: 'C1' }],
    workspace_chat_user: ['chat', { userId: 'U1' }],
    webhook: ['chat', { url }, { url, channel: null }, { url, channel: 'general' }],
    phone: ['sms', { phoneNumber: '+4915123456789' }],
    office_chat_channel: ['chat', { teamId: 'T1', channelId: 'C1' }],
    office_chat_user: ['chat', { userId: 'U1' }],
    messenger_chat: ['chat', { chatId: '-1' }],
    meeting_room: ['chat', { roomId: 'R1' }, { roomId: 'R1', parentId: null }, { roomId: 'R1', parentId: 'M1' }],
    meeting_person: ['chat', { personEmail: 'ada@example.com' }, { personId: 'P1', personEmail: null }],
    messaging_app_user: ['chat', { userId: 'U1' }],
    incident_service: ['tool', { routingKey: 'R0utingKeyOfTheIncidentService32', region: 'eu' }],
    alerting_integration: ['tool', { apiKey: key, region: 'us' }],
    oncall_integration: ['tool', { url }, { url, authToken: null }, { url, authToken: 'secret' }],
    tool_webhook: ['tool', { url: `${url}/a` }, { url: `${url}/b`, headers: { 'X-Token': 'secret' }, method: 'PUT' }],
  } as const satisfies Record<EndpointType, readonly [string, object, ...object[]]>

  const requestOf = async (operation: string, parameters: Record<string, string>, body: object) =>
    (await contractOf(world.app)).requestOf('http://gateway.test', operation, parameters, body)

  test.each(Object.values(EndpointType))('describes each address of %s that the API accepts', async (type) => {
    const client = await adasEnvironment(world)
    const [integrationIdentifier, ...accepted] = addresses[type]
    for (const [index, endpoint] of accepted.entries()) {
      const identifier = `number-${index}`
      const body = { subscriberId: 'ada', integrationIdentifier, identifier, type, endpoint }
      await requestOf('channelEndpoint.create', {}, body)
      await register(client, body)
      await requestOf('channelEndpoint.update', { identifier }, { endpoint })
      const updated = await client.rest(`PATCH /v1/channel-endpoints/${identifier}`, { body: { endpoint } })
      expect(updated.status).toBe(200)
    }
  })

  test.each([
    ['no address', { endpoint: undefined }],
    ['an address of another type', { endpoint: { chatId: '1' } }],
    ['an invalid address', { endpoint: { phoneNumber: '0151 234' } }],
    ['an unknown type', { type: 'pigeon' }],
  ])('describes no body with %s', async (_what, wrong) => {
    const client = await adasEnvironment(world)
    await expect(requestOf('channelEndpoint.create', {}, phone(wrong))).rejects.toThrow('channelEndpoint.create')
    expect(await client.rest('POST /v1/channel-endpoints', { body: phone(wrong) })).toMatchObject({ status: 422 })
  })

  test('accepts no update with an address of an unknown type', async () => {
    const body = { endpoint: { phoneNumber: '0151 234' } }
    await expect(requestOf('channelEndpoint.update', { identifier: 'a' }, body)).rejects.toThrow('/endpoint must')
  })
})

describe('GET /v1/channel-endpoints', () => {
  test('returns an empty page if there are no endpoints', async () => {
    const client = await world.environment()
    expect(await client.rest('GET /v1/channel-endpoints')).toMatchObject({
      status: 200,
      body: { data: [], next: null, previous: null, totalCount: 0, totalCountCapped: false },
    })
  })

  test('returns tool webhooks decrypted, with headers and method only if they were set', async () => {
    const client = await adasEnvironment(world)
    const whole = { url: 'https://tools.example.com/hooks/1', headers: { 'X-Token': 'secret' }, method: 'PUT' }
    const plain = { url: 'https://tools.example.com/hooks/2' }
    await register(client, toolWebhook({ endpoint: whole }), toolWebhook({ endpoint: plain }))
    const { body } = await client.rest('GET /v1/channel-endpoints?channel=tool')
    expect(body.data.map(({ endpoint }) => endpoint)).toEqual([plain, whole])
  })

  test('returns 10 items by default, newest first', async () => {
    const client = await adasEnvironment(world)
    const names = Array.from({ length: 11 }, (_, index) => `phone-${index}`)
    await register(client, ...names.map((identifier) => phone({ identifier })))
    const first = await client.rest('GET /v1/channel-endpoints')
    expect(identifiersIn(first)).toEqual(names.toReversed().slice(0, 10))
    expect(first.body).toMatchObject({ previous: null, totalCount: 11, totalCountCapped: false })
    const rest = await client.rest(`GET /v1/channel-endpoints?after=${first.body.next}`)
    expect(identifiersIn(rest)).toEqual(['phone-0'])
    expect(rest.body.next).toBeNull()
    const oldest = await client.rest('GET /v1/channel-endpoints?orderDirection=ASC&limit=1')
    expect(identifiersIn(oldest)).toEqual(['phone-0'])
  })

  test('orders by updatedAt or createdAt', async () => {
    const client = await adasEnvironment(world)
    await register(client, phone({ identifier: 'first' }), phone({ identifier: 'second' }))
    await client.rest('PATCH /v1/channel-endpoints/first', { body: { endpoint: { phoneNumber: '+4915198765432' } } })
    expect(identifiersIn(await client.rest('GET /v1/channel-endpoints?orderBy=updatedAt'))).toEqual(['first', 'second'])
    expect(identifiersIn(await client.rest('GET /v1/channel-endpoints?orderBy=createdAt'))).toEqual(['second', 'first'])
  })

  test('filters by each parameter and by several together', async () => {
    const client = await adasEnvironment(world)
    await client.rest('POST /v2/subscribers', { body: { subscriberId: 'grace' } })
    await register(
      client,
      phone({ identifier: 'plain' }),
      phone({ identifier: 'acme', context: { tenant: 'acme' } }),
      phone({ identifier: 'both', context: { tenant: 'acme', app: 'shop' }, connectionIdentifier: 'line 1' }),
      toolWebhook({ identifier: 'tool' }),
      phone({ identifier: 'grace', subscriberId: 'grace' }),
    )
    const found = async (query: string) => {
      const answer = await client.rest(`GET /v1/channel-endpoints?orderDirection=ASC&${query}`)
      expect(answer.body.totalCount).toBe(answer.body.data.length)
      return identifiersIn(answer)
    }
    expect(await found('subscriberId=grace')).toEqual(['grace'])
    expect(await found('channel=tool')).toEqual(['tool'])
    expect(await found('providerId=twilio')).toEqual(['plain', 'acme', 'both', 'grace'])
    expect(await found('integrationIdentifier=tool')).toEqual(['tool'])
    expect(await found('connectionIdentifier=line%201')).toEqual(['both'])
    expect(await found('contextKeys=tenant%3Aacme')).toEqual(['acme'])
    expect(await found('contextKeys=tenant%3Aacme&contextKeys=app%3Ashop')).toEqual(['both'])
    expect(await found('contextKeys=app:shop&contextKeys=tenant:acme')).toEqual(['both'])
    expect(await found('contextKeys=')).toEqual(['plain', 'tool', 'grace'])
    expect(await found('contextKeys=&channel=sms&subscriberId=ada&providerId=twilio')).toEqual(['plain'])
    expect(await found('contextKeys=tenant:other')).toEqual([])
  })

  test('applies the filter to every page in both directions', async () => {
    const client = await adasEnvironment(world)
    for (const identifier of ['a', 'b', 'c']) {
      await register(
        client,
        phone({ identifier }),
        phone({ identifier: `${identifier}-acme`, context: { tenant: 'acme' } }),
      )
    }
    const page = (query: string) =>
      client.rest(`GET /v1/channel-endpoints?contextKeys=&limit=2&orderDirection=ASC${query}`)
    const first = await page('')
    expect(identifiersIn(first)).toEqual(['a', 'b'])
    expect(first.body).toMatchObject({ previous: null, totalCount: 3 })
    const second = await page(`&after=${first.body.next}`)
    expect(identifiersIn(second)).toEqual(['c'])
    expect(second.body).toMatchObject({ next: null, previous: expect.any(String), totalCount: 3 })
    const back = await page(`&before=${second.body.previous}`)
    expect(identifiersIn(back)).toEqual(['a', 'b'])
    expect(back.body).toMatchObject({ next: expect.any(String), previous: null })
    expect(identifiersIn(await page(`&after=${first.body.next}&includeCursor=true`))).toEqual(['b', 'c'])
    expect(identifiersIn(await page(`&before=${second.body.previous}&includeCursor=true`))).toEqual(['b', 'c'])
  })

  test.each([
    ['limit=101', 422, 'limit'],
    ['channel=pigeon', 422, 'channel'],
    ['providerId=nobody', 422, 'providerId'],
    ['orderBy=identifier', 422, 'orderBy'],
    ['orderDirection=UP', 422, 'orderDirection'],
    ['contextKeys=acme', 422, 'contextKeys.0'],
  ])('rejects ?%s with %i', async (query, status, field) => {
    const refused = await world.development.rest(`GET /v1/channel-endpoints?${query}`)
    expect(refused.status).toBe(status)
    expect(Object.keys(refused.body.errors)).toEqual([field])
  })

  test.each(['after=nonsense', 'before=nonsense', 'after=one&before=another'])(
    'rejects ?%s with 400',
    async (query) => {
      expect((await world.development.rest(`GET /v1/channel-endpoints?${query}`)).status).toBe(400)
    },
  )

  test('does not expose endpoints to other environments', async () => {
    const [mine, other] = [await adasEnvironment(world), await adasEnvironment(world)]
    await register(mine, phone({ identifier: 'mine' }))
    expect((await other.rest('GET /v1/channel-endpoints')).body.data).toEqual([])
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { endpoint: { phoneNumber: '+4915198765432' } } : undefined
      const refused = await other.rest(`${method} /v1/channel-endpoints/mine`, { body })
      expect(refused).toMatchObject({ status: 404, body: { message: 'Channel endpoint "mine" not found' } })
    }
    expect((await mine.rest('GET /v1/channel-endpoints/mine')).body.endpoint).toEqual(phone().endpoint)
  })
})

describe('a channel endpoint', () => {
  test('is updated by PATCH, except for its type, and deleted by DELETE', async () => {
    const client = await adasEnvironment(world)
    await register(client, phone({ identifier: 'adas/phone' }))
    const path = '/v1/channel-endpoints/adas%2Fphone'
    const changed = await client.rest(`PATCH ${path}`, { body: { endpoint: { phoneNumber: '+4915198765432' } } })
    expect(changed).toMatchObject({
      status: 200,
      body: { identifier: 'adas/phone', endpoint: { phoneNumber: '+4915198765432' } },
    })
    const refused = await client.rest(`PATCH ${path}`, { body: { endpoint: { chatId: '1' } } })
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: { 'endpoint.phoneNumber': { messages: [expect.any(String)] } } },
    })
    const retyped = await client.rest(`PATCH ${path}`, { body: { type: 'messenger_chat', endpoint: { chatId: '1' } } })
    expect(retyped).toMatchObject({ status: 422, body: { errors: { type: { value: 'messenger_chat' } } } })
    expect(await client.rest(`DELETE ${path}`)).toMatchObject({ status: 204, body: undefined })
    expect((await client.rest(`GET ${path}`)).status).toBe(404)
    expect((await client.rest(`DELETE ${path}`)).status).toBe(404)
  })
})

describe('the REST and GraphQL APIs', () => {
  test('create the same endpoint, and read what the other created', async () => {
    const client = await adasEnvironment(world)
    await client.act('createChannelEndpoint', adasEndpoint('sms', { phone: phone().endpoint }, { identifier: 'graph' }))
    await register(client, phone({ identifier: 'rest' }))
    const strip = ({ body }: RestAnswer) => ({ ...body, identifier: '', createdAt: '', updatedAt: '' })
    expect(strip(await client.rest('GET /v1/channel-endpoints/graph'))).toEqual(
      strip(await client.rest('GET /v1/channel-endpoints/rest')),
    )
    expect(
      await client.ask('{ channelEndpoint(identifier: "rest") { endpoint { ... on Phone { phoneNumber } } } }'),
    ).toEqual({
      channelEndpoint: { endpoint: { phoneNumber: '+4915123456789' } },
    })
  })

  test.each([
    [{ identifier: 'taken' }, 409, 'CONFLICT', 'identifier'],
    [{ integrationIdentifier: 'none' }, 404, 'NOT_FOUND', 'integrationIdentifier'],
    [{ subscriberId: 'eve' }, 404, 'NOT_FOUND', 'subscriberId'],
    [{ connectionIdentifier: ' ' }, 422, 'BAD_USER_INPUT', 'connectionIdentifier'],
  ])('reject %j with the same message', async (wrong, status, code, field) => {
    const client = await adasEnvironment(world)
    await register(client, phone({ identifier: 'taken' }))
    const rest = await client.rest('POST /v1/channel-endpoints', { body: phone(wrong) })
    const { userErrors } = await client.act(
      'createChannelEndpoint',
      adasEndpoint('sms', { phone: phone().endpoint }, wrong),
    )
    expect(rest.status).toBe(status)
    expect(userErrors).toEqual([{ code, message: rest.body.message, field: [field] }])
  })
})
