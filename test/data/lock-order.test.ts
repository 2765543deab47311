// The order in which statements lock several rows of a table. All statements use the same order, so that no two wait
// for each other.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { holdRunsNamed } from '../../src/data/erasure/erasure.ts'
import { reopenDeliveries } from '../../src/data/failure.ts'
import { lockSubscribers } from '../../src/data/lock.ts'
import { erasedTables, writeSearched } from '../../src/data/erasure/person-search.ts'
import { replaceDeliveries, restartRuns } from '../../src/data/repetition.ts'
import { createRuns, holdRuns } from '../../src/data/run.ts'
import { cancelRuns, giveUpRuns } from '../../src/data/run-end.ts'
import { eraseRunsById, holdRunsOfSubscriber } from '../../src/data/erasure/run-erasure.ts'
import { holdEndedRuns } from '../../src/data/run-retry.ts'
import { endWait, releaseDigested } from '../../src/data/step-run.ts'
import { createEnvironmentScope } from '../../src/domain/resolver/create-scope.ts'
import type { EnvironmentScope } from '../../src/domain/resolver/scope.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, trigger } from '../support/delivery/story.ts'
import { until } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const now = () => world.gateway.now()

/**
 * Two events for Zoe and Adam. Their emails failed. The runs of the first event wait in digests, which the runs of the
 * second event joined.
 */
interface Story {
  readonly scope: EnvironmentScope
  readonly first: string
  readonly second: string
  /** The ids of the first event's rows. */
  readonly runIds: readonly string[]
  readonly deliveryIds: readonly string[]
  readonly emailIds: readonly string[]
}

/** Work that locks several rows of a table. */
interface Locking {
  readonly name: string
  /** The rows, after FROM, in the order of their locks. */
  readonly rows: (story: Story) => string
  /** SQL that prepares the rows. */
  readonly given?: (story: Story) => string
  readonly work: (story: Story) => Promise<unknown>
}

const runsOf = (eventId: string) => `workflow_runs WHERE event_id = '${eventId}' ORDER BY id`
const firstRuns = ({ first }: Story) => runsOf(first)
const secondRuns = ({ second }: Story) => runsOf(second)
const runsOfAdam = () => `workflow_runs WHERE subscriber_id = 'adam' ORDER BY id`
const deliveries = ({ first }: Story) => `deliveries WHERE event_id = '${first}' ORDER BY id`
const emails = ({ emailIds }: Story) => `step_runs WHERE id IN ('${emailIds.join("', '")}') ORDER BY id`
const digests = () => `step_runs WHERE type = 'digest' AND merged_into_id IS NULL ORDER BY digest_key`
const subscribers = () => 'subscribers ORDER BY subscriber_id'
const pending = () =>
  `UPDATE deliveries SET status = 'pending'; UPDATE step_runs SET status = 'sending' WHERE type = 'email'`

const cancelFirst = ({ scope, first }: Story) => cancelRuns(scope, first, now())
const cancelSecond = ({ scope, second }: Story) => cancelRuns(scope, second, now())
const retry = ({ scope, deliveryIds }: Story) => reopenDeliveries(scope, deliveryIds.toReversed(), now())
const erase = ({ scope, runIds }: Story) => eraseRunsById(scope, runIds, { target: {}, content: {}, detail: 'erased' })

