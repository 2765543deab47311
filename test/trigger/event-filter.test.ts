// The filters of lists of events: by recipient, status, time and transaction id, alone and together.
import { beforeEach, describe, expect, test } from 'vitest'
import { foldTallies } from '../../src/data/event.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const wait = { delay: { amount: 1, unit: 'HOURS' } }
const statuses = ['ACCEPTED', 'RUNNING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED'] as const
const orders = ['CREATED_AT', 'UPDATED_AT'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => ({ field, direction })),
)

const fields = 'nodes { transactionId status } pageInfo { hasNextPage endCursor } totalCount'

interface Shown {
  readonly transactionId: string
  readonly status: string
}

/** The fields that `fields` selects. */
interface ShownPage {
  readonly nodes: readonly Shown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly totalCount: number
}

/** The whole list, read in pages of three, and its total count. */
async function readAll(filter: object, orderBy: object = {}): Promise<{ nodes: Shown[]; totalCount: number }> {
  const nodes: Shown[] = []
  for (let after: string | null = null; ;) {
    const { events }: { readonly events: ShownPage } = await acme.ask(
      `query ($filter: EventFilter, $orderBy: EventOrder, $after: String) {
        events(first: 3, after: $after, filter: $filter, orderBy: $orderBy) { ${fields} }
      }`,
      { filter, orderBy, after },
    )
    nodes.push(...events.nodes)
    if (!events.pageInfo.hasNextPage) return { nodes, totalCount: events.totalCount }
    after = events.pageInfo.endCursor
  }
}

const idsOf = async (filter: object, orderBy: object = {}): Promise<string[]> =>
  (await readAll(filter, orderBy)).nodes.map(({ transactionId }) => transactionId)

/** Expects each status to select the events that have it, in these orders. */
async function expectStatusesToSelect(orderBys: readonly object[] = [{}]): Promise<void> {
  for (const orderBy of orderBys) {
    const { nodes: all } = await readAll({}, orderBy)
    for (const status of statuses) {
      const expected = all.filter((event) => event.status === status)
      expect(await readAll({ status }, orderBy)).toEqual({ nodes: expected, totalCount: expected.length })
    }
  }
}

/** Triggers a new event for each of these subscribers. @returns the transaction ids. */
const triggerFor = (subscriberIds: readonly string[], name = 'order') =>
  Promise.all(subscriberIds.map((to) => trigger(acme, { to, name })))

/** Waits until all changes have been added to the tallies. */
const addTallies = () => housekeepingOf(world).perform('event_tallies')

describe('a filter by status', () => {
  test('selects the events with this status, whether or not their tallies are up to date', async () => {
    await createWorkflow(acme, [bell])
    await createWorkflow(acme, [bell, wait], { identifier: 'later' })
    await createWorkflow(acme, [bell], { identifier: 'off', active: false })
    await done(acme, 'createTopic', { key: 'empty' })
    await triggerFor(['ada', 'grace', 'alan'])
    const later = await triggerFor(['ada', 'grace', 'alan'], 'later')
    await done(acme, 'triggerEvent', { workflowIdentifier: 'off', to: [{ subscriber: { subscriberId: 'ada' } }] })
    await done(acme, 'triggerEvent', { workflowIdentifier: 'order', to: [{ topic: { topicKey: 'empty' } }] })
    await world.work()
    await done(acme, 'cancelEvent', { transactionId: later[1] })
    await triggerFor(['ada', 'grace', 'alan'])
    await expectStatusesToSelect()
    await foldTallies(world.gateway.db, 3)
    await expectStatusesToSelect(orders)
    await addTallies()
    await expectStatusesToSelect()
    await world.work({ early: true })
    await expectStatusesToSelect()
    await addTallies()
    await expectStatusesToSelect()
    expect(await idsOf({ status: 'CANCELLED' })).toEqual([later[1]])
  })

  test('finds an event that failed halfway, and finds it again after a retry', async () => {
    await createWorkflow(acme, [bell])
    const [id = ''] = await triggerFor(['ada'])
    await world.work()
    await addTallies()
    const fail = `UPDATE events SET fanned_out_at = NULL, reason = 'fan_out_failed' WHERE transaction_id = $1 RETURNING id`
    await world.database.pool.query(fail, [id])
    await expectStatusesToSelect()
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { id } }', { id })
    await done(acme, 'retryEvent', { id: event.id })
    await expectStatusesToSelect()
    expect(await idsOf({ status: 'RUNNING' })).toEqual([id])
    await world.work()
    await expectStatusesToSelect()
    expect(await idsOf({ status: 'COMPLETED' })).toEqual([id])
  })

  test('agrees with a filter by reason', async () => {
    await createWorkflow(acme, [bell], { active: false })
    await done(acme, 'triggerEvent', { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }] })
    const reason = 'WORKFLOW_INACTIVE'
    expect(await idsOf({ reason, status: 'SKIPPED' })).toHaveLength(1)
    expect(await idsOf({ reason, status: 'FAILED' })).toEqual([])
  })
})

