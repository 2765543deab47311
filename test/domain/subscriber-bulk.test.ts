// Bulk creation and update of subscribers.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client
beforeEach(async () => {
  gateway = await world.environment()
})

const RESULT = 'created updated failed { index subscriberId message }'
const bulk = (subscribers: readonly object[]) => gateway.act('createSubscribers', { subscribers }, RESULT)
const crowd = (size: number, given: object = {}) =>
  Array.from({ length: size }, (_, index) => ({ subscriberId: `user-${index}`, ...given }))
const idsOf = (rows: readonly { subscriberId: string }[]) => rows.map(({ subscriberId }) => subscriberId)

async function read(subscriberId: string) {
  const { subscriber } = await gateway.ask(
    `query ($subscriberId: String!) {
      subscriber(subscriberId: $subscriberId) {
        firstName lastName email data channels { providerId webhookUrl deviceTokens }
      }
    }`,
    { subscriberId },
  )
  return subscriber
}

const count = async () => (await gateway.ask('{ subscribers { totalCount } }')).subscribers.totalCount

describe('createSubscribers', () => {
  test('creates 500 subscribers, then updates them', async () => {
    const rows = crowd(500, { firstName: 'Ada', data: { plan: 'pro' } })
    expect(await bulk(rows)).toEqual({ created: idsOf(rows), updated: [], failed: [], userErrors: [] })
    expect(await count()).toBe(500)
    expect(await bulk(crowd(500, { lastName: 'Lovelace' }))).toEqual({
      created: [],
      updated: idsOf(rows),
      failed: [],
      userErrors: [],
    })
    expect(await read('user-499')).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', data: { plan: 'pro' } })
  })

  test.each([
    [501, 'subscribers must be at most 500 items long'],
    [0, 'subscribers must be at least 1 item long'],
  ])('rejects %i rows and writes nothing', async (size, message) => {
    expect(await bulk(crowd(size))).toEqual({
      created: null,
      updated: null,
      failed: null,
      userErrors: [{ code: 'BAD_USER_INPUT', message, field: ['subscribers'] }],
    })
    expect(await count()).toBe(0)
  })

  test('reports created, updated and failed rows in input order', async () => {
    await gateway.act('createSubscriber', { subscriberId: 'grace' })
    const outcome = await bulk([
      { subscriberId: 'edsger' },
      { subscriberId: 'grace', lastName: 'Hopper' },
      { subscriberId: 'eve', email: 'nowhere' },
      { subscriberId: 'ada' },
      { subscriberId: '', timezone: 'Mars/Olympus' },
    ])
    expect(outcome).toEqual({
      created: ['edsger', 'ada'],
      updated: ['grace'],
      failed: [
        { index: 2, subscriberId: 'eve', message: 'email must be an email address' },
        {
          index: 4,
          subscriberId: '',
          message: 'subscriberId must not be empty; timezone must be an IANA time zone, such as Europe/Berlin',
        },
      ],
      userErrors: [],
    })
    expect(await count()).toBe(3)
  })

  test('reports every row and writes nothing when all rows are invalid', async () => {
    const outcome = await bulk([{ subscriberId: 'ada\0' }, { subscriberId: 'grace', locale: '' }])
    expect(outcome).toMatchObject({ created: [], updated: [], failed: [{ index: 0 }, { index: 1 }], userErrors: [] })
    expect(await count()).toBe(0)
  })

  test('creates with the first row of a repeated id and updates with the second, including nulls', async () => {
    const outcome = await bulk([
      { subscriberId: 'ada', firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' },
      { subscriberId: 'grace' },
      { subscriberId: 'ada', lastName: 'Lovelace', email: null },
    ])
    expect(outcome).toMatchObject({ created: ['ada', 'grace'], updated: ['ada'], failed: [] })
    expect(await read('ada')).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', email: null })
  })

  test('changes only the given fields of each row, and keeps updatedAt of a row without fields', async () => {
    const given = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' }
    world.setClock(new Date('2030-01-01T00:00:00Z'))
    await bulk(['ada', 'grace', 'edsger'].map((subscriberId) => ({ subscriberId, ...given })))
    world.setClock(new Date('2030-01-02T00:00:00Z'))
    await bulk([
      { subscriberId: 'ada', lastName: 'Lovelace' },
      { subscriberId: 'grace', firstName: 'Grace', email: null },
      { subscriberId: 'edsger' },
    ])
    world.setClock(undefined)
    const { subscribers } = await gateway.ask(`{
      subscribers(orderBy: { field: CREATED_AT, direction: ASC }) { nodes { firstName lastName email updatedAt } }
    }`)
    const [ada, edsger, grace] = subscribers.nodes
    expect(ada).toEqual({ ...given, lastName: 'Lovelace', updatedAt: '2030-01-02T00:00:00.000Z' })
    expect(grace).toEqual({ ...given, firstName: 'Grace', email: null, updatedAt: '2030-01-02T00:00:00.000Z' })
    expect(edsger).toEqual({ ...given, updatedAt: '2030-01-01T00:00:00.000Z' })
  })

  test('ignores the fields of an invalid row of a repeated id', async () => {
    const outcome = await bulk([
      { subscriberId: 'ada', firstName: 'Ada', email: 'nowhere' },
      { subscriberId: 'ada', lastName: 'Lovelace' },
    ])
    expect(outcome).toMatchObject({ created: ['ada'], updated: [], failed: [{ index: 0, subscriberId: 'ada' }] })
    expect(await read('ada')).toMatchObject({ firstName: null, lastName: 'Lovelace' })
  })
})

describe('a dry run of createSubscribers', () => {
  const dryRun = (subscribers: readonly object[]) =>
    gateway.act('createSubscribers', { subscribers, dryRun: true }, RESULT)

  test('has the result of a write, and writes nothing', async () => {
    await gateway.act('createSubscriber', { subscriberId: 'grace', firstName: 'Grace' })
    const tokens = Array.from({ length: 101 }, (_, index) => `token-${index}`)
    const rows = [
      { subscriberId: 'ada', channels: [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }] },
      { subscriberId: 'grace', firstName: 'G.' },
      { subscriberId: 'eve', email: 'nowhere' },
      { subscriberId: 'ada', lastName: 'Lovelace' },
      { subscriberId: 'linus', channels: [{ providerId: 'FCM', credentials: { deviceTokens: tokens } }] },
      { subscriberId: '{"tenant":"acme"}' },
    ]
    const expected = await dryRun(rows)
    expect(expected).toMatchObject({
      created: ['ada'],
      updated: ['grace', 'ada'],
      failed: [{ index: 2 }, { index: 4 }, { index: 5, message: 'subscriberId must not be a JSON object' }],
      userErrors: [],
    })
    expect(await count()).toBe(1)
    expect(await read('grace')).toMatchObject({ firstName: 'Grace' })
    expect(await bulk(rows)).toEqual(expected)
  })

  test('answers at REST in the same way', async () => {
    const subscribers = [{ subscriberId: 'ada' }, { subscriberId: 'eve', email: 'nowhere' }]
    const answer = await gateway.rest('POST /v1/subscribers/bulk', { body: { subscribers, dryRun: true } })
    expect(answer).toMatchObject({
      status: 200,
      body: { created: [{ subscriberId: 'ada' }], updated: [], failed: [{ subscriberId: 'eve' }] },
    })
    expect(await count()).toBe(0)
  })
})

