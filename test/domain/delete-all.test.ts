// Deletion of all subscribers and of all topic subscriptions that match a filter.
import { beforeEach, describe, expect, test } from 'vitest'
import { done } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const fields = 'deletedCount remainingCount'
const people = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ subscriberId: `${prefix}-${n}`, email: `${prefix}-${n}@example.com` }))
const countOf = async (list: 'subscribers' | 'topicSubscriptions') =>
  (await acme.ask(`{ ${list} { totalCount } }`))[list].totalCount as unknown

describe('a deletion of subscribers', () => {
  const remove = (filter: object, input: object = {}) => done(acme, 'deleteSubscribers', { filter, ...input }, fields)

  test('counts in a dry run, deletes those that match and erases their runs', async () => {
    await done(acme, 'createWorkflow', { identifier: 'order', name: 'Order', steps: [{ inApp: { body: 'Hello' } }] })
    await done(acme, 'createSubscribers', { subscribers: [...people('guest', 3), ...people('user', 2)] })
    await done(acme, 'triggerEvent', { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'guest-0' } }] })
    await world.work()
    expect(await remove({ search: 'guest' }, { dryRun: true })).toMatchObject({ deletedCount: 3, remainingCount: 3 })
    expect(await countOf('subscribers')).toBe(5)
    expect(await remove({ search: 'guest' })).toMatchObject({ deletedCount: 3, remainingCount: 0 })
    expect(await remove({ search: 'guest' })).toMatchObject({ deletedCount: 0, remainingCount: 0 })
    expect(await countOf('subscribers')).toBe(2)
    await world.work()
    const { workflowRuns } = await acme.ask('{ workflowRuns { nodes { steps { detail } subscriber { id } } } }')
    expect(workflowRuns.nodes).toMatchObject([{ subscriber: null }])
    expect(world.logged.filter(({ msg }) => msg === 'subscribers deleted')).toMatchObject([{ deleted: 3 }])
  })

  test('of more than one call deletes is continued by the same call', async () => {
    for (let start = 0; start < 3; start += 1) {
      await done(acme, 'createSubscribers', { subscribers: people(`guest-${start}`, 400) })
    }
    expect(await remove({ search: 'guest' })).toMatchObject({ deletedCount: 1000, remainingCount: 200 })
    expect(await remove({ search: 'guest' })).toMatchObject({ deletedCount: 200, remainingCount: 0 })
  })
})

describe('a deletion of topic subscriptions', () => {
  const remove = (filter: object, input: object = {}) =>
    done(acme, 'deleteMatchingTopicSubscriptions', { filter, ...input }, fields)

  test('deletes those that match, and nothing else', async () => {
    await done(acme, 'createSubscribers', { subscribers: people('user', 3) })
    const subscriptions = people('user', 3).map(({ subscriberId }) => ({ subscriberId }))
    for (const topicKey of ['news', 'jobs']) await done(acme, 'createTopicSubscriptions', { topicKey, subscriptions })
    expect(await remove({ topicKey: 'news', subscriberId: 'user-1' })).toMatchObject({ deletedCount: 1 })
    expect(await remove({ topicKey: 'news' }, { dryRun: true })).toMatchObject({ deletedCount: 2, remainingCount: 2 })
    expect(await remove({ topicKeys: ['news', 'other'] })).toMatchObject({ deletedCount: 2, remainingCount: 0 })
    expect(await countOf('topicSubscriptions')).toBe(3)
    const logged = world.logged.filter(({ msg }) => msg === 'topic subscriptions deleted')
    expect(logged.map(({ deleted }) => deleted)).toEqual([1, 2])
    expect(await countOf('subscribers')).toBe(3)
  })
})

test.each(['deleteSubscribers', 'deleteMatchingTopicSubscriptions'])(
  '%s requires a condition, so that a forgotten filter deletes nothing',
  async (mutation) => {
    for (const filter of [{}, { search: null }]) {
      expect((await acme.act(mutation, { filter })).userErrors).toMatchObject([
        { code: 'BAD_USER_INPUT', field: ['filter'], message: 'filter must have at least one field' },
      ])
    }
  },
)

test.each(['deleteSubscribers', 'deleteMatchingTopicSubscriptions'])(
  '%s rejects an empty search, which would match everything',
  async (mutation) => {
    await done(acme, 'createSubscribers', { subscribers: people('user', 2) })
    await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions: [{ subscriberId: 'user-0' }] })
    for (const dryRun of [true, false]) {
      expect((await acme.act(mutation, { filter: { search: '' }, dryRun })).userErrors).toMatchObject([
        { code: 'BAD_USER_INPUT', field: ['filter', 'search'], message: 'filter.search must not be empty' },
      ])
    }
    expect([await countOf('subscribers'), await countOf('topicSubscriptions')]).toEqual([2, 1])
  },
)
