// Subscribers: creating, upserting, updating and deleting one at a time.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client
beforeEach(async () => {
  gateway = await world.environment()
})

const PROFILE = 'subscriberId firstName lastName email phone avatar locale timezone data'

const ada = {
  subscriberId: 'ada',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0000',
  avatar: 'https://example.com/ada.png',
  locale: 'en_GB',
  timezone: 'Europe/London',
  data: { plan: 'pro', address: { city: 'London' }, topics: ['engines', 1, null, true] },
}

const nobody = {
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  avatar: null,
  locale: null,
  timezone: null,
  data: {},
}

async function read(subscriberId: string, fields: string = PROFILE) {
  const { subscriber } = await gateway.ask<{ subscriber: Record<string, unknown> | null }>(
    `query ($subscriberId: String!) { subscriber(subscriberId: $subscriberId) { ${fields} } }`,
    { subscriberId },
  )
  return subscriber
}

const count = async () => (await gateway.ask('{ subscribers { totalCount } }')).subscribers.totalCount

describe('creating a subscriber', () => {
  test('stores and returns every field as given', async () => {
    const created = await gateway.act('createSubscriber', ada, `subscriber { id ${PROFILE} }`)
    expect(created).toEqual({ subscriber: { id: expect.any(String), ...ada }, userErrors: [] })
    expect(await read('ada')).toEqual(ada)
    const { node } = await gateway.ask('query ($id: ID!) { node(id: $id) { ... on Subscriber { subscriberId } } }', {
      id: created.subscriber.id,
    })
    expect(node).toEqual({ subscriberId: 'ada' })
  })

  test('leaves omitted fields null and data empty', async () => {
    await gateway.act('createSubscriber', { subscriberId: 'grace' })
    expect(await read('grace')).toEqual({ subscriberId: 'grace', ...nobody })
  })

  test('sets createdAt and updatedAt from the clock', async () => {
    world.setClock(new Date('2031-05-06T07:08:09.123Z'))
    try {
      await gateway.act('createSubscriber', { subscriberId: 'ada' })
    } finally {
      world.setClock(undefined)
    }
    const at = '2031-05-06T07:08:09.123Z'
    expect(await read('ada', 'createdAt updatedAt')).toEqual({ createdAt: at, updatedAt: at })
  })

  test('returns CONFLICT for an existing subscriberId and leaves the subscriber unchanged', async () => {
    await gateway.act('createSubscriber', ada)
    const refused = await gateway.act(
      'createSubscriber',
      { subscriberId: 'ada', firstName: 'Eve' },
      'subscriber { id }',
    )
    expect(refused).toEqual({
      subscriber: null,
      userErrors: [{ code: 'CONFLICT', message: 'Subscriber "ada" already exists', field: ['subscriberId'] }],
    })
    expect(await read('ada')).toEqual(ada)
  })

  test('succeeds for one of twenty concurrent requests with the same subscriberId and returns CONFLICT to the others', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gateway.act('createSubscriber', { subscriberId: 'ada', firstName: `Ada ${index}` }, 'subscriber { firstName }'),
      ),
    )
    const won = outcomes.filter(({ userErrors }) => userErrors.length === 0)
    expect(won).toHaveLength(1)
    expect(outcomes.filter(({ userErrors }) => userErrors.some(({ code }) => code === 'CONFLICT'))).toHaveLength(19)
    expect(await read('ada', 'firstName')).toEqual(won[0]?.subscriber)
  })

  test('allows two subscribers to share an email address and a phone number', async () => {
    await gateway.act('createSubscriber', ada)
    const { userErrors } = await gateway.act('createSubscriber', { ...ada, subscriberId: 'ada-at-work' })
    expect(userErrors).toEqual([])
    expect(await count()).toBe(2)
  })
})

describe('a subscriberId', () => {
  test.each([
    ['spaces inside', 'ada of london'],
    ['slashes and percent signs', 'users/ada%2F1'],
    ['letters of all scripts', 'Ådå-Λ-エイダ'],
    ['emoji', 'ada 👩🏽'],
    ['quotes and backslashes', `a"d'a\\;--`],
    ['a node id', 'U3Vic2NyaWJlcjox'],
    ['255 characters', 'a'.repeat(255)],
  ])('can contain %s', async (_what, subscriberId) => {
    const { userErrors } = await gateway.act('createSubscriber', { subscriberId })
    expect(userErrors).toEqual([])
    expect(await read(subscriberId, 'subscriberId')).toEqual({ subscriberId })
    expect((await gateway.act('deleteSubscriber', { subscriberId })).userErrors).toEqual([])
  })

  test('is case-sensitive', async () => {
    await gateway.act('createSubscriber', { subscriberId: 'Ada' })
    expect(await read('ada')).toBeNull()
  })
})