describe('channels in createSubscribers', () => {
  const tokens = (size: number) => Array.from({ length: size }, (_, index) => `token-${index}`)
  const push = (deviceTokens: string[]) => [{ providerId: 'FCM', credentials: { deviceTokens } }]

  test('are merged by provider, and a later row of the same id wins', async () => {
    const webhookUrl = 'https://hooks.example.com/T1/secret'
    await bulk([
      {
        subscriberId: 'ada',
        channels: [...push(['old phone']), { providerId: 'SLACK', credentials: { webhookUrl } }],
      },
      { subscriberId: 'ada', channels: push(['new phone']) },
    ])
    expect((await read('ada')).channels).toEqual([
      { providerId: 'FCM', webhookUrl: null, deviceTokens: ['new phone'] },
      { providerId: 'SLACK', webhookUrl, deviceTokens: [] },
    ])
  })

  test('fail only their own row if they have more than 100 device tokens', async () => {
    const outcome = await bulk([
      { subscriberId: 'ada', channels: push(tokens(100)) },
      { subscriberId: 'grace', channels: push(tokens(101)) },
    ])
    expect(outcome).toMatchObject({
      created: ['ada'],
      failed: [
        {
          index: 1,
          subscriberId: 'grace',
          message: 'deviceTokens must have at most 100 items per subscriber and provider, and would have 101',
        },
      ],
    })
    expect(await read('grace')).toBeNull()
  })
})

test('concurrent bulks of the same subscribers succeed in any order', async () => {
  const rows = crowd(200, { channels: [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }] })
  await bulk(rows.slice(0, 50))
  const outcomes = await Promise.all([
    bulk(rows),
    bulk(rows.toReversed()),
    bulk(rows.slice(100)),
    bulk(rows.slice(0, 150).toReversed()),
  ])
  expect(outcomes.flatMap(({ userErrors, failed }) => [...userErrors, ...failed])).toEqual([])
  expect(outcomes.flatMap(({ created }) => created).toSorted()).toEqual(idsOf(rows.slice(50)).toSorted())
  expect(await count()).toBe(200)
})
