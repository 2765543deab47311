// Channel endpoints: creating, changing and deleting the destinations of a subscriber.
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createRateLimiter } from '../../src/http/rate-limit.ts'
import { createTurns } from '../../src/http/turns.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { adasEndpoint, adasEnvironment, endpointFields } from '../support/ada.ts'
import { createClient, useWorld } from '../support/world.ts'

const world = useWorld()

const payload = `channelEndpoint { identifier type ${endpointFields} }`

const byIdentifier = `query ($identifier: String!) { channelEndpoint(identifier: $identifier) { type ${endpointFields} } }`

describe('createChannelEndpoint', () => {
  test('takes the channel and provider from the integration and creates the contexts', async () => {
    const client = await adasEnvironment(world)
    const created = await client.act(
      'createChannelEndpoint',
      adasEndpoint(
        'sms',
        { phone: { phoneNumber: '+4915123456789' } },
        {
          identifier: 'adas-phone',
          connectionIdentifier: 'line-1',
          contexts: [
            { type: 'tenant', identifier: 'acme', data: { plan: 'pro' } },
            { type: 'app', identifier: 'shop' },
          ],
        },
      ),
      `channelEndpoint {
        identifier channel providerId integrationIdentifier connectionIdentifier subscriberId contextKeys
        subscriber { firstName } integration { identifier } contexts { key data }
      }`,
    )
    expect(created).toEqual({
      channelEndpoint: {
        identifier: 'adas-phone',
        channel: 'SMS',
        providerId: 'TWILIO',
        integrationIdentifier: 'sms',
        connectionIdentifier: 'line-1',
        subscriberId: 'ada',
        contextKeys: ['app:shop', 'tenant:acme'],
        subscriber: { firstName: 'Ada' },
        integration: { identifier: 'sms' },
        contexts: [
          { key: 'app:shop', data: {} },
          { key: 'tenant:acme', data: { plan: 'pro' } },
        ],
      },
      userErrors: [],
    })
  })

  test('finds the integration by its node id too', async () => {
    const client = await adasEnvironment(world)
    const { integration } = await client.ask('{ integration(identifier: "sms") { id } }')
    const { integrationIdentifier: _named, ...input } = adasEndpoint('sms', {
      phone: { phoneNumber: '+4915123456789' },
    })
    const created = await client.act(
      'createChannelEndpoint',
      { ...input, integrationId: integration.id },
      'channelEndpoint { integrationIdentifier }',
    )
    expect(created).toEqual({ channelEndpoint: { integrationIdentifier: 'sms' }, userErrors: [] })
    const { userErrors } = await client.act('createChannelEndpoint', input)
    expect(userErrors).toMatchObject([{ message: 'integrationIdentifier or integrationId is required' }])
  })

  test.each([
    [{ subscriberId: 'eve' }, 'NOT_FOUND', 'subscriberId', 'Subscriber "eve" not found'],
    [{ integrationIdentifier: 'none' }, 'NOT_FOUND', 'integrationIdentifier', 'Integration "none" not found'],
    [{ identifier: '' }, 'BAD_USER_INPUT', 'identifier', 'identifier must not be empty'],
  ])('rejects %j', async (wrong, code, field, message) => {
    const client = await adasEnvironment(world)
    const input = { ...adasEndpoint('chat', { messengerChat: { chatId: '1' } }), ...wrong }
    expect((await client.act('createChannelEndpoint', input)).userErrors).toEqual([{ code, message, field: [field] }])
    expect(await client.ask('{ channelEndpoints { totalCount } }')).toEqual({ channelEndpoints: { totalCount: 0 } })
  })

  test('rejects a type that the integration does not deliver to', async () => {
    const client = await adasEnvironment(world)
    const refused = await client.act(
      'createChannelEndpoint',
      adasEndpoint('email', { phone: { phoneNumber: '+4915123456789' } }),
    )
    expect(refused.userErrors).toEqual([
      {
        code: 'BAD_USER_INPUT',
        message: 'type phone requires an integration of the channel sms or chat: "email" has the channel email',
        field: ['endpoint', 'phone'],
      },
    ])
  })

  test('rejects zero or two types before anything runs', async () => {
    const client = await adasEnvironment(world)
    for (const endpoint of [{}, { phone: { phoneNumber: '+4915123456789' }, messengerChat: { chatId: '1' } }]) {
      const { errors } = await client.send(
        'mutation ($input: CreateChannelEndpointInput!) { createChannelEndpoint(input: $input) { userErrors { message } } }',
        { input: adasEndpoint('chat', endpoint) },
      )
      expect(errors[0]?.message).toMatch(/Exactly one key must be specified for OneOf type "EndpointInput"/)
    }
  })

  test('returns CONFLICT to all but one of ten concurrent requests with the same identifier', async () => {
    const client = await adasEnvironment(world)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        client.act(
          'createChannelEndpoint',
          adasEndpoint('chat', { messengerChat: { chatId: String(index) } }, { identifier: 'the-one' }),
          'channelEndpoint { identifier }',
        ),
      ),
    )
    expect(answers.filter(({ userErrors }) => userErrors.length === 0)).toHaveLength(1)
    const [first, ...others] = answers.flatMap(({ userErrors }) => userErrors)
    expect(first).toEqual({
      code: 'CONFLICT',
      message: 'Channel endpoint "the-one" already exists',
      field: ['identifier'],
    })
    expect(others).toEqual(Array.from({ length: 8 }, () => first))
    expect(await client.ask('{ channelEndpoints { totalCount } }')).toEqual({ channelEndpoints: { totalCount: 1 } })
  })
})

