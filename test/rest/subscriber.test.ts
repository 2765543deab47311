// Subscribers over REST.
import { describe, expect, test } from 'vitest'
import { type RestAnswer, useWorld } from '../support/world.ts'

const world = useWorld()

describe('POST /v2/subscribers', () => {
  test('creates a subscriber and returns 201 with every required field', async () => {
    const acme = await world.environment()
    const created = await acme.rest('POST /v2/subscribers', {
      body: { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com', data: { plan: 'pro' } },
    })
    expect(created.status).toBe(201)
    expect(created.headers.get('content-type')).toBe('application/json')
    expect(created.body).toEqual({
      _id: expect.any(String),
      subscriberId: 'ada',
      firstName: 'Ada',
      email: 'ada@example.com',
      data: { plan: 'pro' },
      channels: [],
      _organizationId: expect.any(String),
      _environmentId: expect.any(String),
      isOnline: false,
      deleted: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
  })

  test('updates the given fields if the subscriberId exists, and still returns 201', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', firstName: 'Ada', phone: '+1' } })
    const again = await acme.rest('POST /v2/subscribers', {
      body: { subscriberId: 'ada', phone: null, lastName: 'King' },
    })
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ firstName: 'Ada', lastName: 'King' })
    expect(again.body).not.toHaveProperty('phone')
  })

  test('rounds integers beyond 2^53 in JSON, as documented, and keeps strings', async () => {
    const acme = await world.environment()
    const { body } = await acme.rest<{ data: Record<string, unknown> }>('POST /v2/subscribers', {
      body: '{ "subscriberId": "ada", "data": { "number": 12345678901234567890, "text": "12345678901234567890" } }',
      headers: { 'content-type': 'application/json' },
    })
    expect(JSON.stringify(body.data['number'])).toBe('12345678901234567000')
    expect(body.data['text']).toBe('12345678901234567890')
  })

  test.each(['.', '..'])('accepts the id %s, which only the graph can then reach', async (subscriberId) => {
    const acme = await world.environment()
    expect(await acme.rest('POST /v2/subscribers', { body: { subscriberId } })).toMatchObject({ status: 201 })
    const { updateSubscriber } = await acme.ask(
      `mutation { updateSubscriber(input: { subscriberId: "${subscriberId}", firstName: "Dot" }) { subscriber { subscriberId firstName } } }`,
    )
    expect(updateSubscriber.subscriber).toEqual({ subscriberId, firstName: 'Dot' })
    expect(await acme.act('deleteSubscriber', { subscriberId })).toMatchObject({ userErrors: [] })
    expect(await acme.ask(`{ subscriber(subscriberId: "${subscriberId}") { id } }`)).toEqual({ subscriber: null })
  })

  test('returns the channels that were stored before, as PATCH does', async () => {
    const acme = await world.environment()
    const channels = { fcm: { deviceTokens: ['one'] } }
    const { body: created } = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', channels } })
    const { body: posted } = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', phone: '+1' } })
    const { body: patched } = await acme.rest('PATCH /v2/subscribers/ada', { body: { phone: '+2' } })
    expect(created.channels).toMatchObject([{ providerId: 'fcm', credentials: { deviceTokens: ['one'] } }])
    expect([posted.channels, patched.channels]).toEqual([created.channels, created.channels])
  })

  test('returns 409 with the existing subscriber if failIfExists is set', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', firstName: 'Ada' } })
    const refused = await acme.rest('POST /v2/subscribers?failIfExists=true', {
      body: { subscriberId: 'ada', firstName: 'Eve' },
    })
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      statusCode: 409,
      path: '/v2/subscribers',
      message: 'Subscriber "ada" already exists',
      subscriberId: 'ada',
      firstName: 'Ada',
    })
  })

  test('returns 422 with each invalid field and its value', async () => {
    const acme = await world.environment()
    const refused = await acme.rest('POST /v2/subscribers', { body: { subscriberId: '', email: 'not an address' } })
    expect(refused.status).toBe(422)
    expect(refused.body).toEqual({
      statusCode: 422,
      timestamp: expect.any(String),
      path: '/v2/subscribers',
      message: expect.any(String),
      errors: {
        subscriberId: { messages: ['subscriberId must not be empty'], value: '' },
        email: { messages: ['email must be an email address'], value: 'not an address' },
      },
    })
  })

  test('accepts a body wrapped in data, and credentials by provider', async () => {
    const acme = await world.environment()
    const created = await acme.rest('POST /v2/subscribers', {
      body: { data: { subscriberId: 'ada', channels: { fcm: { deviceTokens: ['one'] } } } },
    })
    expect(created.body.channels).toEqual([
      { _integrationId: '', providerId: 'fcm', credentials: { deviceTokens: ['one'] } },
    ])
  })
})

