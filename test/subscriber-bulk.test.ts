// Bulk creation and update of subscribers.
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

  test('reports every row and writes nothing when all rows are invalid', async () => {
    const outcome = await bulk([{ subscriberId: 'ada\0' }, { subscriberId: 'grace', locale: '' }])
    expect(outcome).toMatchObject({ created: [], updated: [], failed: [{ index: 0 }, { index: 1 }], userErrors: [] })
    expect(await count()).toBe(0)
  })

  test('creates with the first row of a repeated id and updates with the second, including nulls', async () => {
    const outcome = await bulk([
      { subscriberId: 'ada', firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' },
      { subscriberId: 'grace' },
      { subscriberId: ' ada ', lastName: 'Lovelace', email: null },
    ])
    expect(outcome).toMatchObject({ created: ['ada', 'grace'], updated: ['ada'], failed: [] })
    expect(await read('ada')).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', email: null })
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

  test('fail only their own row when they exceed 100 device tokens', async () => {
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

describe('the number of SQL statements', () => {
  test.each(['creates', 'updates'])('is the same for 5 and 500 rows in a bulk that %s subscribers', async (what) => {
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
    // For insert, update and credentials.
    expect(forFive.length).toBeLessThanOrEqual(4)
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
