// The filters by outcome: of lists of events, in every state of their tallies, and of lists of runs.
import { beforeEach, describe, expect, test } from 'vitest'
import { foldOutcomes } from '../../src/data/event-outcome.ts'
import { foldTallies } from '../../src/data/event.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const link = { inApp: { ...bell.inApp, url: '{{ payload.url }}' } }
const wait = { delay: { amount: 1, unit: 'HOURS' } }
const isAda = { '==': [{ var: 'subscriber.subscriberId' }, 'ada'] }
const outcomes = ['PENDING', 'DELIVERED', 'PARTLY', 'FAILED', 'NOTHING'] as const
const orders = ['CREATED_AT', 'UPDATED_AT'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => ({ field, direction })),
)

interface Shown {
  readonly transactionId: string
  readonly outcome: string
}

interface ShownPage {
  readonly nodes: readonly Shown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly totalCount: number
}

beforeEach(async () => {
  acme = await world.environment()
  for (const subscriberId of ['ada', 'grace']) await done(acme, 'createSubscriber', { subscriberId })
})

/** The whole list, read in pages of two, and its total count. */
async function readAll(filter: object, orderBy: object = {}): Promise<{ nodes: Shown[]; totalCount: number }> {
  const nodes: Shown[] = []
  for (let after: string | null = null; ;) {
    const { events }: { readonly events: ShownPage } = await acme.ask(
      `query ($filter: EventFilter, $orderBy: EventOrder, $after: String) {
        events(first: 2, after: $after, filter: $filter, orderBy: $orderBy) {
          nodes { transactionId outcome } pageInfo { hasNextPage endCursor } totalCount
        }
      }`,
      { filter, orderBy, after },
    )
    nodes.push(...events.nodes)
    if (!events.pageInfo.hasNextPage) return { nodes, totalCount: events.totalCount }
    after = events.pageInfo.endCursor
  }
}

/** Expects each outcome to select exactly the events that have it. @returns the outcomes of all events. */
async function expectOutcomesToSelect(orderBys: readonly object[] = [{}], more: object = {}): Promise<Set<string>> {
  const found = new Set<string>()
  for (const orderBy of orderBys) {
    const { nodes: all } = await readAll(more, orderBy)
    for (const outcome of outcomes) {
      const expected = all.filter((event) => event.outcome === outcome)
      if (expected.length > 0) found.add(outcome)
      expect(await readAll({ ...more, outcome }, orderBy)).toEqual({ nodes: expected, totalCount: expected.length })
    }
  }
  return found
}

const fail = (id: string) =>
  world.database.pool.query(
    `UPDATE events SET fanned_out_at = NULL, reason = 'fan_out_failed' WHERE transaction_id = $1`,
    [id],
  )

/** Events with every outcome, for every cause. */
async function furnish(): Promise<void> {
  await createWorkflow(acme, [bell])
  await createWorkflow(acme, [link], { identifier: 'link' })
  await createWorkflow(acme, [{ inApp: { ...bell.inApp, condition: isAda } }], { identifier: 'some' })
  await createWorkflow(acme, [wait, bell], { identifier: 'later' })
  await createWorkflow(acme, [bell, wait], { identifier: 'begun' })
  await createWorkflow(acme, [bell], { identifier: 'off', active: false })
  await done(acme, 'createTopic', { key: 'empty' })
  await trigger(acme)
  await trigger(acme, { to: ['ada', 'grace'] })
  await trigger(acme, { name: 'link', payload: { url: 'javascript:alert(1)' } })
  await trigger(acme, { name: 'some', to: ['ada', 'grace'] })
  await trigger(acme, { name: 'some', to: ['grace'] })
  await trigger(acme, { name: 'later' })
  await trigger(acme, { name: 'begun' })
  const [cancelled, unsent, halfway] = [
    await trigger(acme, { name: 'later' }),
    await trigger(acme, { name: 'order' }),
    await trigger(acme),
  ]
  await done(acme, 'cancelEvent', { transactionId: unsent })
  await done(acme, 'triggerEvent', { workflowIdentifier: 'off', to: [{ subscriber: { subscriberId: 'ada' } }] })
  await done(acme, 'triggerEvent', { workflowIdentifier: 'order', to: [{ topic: { topicKey: 'empty' } }] })
  const unable = await trigger(acme, { to: ['grace'] })
  await fail(unable)
  await world.database.pool.query(
    `DELETE FROM jobs WHERE data->>'eventId' = (SELECT id::text FROM events WHERE transaction_id = $1)`,
    [unable],
  )
  await world.work()
  await done(acme, 'cancelEvent', { transactionId: cancelled })
  await fail(halfway)
  const cutShort = await trigger(acme, { to: ['ada'] })
  await world.work()
  await world.database.pool.query(
    'UPDATE events SET fanned_out_at = NULL, cancelled_at = updated_at WHERE transaction_id = $1',
    [cutShort],
  )
  await trigger(acme, { to: ['grace'] })
}

