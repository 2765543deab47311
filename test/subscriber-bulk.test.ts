// Subscribers, many at a time.
import { beforeEach, describe, expect, test } from 'vitest'
import { statementsOf } from './support/statements.ts'
import { type Client, type Data, useWorld } from './support/world.ts'

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

async function read(subscriberId: string): Promise<Data> {
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

describe('a bulk', () => {
  test('creates 500 at once, and updates them the next time', async () => {
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
  ])('of %i is refused whole, and nothing is written', async (size, message) => {
    expect(await bulk(crowd(size))).toEqual({
      created: null,
      updated: null,
      failed: null,
      userErrors: [{ code: 'BAD_USER_INPUT', message, field: ['subscribers'] }],
    })
    expect(await count()).toBe(0)
  })

  test('tells created, updated and failed apart, in the order of the input', async () => {
    await gateway.act('createSubscriber', { subscriberId: 'grace' })
    const outcome = await bulk([
      { subscriberId: 'edsger' },
      { subscriberId: 'grace', lastName: 'Hopper' },
      { subscriberId: 'eve', email: 'nowhere' },
      { subscriberId: 'ada' },
      { subscriberId: ' ', timezone: 'Mars/Olympus' },
    ])
    expect(outcome).toEqual({
      created: ['edsger', 'ada'],
      updated: ['grace'],
      failed: [
        { index: 2, subscriberId: 'eve', message: 'email must be an email address' },
        {
          index: 4,
          subscriberId: ' ',
          message: 'subscriberId must not be empty; timezone must be an IANA time zone, such as Europe/Berlin',
        },
      ],
      userErrors: [],
    })
    expect(await count()).toBe(3)
  })

  test('of bad rows alone writes nothing and says why for each', async () => {
    const outcome = await bulk([{ subscriberId: 'ada\0' }, { subscriberId: 'grace', locale: '' }])
    expect(outcome).toMatchObject({ created: [], updated: [], failed: [{ index: 0 }, { index: 1 }], userErrors: [] })
    expect(await count()).toBe(0)
  })

  test('that names an id twice creates with the first row and updates with the second, null included', async () => {
    const outcome = await bulk([
      { subscriberId: 'ada', firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' },
      { subscriberId: 'grace' },
      { subscriberId: ' ada ', lastName: 'Lovelace', email: null },
    ])
    expect(outcome).toMatchObject({ created: ['ada', 'grace'], updated: ['ada'], failed: [] })
    expect(await read('ada')).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', email: null })
  })

  test('counts a bad row of an id that it names twice for nothing', async () => {
    const outcome = await bulk([
      { subscriberId: 'ada', firstName: 'Ada', email: 'nowhere' },
      { subscriberId: 'ada', lastName: 'Lovelace' },
    ])
    expect(outcome).toMatchObject({ created: ['ada'], updated: [], failed: [{ index: 0, subscriberId: 'ada' }] })
    expect(await read('ada')).toMatchObject({ firstName: null, lastName: 'Lovelace' })
  })
})

describe('channels in the rows of a bulk', () => {
  const tokens = (size: number) => Array.from({ length: size }, (_, index) => `token-${index}`)
  const push = (deviceTokens: string[]) => [{ providerId: 'FCM', credentials: { deviceTokens } }]

  test('are kept, and those of a later row of the same id win', async () => {
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

  test('with more than 100 device tokens fail their row alone', async () => {
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

describe('the cost of a bulk', () => {
  test.each(['creates', 'updates'])('that %s is the same few statements for 500 rows as for 5', async (what) => {
    const channels = [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }]
    const costOf = async (size: number) => {
      const rows = crowd(size, { channels, lastName: 'Lovelace' }).map((row) => ({
        ...row,
        subscriberId: `${size} ${row.subscriberId}`,
      }))
      if (what === 'updates') await bulk(rows)
      return statementsOf(() => bulk(rows))
    }
    const forFive = await costOf(5)
    expect(await costOf(500)).toHaveLength(forFive.length)
    // The API key, then insert, update and credentials.
    expect(forFive.length).toBeLessThanOrEqual(5)
  })
})

test('bulks of the same subscribers at the same time, in any order, wait for each other and none fails', async () => {
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