const all: readonly Locking[] = [
  { name: 'continues runs', rows: firstRuns, work: ({ scope, runIds }) => holdRuns(scope, runIds) },
  { name: 'fails runs', rows: firstRuns, work: ({ scope, runIds }) => giveUpRuns(scope, runIds, 'failed', now()) },
  { name: 'cancels runs', rows: firstRuns, work: cancelFirst },
  { name: 'cancels digests', rows: digests, work: cancelFirst },
  { name: 'cancels messages', rows: deliveries, given: pending, work: cancelFirst },
  { name: 'cancels steps', rows: emails, given: pending, work: cancelFirst },
  { name: 'takes runs out of digests', rows: digests, work: cancelSecond },
  { name: 'cancels runs that joined digests', rows: secondRuns, work: cancelSecond },
  { name: 'closes digests', rows: digests, work: ({ scope, runIds }) => endWait(scope, runIds, 1, now()) },
  {
    name: 'releases runs from digests',
    rows: secondRuns,
    given: () => `UPDATE step_runs SET status = 'cancelled' WHERE type = 'digest' AND merged_into_id IS NULL`,
    work: ({ scope, first }) => releaseDigested(scope, first, now()),
  },
  { name: 'retries messages', rows: deliveries, work: retry },
  { name: 'opens steps again', rows: emails, work: retry },
  {
    name: 'holds runs to retry',
    rows: firstRuns,
    given: ({ first }) => `UPDATE workflow_runs SET status = 'completed' WHERE event_id = '${first}'`,
    work: ({ scope, runIds }) => holdEndedRuns(scope, runIds.toReversed(), {}),
  },
  {
    name: 'replaces messages',
    rows: deliveries,
    work: ({ scope, deliveryIds }) => replaceDeliveries(scope, deliveryIds.toReversed(), now()),
  },
  {
    name: 'marks steps to repeat',
    rows: emails,
    work: ({ scope, runIds }) =>
      restartRuns(
        scope,
        runIds.map((id) => ({ id, status: 'running', position: 0, snapshotHash: null, isNew: false })),
        runIds.toReversed().map((runId) => ({ runId, position: 0 })),
        now(),
      ),
  },
  {
    name: 'holds the runs of a deleted subscriber',
    rows: runsOfAdam,
    work: async ({ scope }) => {
      const { id } = await scope.db.subscriber.findFirstOrThrow({ where: { subscriberId: 'adam' } })
      return holdRunsOfSubscriber(scope, { subscriberId: 'adam', subscriberRowId: id }, 10)
    },
  },
  {
    name: 'holds the runs of a person',
    rows: runsOfAdam,
    // A process whose clock was ahead created the first run.
    given: ({ first }) =>
      `UPDATE workflow_runs SET created_at = now() + interval '1 minute' WHERE event_id = '${first}'`,
    work: ({ scope }) => holdRunsNamed(scope, 'adam', new Date(now().getTime() + 3_600_000), 10),
  },
  { name: 'erases messages', rows: deliveries, work: erase },
  { name: 'erases steps', rows: emails, work: erase },
  {
    name: 'replaces what names a person',
    rows: emails,
    work: ({ scope, emailIds }) => {
      const table = erasedTables.find(({ name }) => name === 'step_runs')
      if (table === undefined) throw new Error('steps are not searched')
      const rows = emailIds.toReversed().map((id) => ({ key: [id], found: { detail: 'erased' } }))
      return writeSearched(scope, table, rows)
    },
  },
  {
    name: 'creates runs',
    rows: subscribers,
    given: ({ second }) => `DELETE FROM workflow_runs WHERE event_id = '${second}'`,
    work: ({ scope, second }) => {
      const created = ['zoe', 'adam'].map((subscriberId) => ({
        ...{
          id: scope.newId(),
          eventId: second,
          subscriberId,
          workflowIdentifier: 'order',
          eventCreatedAt: now(),
          contextKeys: [],
        },
        ...{ status: 'running' as const, position: 0 },
      }))
      return createRuns(scope, created, now())
    },
  },
  {
    name: 'erases subscribers',
    rows: subscribers,
    work: ({ scope }) => lockSubscribers(scope, ['zoe', 'adam'], 'delete'),
  },
]

describe.runIf(onServer)('on PostgreSQL (needs TEST_DATABASE_URL), rows are locked in one order by', () => {
  let story: Story

  async function idsOf(rows: string): Promise<string[]> {
    const result = await world.database.pool.query<{ id: string }>(`SELECT id FROM ${rows}`)
    return result.rows.map(({ id }) => id)
  }

  beforeEach(async () => {
    for (const { id } of await world.gateway.db.environment.findMany({ where: { creatorId: { not: null } } }))
      await world.gateway.db.environment.delete({ where: { id } })
    const acme = await world.environment()
    receiver.answer(400)
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const digest = { digest: { amount: 1, unit: 'HOURS' } }
    await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }, digest, { inApp: { body: 'Hello' } }])
    // Ids are in the order of creation, and names in the opposite order.
    const to = ['zoe', 'adam'].map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }))
    const events = []
    for (let count = 0; count < 2; count += 1) {
      const transactionId = await trigger(acme, { to })
      await world.work()
      events.push(await world.gateway.db.event.findFirstOrThrow({ where: { transactionId } }))
    }
    const [first, second] = events
    if (first === undefined || second === undefined) throw new Error('there are two events')
    const runIds = await idsOf(runsOf(first.id))
    story = {
      scope: createEnvironmentScope(world.gateway, first.environmentId),
      first: first.id,
      second: second.id,
      runIds,
      deliveryIds: await idsOf(`deliveries WHERE event_id = '${first.id}' ORDER BY id`),
      emailIds: await idsOf(`step_runs WHERE type = 'email' AND run_id IN ('${runIds.join("', '")}') ORDER BY id`),
    }
  })

  test.each(all)('$name', async ({ rows, given, work }) => {
    const { pool } = world.database
    if (given) await pool.query(given(story))
    const [table] = rows(story).split(' ')
    const [first, second, ...others] = await idsOf(rows(story))
    expect([first, second, others]).toEqual([expect.any(String), expect.any(String), []])
    // Behind the other row in the table, so that an unordered statement would reach it last.
    await pool.query(`UPDATE ${table} SET created_at = created_at WHERE id = '${first}'`)

    const other = await pool.connect()
    onTestFinished(() => other.release())
    const lock = (id: string | undefined) => `SELECT FROM ${table} WHERE id = '${id}' FOR UPDATE`
    await other.query(`BEGIN; ${lock(first)}`)
    // Prisma sends a statement when its result is awaited.
    const working = (async () => {
      await work(story)
    })()
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await until(async () => ((await pool.query(waiting)).rowCount === 1 ? true : undefined))
    // A transaction that needs both rows would now wait for the work, which waits for it.
    const locked = await other.query(`${lock(second)} NOWAIT`).then(
      ({ rowCount }) => rowCount,
      (error: unknown) => error,
    )
    await other.query('ROLLBACK')
    await working
    expect(locked).toBe(1)
  })
})