const nested = (depth: number): unknown => (depth === 0 ? 'core' : { in: nested(depth - 1) })
const NOT_STORABLE = 'must not contain NUL or unpaired surrogate characters'

describe('subscriber validation', () => {
  test.each([
    ['subscriberId', 'must not be empty', { subscriberId: '' }],
    ['subscriberId', 'must be at most 255 characters long', { subscriberId: 'a'.repeat(256) }],
    ['subscriberId', 'must not be a JSON object', { subscriberId: '{"tenant":"acme"}' }],
    ['subscriberId', NOT_STORABLE, { subscriberId: 'a\0a' }],
    ['subscriberId', NOT_STORABLE, { subscriberId: 'a\ud800a' }],
    ['firstName', NOT_STORABLE, { firstName: 'A\0' }],
    ['lastName', 'must be at most 255 characters long', { lastName: 'L'.repeat(256) }],
    ['phone', 'must be at most 255 characters long', { phone: '1'.repeat(256) }],
    ['avatar', 'must be at most 2048 characters long', { avatar: 'x'.repeat(2049) }],
    ['email', 'must be an email address', { email: '' }],
    ['email', 'must be an email address', { email: 'ada at example.com' }],
    ['email', 'must be an email address', { email: 'ada\0@example.com' }],
    ['email', 'must be at most 320 characters long', { email: `${'a'.repeat(310)}@example.com` }],
    ['locale', 'must be a BCP 47 locale, such as en-US or en_US', { locale: '' }],
    ['locale', 'must be a BCP 47 locale, such as en-US or en_US', { locale: 'en GB' }],
    ['timezone', 'must be an IANA time zone, such as Europe/Berlin', { timezone: '' }],
    ['timezone', 'must be an IANA time zone, such as Europe/Berlin', { timezone: 'Mars/Olympus' }],
    ['timezone', 'must be an IANA time zone, such as Europe/Berlin', { timezone: '+01:00' }],
    ['data', 'must not nest deeper than 32 levels', { data: nested(33) }],
    ['data', 'must be at most 65536 bytes of JSON', { data: { text: 'x'.repeat(65_536) } }],
    ['data', NOT_STORABLE, { data: { text: 'a\0' } }],
    ['data', NOT_STORABLE, { data: { 'a\udc00': 1 } }],
    [
      'data',
      'must not contain the key "__proto__"',
      { data: { list: [JSON.parse('{"__proto__": {"admin": true}}')] } },
    ],
  ])('rejects the input and writes nothing: %s %s', async (field, message, given: object) => {
    const refused = await gateway.act('createSubscriber', { subscriberId: 'ada', ...given }, 'subscriber { id }')
    expect(refused.subscriber).toBeNull()
    expect(refused.userErrors).toEqual([{ code: 'BAD_USER_INPUT', message: `${field} ${message}`, field: [field] }])
    expect(await count()).toBe(0)
  })

  test('reports every invalid field, not only the first', async () => {
    const { userErrors } = await gateway.act('upsertSubscriber', { subscriberId: 'ada', email: 'x', locale: '?' })
    expect(userErrors.map(({ field }) => field)).toEqual([['email'], ['locale']])
  })

  test('applies to literals in the query text too', async () => {
    const { createSubscriber } = await gateway.ask(
      'mutation { createSubscriber(input: { subscriberId: "ada", data: { __proto__: { admin: true } } }) { userErrors { message } } }',
    )
    expect(createSubscriber.userErrors).toEqual([{ message: 'data must not contain the key "__proto__"' }])
  })

  test('accepts unusual email addresses, locales and timezones, and empty names', async () => {
    const given = {
      email: "o'brien+news/x@sub.müller-straße.de",
      locale: 'zh-Hant-TW',
      timezone: 'UTC',
      firstName: '',
      phone: '',
      data: nested(32),
    }
    const written = await gateway.act(
      'createSubscriber',
      { subscriberId: 'ada', ...given },
      `subscriber { ${PROFILE} }`,
    )
    expect(written.userErrors).toEqual([])
    expect(written.subscriber).toMatchObject(given)
  })

  test('rejects an invalid subscriberId in a query with BAD_USER_INPUT', async () => {
    const { errors } = await gateway.send('{ subscriber(subscriberId: "a\\u0000") { id } }')
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: ['subscriberId'] } }])
  })
})

