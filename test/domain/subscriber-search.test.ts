// Subscriber lists: exact filters, and a search for substrings.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client

beforeAll(async () => {
  gateway = await world.environment()
  await gateway.act('createSubscribers', {
    subscribers: [
      {
        subscriberId: 'user_1',
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ada@example.com',
        phone: '+44 20 7946',
      },
      {
        subscriberId: 'user-2',
        firstName: 'Grace',
        lastName: 'Hopper',
        email: 'grace@navy.example',
        phone: '+1 202 555',
      },
      { subscriberId: 'user%3', firstName: 'Edsger', email: 'edsger@example.com', phone: '+44 20 7946' },
      { subscriberId: 'back\\slash', lastName: 'Ärmel', email: 'ada@example.com' },
    ],
  })
  await (await world.environment()).act('createSubscriber', { subscriberId: 'user_1', firstName: 'Ada' })
})

async function found(filter: object): Promise<string[]> {
  const { subscribers } = await gateway.ask(
    'query ($filter: SubscriberFilter) { subscribers(filter: $filter) { nodes { subscriberId } totalCount } }',
    { filter },
  )
  expect(subscribers.totalCount).toBe(subscribers.nodes.length)
  return subscribers.nodes.map(({ subscriberId }: { subscriberId: string }) => subscriberId).toSorted()
}

const everybody = ['back\\slash', 'user%3', 'user-2', 'user_1']

describe('a subscriber search', () => {
  test.each([
    ['a part of the id', 'SER-', ['user-2']],
    ['a part of the email address', 'Navy.Ex', ['user-2']],
    ['a part of the phone number', '202 5', ['user-2']],
    ['a part of the first name', 'dsge', ['user%3']],
    ['a part of the last name', 'LOVE', ['user_1']],
    ['first and last name together', 'ada lovelace', ['user_1']],
    ['a part that several have', 'example.com', ['back\\slash', 'user%3', 'user_1']],
    ['letters beyond ASCII, in any case', 'ärm', ['back\\slash']],
    ['a percent sign, literally', 'ser%', ['user%3']],
    ['an underscore, literally', 'ser_', ['user_1']],
    ['a backslash, literally', 'ack\\', ['back\\slash']],
    ['a pattern, literally', 'user%1', []],
    ['quotes and SQL, literally', `'; DROP TABLE subscribers; --`, []],
    ['nothing: everybody', '', everybody],
  ])('finds %s', async (_what, search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test.each([
    ['id', 'BA', ['back\\slash']],
    ['email address', 'gR', ['user-2']],
    ['phone number', '+1', ['user-2']],
    ['name', 'aD', ['back\\slash', 'user_1']],
    ['name, beyond ASCII', 'äR', ['back\\slash']],
    ['last name, if there is no first name', 'Ä', ['back\\slash']],
    ['field, with one character', 'e', ['user%3']],
    ['field, without three letters or digits in a row', '+4', ['user%3', 'user_1']],
    ['field, not of another word', 'ho', []],
    ['field, not of its middle', 'se', []],
    ['field, with a percent sign taken literally', '%', []],
    ['field, with an underscore taken literally', 'u_', []],
    ['field, with a backslash taken literally', 'b\\', []],
  ])('for one or two characters finds the beginning of a %s', async (_what, search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test('for characters that have no three letters or digits in a row finds the beginning of a field', async () => {
    expect(await found({ search: '+44 20' })).toEqual(['user%3', 'user_1'])
    expect(await found({ search: '4 20' })).toEqual([])
    expect(await found({ search: '...' })).toEqual([])
  })

  test('does not match text across two fields', async () => {
    expect(await found({ search: 'user_1ada' })).toEqual([])
    expect(await found({ search: 'example.com+44' })).toEqual([])
  })

  test('rejects a null character', async () => {
    const { errors } = await gateway.send('{ subscribers(filter: { search: "a\\u0000" }) { nodes { id } } }')
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: ['filter', 'search'] } }])
  })
})

describe('a subscriber filter', () => {
  test.each([
    ['subscriberId', { subscriberId: 'user_1' }, ['user_1']],
    ['email address', { email: 'ada@example.com' }, ['back\\slash', 'user_1']],
    ['phone number', { phone: '+44 20 7946' }, ['user%3', 'user_1']],
    ['name, with one space between', { name: 'Grace Hopper' }, ['user-2']],
    ['name, of one who has only the first', { name: 'Edsger' }, ['user%3']],
    ['name, of one who has only the last', { name: 'Ärmel' }, ['back\\slash']],
  ])('by %s matches exactly', async (_what, filter, expected) => {
    expect(await found(filter)).toEqual(expected)
  })

  test.each([{ subscriberId: 'user' }, { email: 'Ada@example.com' }, { phone: '+44' }, { name: 'Grace' }])(
    'does not match a substring or another case: %j',
    async (filter) => {
      expect(await found(filter)).toEqual([])
    },
  )

  test('with several conditions matches subscribers that meet all of them', async () => {
    expect(await found({ email: 'ada@example.com', search: 'user' })).toEqual(['user_1'])
    expect(await found({ email: 'ada@example.com', phone: '+44 20 7946', name: 'Ada Lovelace' })).toEqual(['user_1'])
    expect(await found({ email: 'ada@example.com', name: 'Grace Hopper' })).toEqual([])
  })

  test('ignores nulls', async () => {
    expect(await found({ subscriberId: null, email: null, phone: null, name: null, search: null })).toEqual(everybody)
  })

  test('applies to every page', async () => {
    const page = async (after: string | null) =>
      (
        await gateway.ask(
          `query ($after: String) {
            subscribers(first: 1, after: $after, filter: { email: "ada@example.com" }) {
              nodes { subscriberId } pageInfo { endCursor hasNextPage }
            }
          }`,
          { after },
        )
      ).subscribers
    const first = await page(null)
    const second = await page(first.pageInfo.endCursor)
    const both = [...first.nodes, ...second.nodes].map(({ subscriberId }: { subscriberId: string }) => subscriberId)
    expect(both.toSorted()).toEqual(['back\\slash', 'user_1'])
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false])
  })
})