describe('/v2/subscribers/{subscriberId}', () => {
  test.each(['a/b', 'a:b=c', '100%', 'a%2Fb', 'ä ö', '?x#y'])(
    'finds the percent-encoded id %j',
    async (subscriberId) => {
      const acme = await world.environment()
      await acme.rest('POST /v2/subscribers', { body: { subscriberId } })
      const read = await acme.rest(`GET /v2/subscribers/${encodeURIComponent(subscriberId)}`)
      expect(read.status).toBe(200)
      expect(read.body.subscriberId).toBe(subscriberId)
    },
  )

  test('returns a 404 that names an unknown subscriber', async () => {
    const missing = await world.development.rest('GET /v2/subscribers/nobody')
    expect(missing.status).toBe(404)
    expect(missing.body).toEqual({
      statusCode: 404,
      timestamp: expect.any(String),
      path: '/v2/subscribers/nobody',
      message: 'Subscriber "nobody" not found',
    })
  })

  test('updates on PATCH, and acknowledges a DELETE', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', phone: '+1' } })
    const changed = await acme.rest('PATCH /v2/subscribers/ada', { body: { phone: null, locale: 'en_US' } })
    expect(changed).toMatchObject({ status: 200, body: { locale: 'en_US' } })
    const deleted = await acme.rest('DELETE /v2/subscribers/ada')
    expect(deleted).toMatchObject({ status: 200, body: { acknowledged: true, status: 'deleted' } })
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(404)
  })
})

describe('POST /v1/subscribers/bulk', () => {
  test('returns created, updated and failed subscribers separately', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    const answer = await acme.rest('POST /v1/subscribers/bulk', {
      body: {
        subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }, { subscriberId: 'eve', email: 'x' }, {}],
      },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      created: [{ subscriberId: 'grace' }],
      updated: [{ subscriberId: 'ada' }],
      failed: [
        { subscriberId: 'eve', message: 'email must be an email address' },
        { message: 'subscriberId is required' },
      ],
    })
  })
})

describe('GET /v2/subscribers', () => {
  test('pages by cursor in both directions', async () => {
    const acme = await world.environment()
    for (const subscriberId of ['a', 'b', 'c']) await acme.rest('POST /v2/subscribers', { body: { subscriberId } })
    const ids = ({ body }: RestAnswer) => body.data.map(({ subscriberId }) => subscriberId)
    const first = await acme.rest('GET /v2/subscribers?limit=2&orderDirection=ASC')
    expect(ids(first)).toEqual(['a', 'b'])
    expect(first.body).toMatchObject({ previous: null, totalCount: 3, totalCountCapped: false })
    const second = await acme.rest(`GET /v2/subscribers?limit=2&orderDirection=ASC&after=${first.body.next}`)
    expect(ids(second)).toEqual(['c'])
    expect(second.body.next).toBeNull()
    const back = await acme.rest(`GET /v2/subscribers?limit=2&orderDirection=ASC&before=${second.body.previous}`)
    expect(ids(back)).toEqual(['a', 'b'])
    expect(back.body.previous).toBeNull()
    expect(back.body.next).not.toBeNull()
  })
})

describe('subscriber credentials', () => {
  test('are set by PUT, added to by PATCH, and removed by DELETE with a 204', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    await acme.rest('PUT /v1/subscribers/ada/credentials', {
      body: { providerId: 'fcm', credentials: { deviceTokens: ['one'] } },
    })
    const added = await acme.rest('PATCH /v1/subscribers/ada/credentials', {
      body: { providerId: 'fcm', credentials: { deviceTokens: ['two', 'one'] } },
    })
    expect(added.body.channels[0].credentials.deviceTokens).toEqual(['one', 'two'])
    const forgotten = await acme.rest('DELETE /v1/subscribers/ada/credentials/fcm')
    expect(forgotten).toMatchObject({ status: 204, body: undefined })
  })

  test('with more than 100 device tokens are rejected with a 400 that has the stored count and the limit', async () => {
    const acme = await world.environment()
    const send = (method: string, count: number, from = 0) =>
      acme.rest(`${method} /v1/subscribers/ada/credentials`, {
        body: {
          providerId: 'fcm',
          credentials: { deviceTokens: Array.from({ length: count }, (_, index) => `token-${from + index}`) },
        },
      })
    const rejected = (currentCount: number) => ({ status: 400, body: { ctx: { currentCount, limit: 100 } } })
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    expect(await send('PUT', 101)).toMatchObject(rejected(0))
    expect(await send('PUT', 100)).toMatchObject({ status: 200 })
    expect(await send('PATCH', 1, 100)).toMatchObject(rejected(100))
    expect(await send('PUT', 101)).toMatchObject(rejected(100))
    const channels = [
      { providerId: 'fcm', credentials: { deviceTokens: Array.from({ length: 101 }, (_, index) => `${index}`) } },
    ]
    expect(await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', channels } })).toMatchObject(
      rejected(100),
    )
  })
})
