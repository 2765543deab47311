// Workflow runs: creation, locks, status changes and pages. Each statement handles many runs.
import type { Batch, Tenant } from './reading/loader.ts'
import { environmentPages, equalTo, inContexts, pagesBy } from './reading/page.ts'
import { Prisma, type WorkflowRun } from './prisma/client.ts'
import type { RunOutcome, RunStatus } from './prisma/enums.ts'
import { type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'
import { filterParts } from './reading/filter-parts.ts'
import { rowBy } from './reading/row.ts'
import { rowsOf, selectList, type Table } from './statement/table.ts'
import { limitTo, sql } from './statement/statement.ts'
import { addressKeyIfSuppressing } from './suppression/address-key.ts'
import { type Subscriber, subscriberTable } from './subscriber.ts'
import { NIL_ID } from '../lib/new-id.ts'

const workflowRunTable: Table<WorkflowRun> = {
  name: 'workflow_runs',
  fields: Object.values(Prisma.WorkflowRunScalarFieldEnum),
}

export const runsById = rowBy(workflowRunTable, { field: 'id', type: 'uuid' })

/** A run to execute, locked, and its subscriber, locked against deletion. */
export interface ActiveRun {
  readonly id: string
  readonly eventId: string
  readonly subscriber: Subscriber
  readonly status: RunStatus
  /** The position of the next step. */
  readonly position: number
  /** True if the subscriber has preferences, under any contexts. */
  readonly hasPreferences: boolean
  /** The encrypted address key of the environment. Null if the environment has no suppressions. */
  readonly addressKey: string | null
  /** The workflow that it executes since a retry. Null for that of its event. */
  readonly snapshotHash: string | null
  /** True if a retry has executed steps of it again. */
  readonly isRetried: boolean
}

/** A run to create. */
export interface NewRun extends Pick<ActiveRun, 'id' | 'eventId' | 'status' | 'position'> {
  readonly subscriberId: string
  /** The row id of the subscriber. Undefined for the subscriber that currently has that subscriberId. */
  readonly subscriberRowId?: string | undefined
  /** The workflow of the event. */
  readonly workflowIdentifier: string
  readonly eventCreatedAt: Date
  /** The contexts of the event, sorted. */
  readonly contextKeys: readonly string[]
  /** The outcome that the run probably has at the end of the transaction. The steps correct it. Default: pending. */
  readonly outcome?: RunOutcome
}

const subscriberFields = Prisma.raw(subscriberTable.fields.map((field) => `found."${field}"`).join(', '))

/** True if a `subscriber` has preferences. LIMIT makes this one index lookup per subscriber. */
const preferenceJoin = ({ environmentId }: Tenant) => Prisma.sql`
  LEFT JOIN LATERAL (
    SELECT true AS found FROM subscriber_preferences
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = subscriber.subscriber_id LIMIT 1
  ) AS preference ON true`

/**
 * Creates runs, in the order given, and locks their subscribers against deletion until the transaction ends, in the
 * order of their ids. Skips runs whose subscriber does not exist or already has a run of the event.
 *
 * @returns the created runs, in the same order.
 */
export async function createRuns(
  { db, environmentId }: Tenant,
  given: readonly NewRun[],
  now: Date,
): Promise<ActiveRun[]> {
  if (given.length === 0) return []
  // LATERAL with LIMIT makes it one index lookup per run, instead of a scan of all subscribers.
  const created = await sql<RunRow>(db, 'run.createRuns')`
    WITH found AS MATERIALIZED (
      SELECT ordinality AS place, given.id AS "runId", given.event_id AS "eventId", status, position,
             given.workflow_identifier, given.event_created_at, given.context_keys,
             given.outcome,
             preference.found IS NOT NULL AS "hasPreferences", ${selectList(subscriberTable, 'subscriber')}
      FROM (
        SELECT * FROM ${rowsOf(workflowRunTable, given)} WITH ORDINALITY ORDER BY subscriber_id
      ) AS given
      CROSS JOIN LATERAL (
        SELECT * FROM subscribers
        WHERE environment_id = ${environmentId}::uuid AND subscriber_id = given.subscriber_id
          AND id = coalesce(given.subscriber_row_id, subscribers.id)
        LIMIT 1 FOR KEY SHARE
      ) AS subscriber
      ${preferenceJoin({ db, environmentId })}
    ), created AS (
      INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, workflow_identifier,
                                 event_created_at, context_keys, status, position, outcome, created_at, updated_at)
      SELECT "environmentId", "runId", "eventId", "subscriberId", id, workflow_identifier, event_created_at,
             context_keys, status, position, coalesce(outcome, 'pending'), ${now}::timestamptz, ${now}::timestamptz
      FROM found ORDER BY place
      ON CONFLICT (environment_id, event_id, subscriber_id) DO NOTHING
      RETURNING id
    )
    SELECT "runId", "eventId", status, position, "hasPreferences",
           ${addressKeyIfSuppressing({ environmentId })} AS "addressKey", ${subscriberFields}
    FROM found JOIN created ON created.id = "runId" ORDER BY place`
  return created.map((row) => activeRun({ ...row, snapshotHash: null, isRetried: false }))
}

interface SubscriberOfPage {
  readonly id: string
  readonly subscriberId: string
}

/** One page of all subscribers of the environment, ordered by row id. */
export async function everyonePage(
  { db, environmentId }: Tenant,
  { after, take }: { readonly after: string | null; readonly take: number },
): Promise<readonly SubscriberOfPage[]> {
  return sql<SubscriberOfPage>(db, 'run.everyonePage')`
    SELECT id, subscriber_id AS "subscriberId" FROM subscribers
    WHERE environment_id = ${environmentId}::uuid AND id > ${after ?? NIL_ID}::uuid
    ORDER BY id ${limitTo(take)}`
}

/** A run with the columns of its subscriber. */
type RunRow = Subscriber & {
  readonly runId: string
  readonly eventId: string
  readonly status: RunStatus
  readonly position: number
  readonly hasPreferences: boolean
  readonly addressKey: string | null
}

/** A run with its retries. */
type HeldRow = RunRow & Pick<ActiveRun, 'snapshotHash' | 'isRetried'>

function activeRun(row: HeldRow): ActiveRun {
  const { runId, eventId, status, position, hasPreferences, addressKey, snapshotHash, isRetried, ...subscriber } = row
  return { id: runId, eventId, status, position, hasPreferences, addressKey, snapshotHash, isRetried, subscriber }
}

/**
 * Locks these runs, except those that have ended, in the order of their ids, and their subscribers against deletion.
 * Leaves out runs whose subscriber was deleted, because another job cancels them.
 */
export async function holdRuns({ db, environmentId }: Tenant, ids: readonly string[]): Promise<ActiveRun[]> {
  const rows = await sql<HeldRow>(db, 'run.holdRuns')`
    SELECT run.id AS "runId", run.event_id AS "eventId", run.status, run.position,
           run.snapshot_hash AS "snapshotHash", run.retried_at IS NOT NULL AS "isRetried",
           preference.found IS NOT NULL AS "hasPreferences",
           ${addressKeyIfSuppressing({ environmentId })} AS "addressKey", ${selectList(subscriberTable, 'subscriber')}
    FROM workflow_runs AS run
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = ${environmentId}::uuid AND subscriber.id = run.subscriber_row_id
    ${preferenceJoin({ db, environmentId })}
    WHERE run.environment_id = ${environmentId}::uuid AND run.id = ANY (${[...ids]}::uuid[])
      AND run.status IN ('running', 'waiting')
    ORDER BY run.id FOR UPDATE OF run FOR KEY SHARE OF subscriber`
  return rows.map(activeRun)
}

/** The state of a run after its steps were executed. */
export interface RunState {
  readonly status: RunStatus
  /** The position of the next step. */
  readonly position: number
  /** Why the run failed, in words. Null if it did not. */
  readonly error: string | null
}

/** The statement that updates the states of runs. */
export const runUpdate = (
  { environmentId }: Tenant,
  states: readonly (RunState & { readonly id: string })[],
  now: Date,
): Prisma.Sql => Prisma.sql`
  UPDATE workflow_runs AS run
  SET status = state.status, position = state.position, error = state.error, updated_at = ${now}::timestamptz
  FROM ${rowsOf(workflowRunTable, states)} AS state
  WHERE run.environment_id = ${environmentId}::uuid AND run.id = state.id`

/** The runs of step runs, by step run id. */
export const runsByStepRun: Batch<string, WorkflowRun | null> = {
  async load({ db, environmentId }, ids) {
    const rows = await sql<WorkflowRun & { readonly stepRunId: string }>(db, 'run.runsByStepRun')`
      SELECT step.id AS "stepRunId", ${selectList(workflowRunTable, 'run')}
      FROM step_runs AS step
      JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = step.run_id
      WHERE step.environment_id = ${environmentId}::uuid AND step.id = ANY (${[...ids]}::uuid[])`
    const byStepRun = new Map(rows.map(({ stepRunId, ...run }) => [stepRunId, run]))
    return ids.map((id) => byStepRun.get(id) ?? null)
  },
}

/** The events among these that have a run of any of these subscribers, in the given order. */
export async function eventsWithRunOf(
  { db, environmentId }: Tenant,
  eventIds: readonly string[],
  subscriberIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ readonly id: string }>(db, 'run.eventsWithRunOf')`
    SELECT DISTINCT event_id AS id FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND event_id = ANY (${[...eventIds]}::uuid[])
      AND subscriber_id = ANY (${[...subscriberIds]}::text[])`
  const found = new Set(rows.map(({ id }) => id))
  return eventIds.filter((id) => found.has(id))
}