describe('upserting a subscriber', () => {
  test('creates it first, then changes only the given fields and clears those set to null', async () => {
    const created = await gateway.act('upsertSubscriber', ada, `created subscriber { ${PROFILE} }`)
    expect(created).toEqual({ created: true, subscriber: ada, userErrors: [] })
    const changed = await gateway.act(
      'upsertSubscriber',
      { subscriberId: 'ada', lastName: 'King', email: null, data: null },
      `created subscriber { ${PROFILE} }`,
    )
    expect(changed).toEqual({
      created: false,
      subscriber: { ...ada, lastName: 'King', email: null, data: {} },
      userErrors: [],
    })
  })

  test('creates one subscriber with all fields from twenty concurrent requests', async () => {
    const fields = ['firstName', 'lastName', 'phone', 'avatar']
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gateway.act('upsertSubscriber', { subscriberId: 'ada', [fields[index % 4] ?? '']: 'given' }, 'created'),
      ),
    )
    expect(outcomes.filter(({ created }) => created)).toHaveLength(1)
    expect(outcomes.flatMap(({ userErrors }) => userErrors)).toEqual([])
    expect(await count()).toBe(1)
    expect(await read('ada')).toMatchObject({ firstName: 'given', lastName: 'given', phone: 'given', avatar: 'given' })
  })

  test('never fails while the subscriber is repeatedly deleted', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? gateway.act('upsertSubscriber', {
              ...ada,
              channels: [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }],
            })
          : gateway.act('deleteSubscriber', { subscriberId: 'ada' }),
      ),
    )
    expect(outcomes.filter((_, index) => index % 2 === 0).flatMap(({ userErrors }) => userErrors)).toEqual([])
  })
})

describe('updating a subscriber', () => {
  test('changes only the given fields and clears those set to null', async () => {
    await gateway.act('createSubscriber', ada)
    const changed = await gateway.act(
      'updateSubscriber',
      { subscriberId: 'ada', firstName: 'Augusta', phone: null, data: { plan: 'free' } },
      `subscriber { ${PROFILE} }`,
    )
    expect(changed.subscriber).toEqual({ ...ada, firstName: 'Augusta', phone: null, data: { plan: 'free' } })
  })

  test('changes updatedAt but not createdAt, and neither if no field is given', async () => {
    await gateway.act('createSubscriber', ada)
    const { subscriber } = await gateway.ask('{ subscriber(subscriberId: "ada") { createdAt } }')
    const { createdAt } = subscriber
    const later = new Date('2040-01-01T00:00:00.000Z')
    world.setClock(later)
    try {
      await gateway.act('updateSubscriber', { subscriberId: 'ada' })
      await gateway.act('upsertSubscriber', { subscriberId: 'ada' })
      expect(await read('ada', 'createdAt updatedAt')).toEqual({ createdAt, updatedAt: createdAt })
      await gateway.act('updateSubscriber', { subscriberId: 'ada', firstName: null })
      expect(await read('ada', 'createdAt updatedAt')).toEqual({ createdAt, updatedAt: later.toISOString() })
    } finally {
      world.setClock(undefined)
    }
  })

  test('returns NOT_FOUND for an unknown subscriberId, with or without fields', async () => {
    const notFound = { code: 'NOT_FOUND', message: 'Subscriber "eve" not found', field: ['subscriberId'] }
    const renamed = await gateway.act('updateSubscriber', { subscriberId: 'eve', firstName: 'Eve' })
    expect(renamed.userErrors).toEqual([notFound])
    expect((await gateway.act('updateSubscriber', { subscriberId: 'eve' })).userErrors).toEqual([notFound])
    expect(await count()).toBe(0)
  })
})

describe('deleting a subscriber', () => {
  test('deletes its credentials too and returns its node id', async () => {
    const channels = [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }]
    const { subscriber } = await gateway.act('createSubscriber', { ...ada, channels }, 'subscriber { id }')
    const deleted = await gateway.act('deleteSubscriber', { subscriberId: 'ada' }, 'deletedId')
    expect(deleted).toEqual({ deletedId: subscriber.id, userErrors: [] })
    expect(await read('ada')).toBeNull()
    await gateway.act('createSubscriber', { subscriberId: 'ada' })
    expect(await read('ada', 'channels { providerId }')).toEqual({ channels: [] })
  })

  test('succeeds for one of two concurrent requests and returns NOT_FOUND to the other', async () => {
    await gateway.act('createSubscriber', ada)
    const outcomes = await Promise.all([
      gateway.act('deleteSubscriber', { subscriberId: 'ada' }, 'deletedId'),
      gateway.act('deleteSubscriber', { subscriberId: 'ada' }, 'deletedId'),
    ])
    const codes = outcomes.map(({ userErrors }) => userErrors.map(({ code }) => code).join() || 'DELETED')
    expect(codes.toSorted()).toEqual(['DELETED', 'NOT_FOUND'])
  })
})