describe('tool webhooks', () => {
  const conflict = {
    code: 'CONFLICT',
    message: 'endpoint.url is already registered for this subscriber, integration and context',
    field: ['endpoint', 'toolWebhook', 'url'],
  }

  test('are unique per subscriber, integration, URL and context', async () => {
    const client = await adasEnvironment(world)
    const post = async (url: string, more: object = {}) =>
      (await client.act('createChannelEndpoint', adasEndpoint('tool', { toolWebhook: { url } }, more))).userErrors
    expect(await post('https://tools.example.com/a')).toEqual([])
    expect(await post('https://tools.example.com/b')).toEqual([])
    expect(await post('https://tools.example.com/a')).toEqual([conflict])
    expect(await post('HTTPS://tools.example.com:443/a')).toEqual([conflict])
    expect(await post('https://tools.example.com/a', { contexts: [{ type: 'tenant', identifier: 'acme' }] })).toEqual(
      [],
    )
    expect(await client.ask('{ channelEndpoints { totalCount } }')).toEqual({ channelEndpoints: { totalCount: 3 } })
  })

  test('cannot change to a URL that is already registered', async () => {
    const client = await adasEnvironment(world)
    for (const name of ['a', 'b']) {
      const toolWebhook = { url: `https://tools.example.com/${name}` }
      await client.act('createChannelEndpoint', adasEndpoint('tool', { toolWebhook }, { identifier: name }))
    }
    const change = async (url: string) =>
      (await client.act('updateChannelEndpoint', { identifier: 'b', endpoint: { toolWebhook: { url } } })).userErrors
    expect(await change('https://tools.example.com/a')).toEqual([conflict])
    expect(await change('https://tools.example.com/b')).toEqual([])
    expect(await change('https://tools.example.com/c')).toEqual([])
  })

  test('cannot change to it with an idempotency key either', async () => {
    const client = await adasEnvironment(world)
    for (const name of ['a', 'b']) {
      const toolWebhook = { url: `https://tools.example.com/${name}` }
      await client.act('createChannelEndpoint', adasEndpoint('tool', { toolWebhook }, { identifier: name }))
    }
    const headers = { 'idempotency-key': 'change-b' }
    const body = { endpoint: { url: 'https://tools.example.com/a' } }
    const change = () => client.rest('PATCH /v1/channel-endpoints/b', { headers, body })
    for (const answer of [await change(), await change()]) {
      expect(answer).toMatchObject({
        status: 409,
        body: { message: conflict.message },
      })
    }
  })
})