test('a filter of events selects those with an outcome, whether or not their tallies are up to date', async () => {
  await furnish()
  expect(await expectOutcomesToSelect()).toEqual(new Set(outcomes))
  await foldOutcomes(world.gateway.db, 5)
  await expectOutcomesToSelect()
  await foldTallies(world.gateway.db, 5)
  await expectOutcomesToSelect(orders)
  await housekeepingOf(world).perform('event_tallies')
  await expectOutcomesToSelect(orders)
  for (const more of [
    { subscriberId: 'ada' },
    { workflow: 'some' },
    { status: 'CANCELLED' },
    { status: 'COMPLETED' },
  ]) {
    await expectOutcomesToSelect([{}], more)
  }
  await world.work({ early: true })
  await expectOutcomesToSelect()
  await housekeepingOf(world).perform('event_tallies')
  await expectOutcomesToSelect()
})

test('a filter of events finds those of earlier versions, before and after their outcomes are stored', async () => {
  await furnish()
  const { nodes } = await readAll({})
  await housekeepingOf(world).perform('event_tallies')
  const { pool } = world.database
  await pool.query('UPDATE workflow_runs SET outcome = NULL, reason = NULL, reason_step_id = NULL')
  await pool.query('DELETE FROM event_outcome_changes')
  await pool.query('DELETE FROM event_outcomes')
  await pool.query(
    'UPDATE event_tallies SET outcome_pending = 0, outcome_delivered = 0, outcome_failed = 0, outcome_nothing = 0',
  )
  expect((await readAll({})).nodes).toEqual(nodes)
  await expectOutcomesToSelect()
  await housekeepingOf(world).perform('copied_columns')
  await expectOutcomesToSelect()
  await housekeepingOf(world).perform('event_tallies')
  await expectOutcomesToSelect()
  expect((await readAll({})).nodes).toEqual(nodes)
})

describe('a filter of runs', () => {
  test('finds those of a broken template by its reason, and by its step', async () => {
    await createWorkflow(acme, [{ inApp: { ...link.inApp, condition: isAda } }])
    const payload = { url: 'javascript:alert(1)' }
    const id = await trigger(acme, { to: ['ada', 'grace'], payload })
    await trigger(acme, { to: ['ada'], payload: { url: '/orders/1' } })
    await world.work()
    const broken = { subscriberId: 'ada', event: { transactionId: id } }
    const skipped = { subscriberId: 'grace', event: { transactionId: id } }
    for (const [filter, expected] of [
      [{ reason: 'content' }, [broken]],
      [{ outcome: 'FAILED', reason: 'content', stepId: 'bell' }, [broken]],
      [{ outcome: 'NOTHING' }, [skipped]],
      [{ outcome: 'NOTHING', reason: 'content' }, []],
      [{ stepId: 'bell', subscriberId: 'grace' }, [skipped]],
      [{ stepId: 'mail' }, []],
    ] as const) {
      const { workflowRuns, workflow, event } = await acme.ask(
        `query ($filter: WorkflowRunFilter, $id: String!) {
          workflowRuns(filter: $filter) { totalCount nodes { subscriberId event { transactionId } } }
          workflow(identifier: "order") { runs(filter: $filter) { nodes { subscriberId event { transactionId } } } }
          event(transactionId: $id) { runs(filter: $filter) { nodes { subscriberId event { transactionId } } } }
        }`,
        { filter, id },
      )
      expect(workflowRuns).toEqual({ totalCount: expected.length, nodes: expected })
      expect(workflow.runs.nodes).toEqual(expected)
      expect(event.runs.nodes).toEqual(expected)
    }
  })
})