describe('a filter by subscriber', () => {
  test('selects the events with a run of the subscriber, named directly or by a topic', async () => {
    await createWorkflow(acme, [bell])
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions: [{ subscriberId: 'ada' }] })
    const [first = '', other = ''] = await triggerFor(['ada', 'grace'])
    const byTopic = await trigger(acme, { to: { type: 'Topic', topicKey: 'news' } })
    await world.work()
    expect(new Set(await idsOf({ subscriberId: 'ada' }))).toEqual(new Set([first, byTopic]))
    expect(await idsOf({ subscriberId: 'grace' })).toEqual([other])
    expect(await idsOf({ subscriberId: 'nobody' })).toEqual([])
  })

  test('has every page in the order of the events, not of the runs', async () => {
    await createWorkflow(acme, [bell])
    const ids: string[] = []
    try {
      for (const day of [3, 1, 4, 2]) {
        world.setClock(new Date(Date.UTC(2027, 0, day)))
        ids[day - 1] = await trigger(acme)
        world.setClock(new Date(Date.UTC(2027, 1, 5 - day)))
        await world.work()
      }
    } finally {
      world.setClock(undefined)
    }
    expect(await idsOf({ subscriberId: 'ada' }, { direction: 'ASC' })).toEqual(ids)
    expect(await idsOf({ subscriberId: 'ada' })).toEqual(ids.toReversed())
  })
})

describe('a filter by time', () => {
  const at = (day: number) => new Date(Date.UTC(2027, 0, day))

  test('includes its beginning and not its end', async () => {
    await createWorkflow(acme, [bell])
    const ids: string[] = []
    try {
      for (const day of [1, 2, 3]) {
        world.setClock(at(day))
        ids.push(await trigger(acme))
        await world.work()
      }
    } finally {
      world.setClock(undefined)
    }
    const [first, second, third] = ids
    const [createdAfter, createdBefore] = [at(2), at(3)]
    expect(await idsOf({ createdAfter })).toEqual([third, second])
    expect(await idsOf({ createdBefore })).toEqual([second, first])
    expect(await idsOf({ createdAfter, createdBefore })).toEqual([second])
    expect(await idsOf({ createdAfter, createdBefore, subscriberId: 'ada', status: 'COMPLETED' })).toEqual([second])
    await addTallies()
    expect(await idsOf({ createdAfter, status: 'COMPLETED', workflowIdentifier: 'order' })).toEqual([third, second])
    expect(await idsOf({ createdAfter: createdBefore, createdBefore: createdAfter })).toEqual([])
  })

  test('outside of the years 1970 to 9999 is rejected by its name', async () => {
    const { errors } = await acme.send('{ events(filter: { createdAfter: "1969-12-31T00:00:00Z" }) { totalCount } }')
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('filter.createdAfter') })])
  })
})