/** Selects runs. Undefined fields match everything. */
export interface WorkflowRunFilter extends CreatedWithin {
  readonly status?: readonly RunStatus[] | undefined
  readonly outcome?: readonly RunOutcome[] | undefined
  /** The reasons why nothing arrived. */
  readonly reason?: readonly string[] | undefined
  /** The steps with those reasons. */
  readonly reasonStepId?: readonly string[] | undefined
  readonly subscriberId?: readonly string[] | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** The causes by which the messages of a step failed. */
  readonly cause?: readonly string[] | undefined
  /** The transaction id of the event. */
  readonly transactionId?: string | undefined
}

const equal = equalTo<Omit<WorkflowRunFilter, keyof CreatedWithin | 'contextKeys' | 'cause' | 'transactionId'>>({
  status: '"RunStatus"',
  outcome: '"RunOutcome"',
  reason: 'text',
  reasonStepId: 'text',
  subscriberId: 'text',
  workflowIdentifier: 'text',
})

/** The condition that the messages of a step failed by one of these causes, with a leading AND. */
const failedBy = ({ environmentId }: Tenant, causes: readonly string[] | undefined): Prisma.Sql =>
  causes === undefined
    ? Prisma.empty
    : Prisma.sql`AND child.id IN (
        SELECT run_id FROM step_runs WHERE environment_id = ${environmentId}::uuid AND cause = ANY (${[...causes]}::text[])
      )`