describe('an existing endpoint', () => {
  test('gets a new destination by an update and keeps everything else', async () => {
    const client = await adasEnvironment(world)
    const url = 'https://tools.example.com/a'
    const toolWebhook = { url, headers: [{ name: 'X-A', value: '1' }], method: 'PUT' }
    await client.act('createChannelEndpoint', adasEndpoint('tool', { toolWebhook }, { identifier: 'hook' }))
    const changed = await client.act(
      'updateChannelEndpoint',
      { identifier: 'hook', endpoint: { toolWebhook: { url } } },
      payload,
    )
    expect(changed).toEqual({
      channelEndpoint: {
        identifier: 'hook',
        type: 'TOOL_WEBHOOK',
        endpoint: { __typename: 'ToolWebhook', url, headers: null, method: null },
      },
      userErrors: [],
    })
  })

  test('rejects a change of type and an invalid destination', async () => {
    const client = await adasEnvironment(world)
    await client.act(
      'createChannelEndpoint',
      adasEndpoint('sms', { phone: { phoneNumber: '+4915123456789' } }, { identifier: 'p' }),
    )
    const change = async (endpoint: object) =>
      (await client.act('updateChannelEndpoint', { identifier: 'p', endpoint })).userErrors
    expect(await change({ messengerChat: { chatId: '1' } })).toEqual([
      {
        code: 'BAD_USER_INPUT',
        message: 'type cannot change from phone: create another endpoint instead',
        field: ['endpoint', 'messengerChat'],
      },
    ])
    expect(await change({ phone: { phoneNumber: '12' } })).toMatchObject([
      { field: ['endpoint', 'phone', 'phoneNumber'] },
    ])
    expect(await client.ask(byIdentifier, { identifier: 'p' })).toMatchObject({
      channelEndpoint: { endpoint: { phoneNumber: '+4915123456789' } },
    })
  })

  test('cannot be read, changed or deleted from another environment', async () => {
    const [client, other] = [await adasEnvironment(world), await adasEnvironment(world)]
    const { channelEndpoint } = await client.act(
      'createChannelEndpoint',
      adasEndpoint('sms', { phone: { phoneNumber: '+4915123456789' } }, { identifier: 'p' }),
      'channelEndpoint { id }',
    )
    const refusal = [{ code: 'NOT_FOUND', message: 'Channel endpoint "p" not found', field: ['identifier'] }]
    const endpoint = { phone: { phoneNumber: '+15551234567' } }
    expect((await other.act('updateChannelEndpoint', { identifier: 'p', endpoint })).userErrors).toEqual(refusal)
    expect((await other.act('deleteChannelEndpoint', { identifier: 'p' })).userErrors).toEqual(refusal)
    expect(await other.ask(byIdentifier, { identifier: 'p' })).toEqual({ channelEndpoint: null })

    const node = 'query ($id: ID!) { node(id: $id) { ... on ChannelEndpoint { identifier } } }'
    expect(await client.ask(node, channelEndpoint)).toEqual({ node: { identifier: 'p' } })
    expect(await other.ask(node, channelEndpoint)).toEqual({ node: null })
    const deleted = await client.act('deleteChannelEndpoint', { identifier: 'p' }, 'deletedId')
    expect(deleted).toEqual({ deletedId: channelEndpoint.id, userErrors: [] })
    expect(await client.ask(node, channelEndpoint)).toEqual({ node: null })
  })

  test('follows a new identifier of its integration and is deleted with the integration', async () => {
    const client = await adasEnvironment(world)
    await client.act(
      'createChannelEndpoint',
      adasEndpoint('sms', { phone: { phoneNumber: '+4915123456789' } }, { identifier: 'p' }),
    )
    const { integration } = await client.ask('{ integration(identifier: "sms") { id } }')
    await client.act('updateIntegration', { id: integration.id, identifier: 'texts' })
    const read = '{ channelEndpoint(identifier: "p") { integrationIdentifier integration { identifier } } }'
    expect(await client.ask(read)).toEqual({
      channelEndpoint: { integrationIdentifier: 'texts', integration: { identifier: 'texts' } },
    })
    await client.act('deleteIntegration', { id: integration.id })
    expect(await client.ask(read)).toEqual({ channelEndpoint: null })
  })
})

describe('encryption key rotation', () => {
  test('keeps secrets of the old key readable and encrypts updated ones with the new key', async () => {
    const client = await adasEnvironment(world)
    const logger = pino({ level: 'silent' })
    const [old, fresh] = [newKeyRing().replace(/^[^:]*/, 'old'), newKeyRing().replace(/^[^:]*/, 'fresh')]
    const through = (ring: string) =>
      createClient(
        createApp({
          readiness: () => Promise.reject(new Error('not asked')),
          gateway: { ...world.gateway, cipher: new Cipher(ring) },
          logger,
          rateLimiter: createRateLimiter({ rates: 'off', now: world.gateway.now, logger }),
          turns: createTurns(5),
          corsOrigins: [],
          trustedProxies: 0,
          introspection: true,
          graphiql: false,
          dashboard: false,
        }),
        client.key,
      )
    const [before, during, after] = [through(old), through(`${fresh},${old}`), through(fresh)]
    const routingKey = 'R0utingKeyOfTheIncidentService32'
    const endpoint = { incidentService: { routingKey, region: 'EU' } }
    await before.act('createChannelEndpoint', adasEndpoint('tool', endpoint, { identifier: 'incident' }))
    const unreadable = {
      data: { channelEndpoint: { endpoint: null } },
      errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    }
    const kept = { channelEndpoint: { endpoint: { routingKey } } }
    expect(await during.ask(byIdentifier, { identifier: 'incident' })).toMatchObject(kept)
    expect(await after.send(byIdentifier, { identifier: 'incident' })).toMatchObject(unreadable)

    await during.act('updateChannelEndpoint', { identifier: 'incident', endpoint })
    expect(await after.ask(byIdentifier, { identifier: 'incident' })).toMatchObject(kept)
    expect(await before.send(byIdentifier, { identifier: 'incident' })).toMatchObject(unreadable)
  })
})