describe('several filters', () => {
  test('select the events that match every filter', async () => {
    await createWorkflow(acme, [bell])
    await createWorkflow(acme, [bell, wait], { identifier: 'later' })
    const [adas = ''] = await triggerFor(['ada', 'grace'])
    const [waiting = ''] = await triggerFor(['ada', 'grace'], 'later')
    await world.work()
    for (const prepare of [() => Promise.resolve(), addTallies]) {
      await prepare()
      expect(await idsOf({ subscriberId: 'ada', workflowIdentifier: 'order' })).toEqual([adas])
      expect(await idsOf({ subscriberId: 'ada', status: 'RUNNING' })).toEqual([waiting])
      expect(await idsOf({ subscriberId: 'ada', status: 'COMPLETED', workflowIdentifier: 'later' })).toEqual([])
      expect(await idsOf({ transactionId: adas, status: 'COMPLETED' })).toEqual([adas])
      expect(await idsOf({ transactionId: adas, subscriberId: 'grace' })).toEqual([])
    }
  })

  test('never select events of another environment', async () => {
    await createWorkflow(acme, [bell])
    const [id = ''] = await triggerFor(['ada'])
    await world.work()
    acme = await world.environment('Other')
    for (const filter of [
      { subscriberId: 'ada' },
      { transactionId: id },
      { status: 'COMPLETED' },
      { workflowIdentifier: 'order' },
    ]) {
      expect(await readAll(filter)).toEqual({ nodes: [], totalCount: 0 })
      await addTallies()
      expect(await readAll(filter)).toEqual({ nodes: [], totalCount: 0 })
    }
  })
})

describe('the events of each', () => {
  interface Parent {
    readonly identifier: string
    readonly events: { readonly nodes: readonly { readonly transactionId: string }[] }
  }
  const query = (parent: string) =>
    `{ found: ${parent}s { nodes { identifier: ${parent === 'workflow' ? 'identifier' : 'subscriberId'} events(first: 5, filter: { status: COMPLETED }) { nodes { transactionId } } } } }`

  test.each(['workflow', 'subscriber'])('%s take one statement', async (parent) => {
    await createWorkflow(acme, [bell])
    await createWorkflow(acme, [bell], { identifier: 'later' })
    const [adas, graces] = await triggerFor(['ada', 'grace'])
    const [adasLater] = await triggerFor(['ada'], 'later')
    await world.work()
    const one = await statementsOf(() => acme.ask(`{ ${parent}s { nodes { id } } }`))
    const both = await statementsOf(async () => {
      const read = await acme.ask<{ found: { nodes: readonly Parent[] } }>(query(parent))
      const found = Object.fromEntries(
        read.found.nodes.map(({ identifier, events }) => [
          identifier,
          new Set(events.nodes.map(({ transactionId }) => transactionId)),
        ]),
      )
      expect(found).toEqual(
        parent === 'workflow'
          ? { order: new Set([adas, graces]), later: new Set([adasLater]) }
          : { ada: new Set([adas, adasLater]), grace: new Set([graces]) },
      )
    })
    expect(both).toHaveLength(one.length + 1)
  })
})

test('the filters find rows of an earlier version once their columns are copied', async () => {
  await createWorkflow(acme, [bell])
  const [id = ''] = await triggerFor(['ada'])
  await world.work()
  await addTallies()
  const { pool } = world.database
  await pool.query('UPDATE workflow_runs SET event_created_at = NULL, workflow_identifier = NULL, context_keys = NULL')
  await pool.query('UPDATE event_tallies SET created_at = NULL')
  expect(await idsOf({ subscriberId: 'ada' })).toEqual([])
  await housekeepingOf(world).perform('copied_columns')
  expect(await idsOf({ subscriberId: 'ada' })).toEqual([id])
  expect(await idsOf({ status: 'COMPLETED' })).toEqual([id])
})