/** The condition that a run belongs to an event, with a leading AND. */
const ofEvent = ({ environmentId }: Tenant, transactionId: string | undefined): Prisma.Sql =>
  transactionId === undefined
    ? Prisma.empty
    : Prisma.sql`AND child.event_id = (
        SELECT id FROM events WHERE environment_id = ${environmentId}::uuid AND transaction_id = ${transactionId}
      )`

/** The conditions on a `child` other than its event, each with a leading AND. */
const conditions = (filter: WorkflowRunFilter, tenant: Tenant): Prisma.Sql =>
  Prisma.sql`${equal(filter)} ${inContexts(filter, true)} ${failedBy(tenant, filter.cause)} ${createdWithin(filter)}`

/** The conditions on a `child`, each with a leading AND. */
export const runConditions = (tenant: Tenant, filter: WorkflowRunFilter): Prisma.Sql =>
  Prisma.sql`${conditions(filter, tenant)} ${ofEvent(tenant, filter.transactionId)}`

const list: RowList<WorkflowRun, WorkflowRunFilter> = {
  name: 'workflowRuns',
  table: workflowRunTable,
  where: conditions,
  branches: ({ transactionId }, tenant) => [
    { from: Prisma.sql`"workflow_runs" AS child`, where: ofEvent(tenant, transactionId) },
  ],
  parts: (filter) =>
    filterParts(filter, ['subscriberId', 'reasonStepId', 'reason', 'workflowIdentifier', 'outcome', 'status']),
  // With several filters, the rarest one determines the best index. The runs of an event also have an order of their own.
  planForValues: ({ outcome, reason, reasonStepId, cause, transactionId, ...others }) =>
    [outcome, reason, reasonStepId, cause, transactionId].some((value) => value !== undefined) ||
    [others.status, others.subscriberId, others.workflowIdentifier, others.contextKeys].filter(
      (value) => value !== undefined,
    ).length > 1,
}

export const runPages = environmentPages<WorkflowRun, WorkflowRunFilter>(list)

/** Pages of the runs of events, by event id. */
export const runsByEvent = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { field: 'eventId', type: 'uuid' })

/** Pages of the runs of subscribers, by subscriberId. */
export const runsBySubscriber = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { field: 'subscriberId' })

/** Pages of the runs of workflows, by identifier. */
export const runsByWorkflow = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { field: 'workflowIdentifier' })

/** Pages of the runs of events with exactly one context, by its key. */
export const runsByContext = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { by: 'context', isPartial: true })
