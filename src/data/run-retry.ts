// Runs that can be retried: they failed, or ended with steps that a retry can repeat.
import { containsOneOf, inContexts, oneOf } from './reading/page.ts'
import { Prisma } from './prisma/client.ts'
import type { RunOutcome, RunStatus, StepStatus } from './prisma/enums.ts'
import { type Batch, rowBatch, type Tenant } from './reading/loader.ts'
import { type CreatedWithin, createdWithin } from './reading/row-list.ts'
import { isRepeatable } from './repeatable-step.ts'
import { limitTo, sql } from './statement/statement.ts'

/** Selects runs that can be retried, and their steps. Undefined fields match everything. */
export interface RunRetryFilter extends CreatedWithin {
  readonly outcome?: readonly RunOutcome[] | undefined
  readonly subscriberId?: readonly string[] | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** The transaction id of the event. */
  readonly transactionId?: string | undefined
  /** Topics of which the event names one as a recipient. */
  readonly topicKey?: readonly string[] | undefined
  /** The reasons of the steps to repeat. `run_failed` is the reason of a failed run. */
  readonly reason?: readonly string[] | undefined
  /** The steps to repeat. */
  readonly stepId?: readonly string[] | undefined
  /** The causes of the steps to repeat. */
  readonly cause?: readonly string[] | undefined
}

/** A step of a run that has ended. */
export interface EndedStep {
  readonly position: number
  readonly status: StepStatus
  readonly reason: string | null
  /** True if a retry can repeat it, and if it matches the filter. */
  readonly matches: boolean
}

/** A run that has ended, and its event. */
export interface EndedRun {
  readonly id: string
  readonly eventId: string
  /** The workflow of the event. */
  readonly snapshotHash: string
  readonly eventCreatedAt: Date
  readonly status: RunStatus
  /** The position of the next step. */
  readonly position: number
  /** In order. */
  readonly steps: readonly EndedStep[]
}

type StoredSteps = readonly (readonly [EndedStep['position'], EndedStep['status'], EndedStep['reason'], boolean])[]
type StoredRun<Run> = Omit<Run, 'steps'> & { readonly steps: StoredSteps }

const withSteps = <Run extends { readonly steps: StoredSteps }>({ steps, ...run }: Run) => ({
  ...run,
  steps: steps.map(([position, status, reason, matches]) => ({ position, status, reason, matches })),
})

const among = (column: string, values: readonly unknown[] | undefined, type = 'text'): Prisma.Sql =>
  values === undefined ? Prisma.empty : Prisma.sql`AND ${oneOf(Prisma.raw(column), values, Prisma.raw(type))}`

/** The conditions on a `step`, each with a leading AND. */
const stepConditions = ({ reason, stepId, cause }: RunRetryFilter) =>
  Prisma.sql`${among('step.reason', reason)} ${among('step.step_id', stepId)} ${among('step.cause', cause)}`

/** True if a filter also selects failed runs without a step to repeat. */
export const selectsFailedRuns = ({ reason, stepId, cause }: RunRetryFilter): boolean =>
  stepId === undefined && cause === undefined && (reason === undefined || reason.includes('run_failed'))

/** The runs of a filter, except for its steps, as `child`, `event` and `steps`. */
function endedRuns({ environmentId }: Tenant, filter: RunRetryFilter, which: Prisma.Sql): Prisma.Sql {
  const { transactionId, topicKey } = filter
  return Prisma.sql`workflow_runs AS child
    JOIN events AS event ON event.environment_id = ${environmentId}::uuid AND event.id = child.event_id
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = ${environmentId}::uuid AND subscriber.id = child.subscriber_row_id
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(jsonb_build_array(position, status, reason,
               coalesce(${isRepeatable} ${stepConditions(filter)}, false)) ORDER BY position), '[]') AS list
      FROM step_runs AS step WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = child.id
    ) AS steps
    WHERE child.environment_id = ${environmentId}::uuid AND child.status IN ('completed', 'failed')
      AND event.cancelled_at IS NULL AND event.secrets_removed_at IS NULL
      ${among('child.outcome', filter.outcome, '"RunOutcome"')}
      ${among('child.subscriber_id', filter.subscriberId)}
      ${among('child.workflow_identifier', filter.workflowIdentifier)}
      ${inContexts(filter, true)} ${createdWithin(filter)}
      ${
        transactionId === undefined
          ? Prisma.empty
          : Prisma.sql`AND child.event_id = (
              SELECT id FROM events WHERE environment_id = ${environmentId}::uuid AND transaction_id = ${transactionId})`
      }
      ${
        topicKey === undefined
          ? Prisma.empty
          : Prisma.sql`AND ${containsOneOf(Prisma.sql`event.recipients`, 'topicKey', topicKey)}`
      }
      ${which}`
}

/** The condition that a run can be retried, with a leading AND. */
function isRetriable({ environmentId }: Tenant, filter: RunRetryFilter): Prisma.Sql {
  const failed = selectsFailedRuns(filter)
    ? Prisma.sql`UNION ALL SELECT id FROM workflow_runs WHERE environment_id = ${environmentId}::uuid AND status = 'failed'`
    : Prisma.empty
  return Prisma.sql`AND child.id IN (
    SELECT run_id FROM step_runs AS step
    WHERE step.environment_id = ${environmentId}::uuid AND ${isRepeatable} ${stepConditions(filter)} ${failed}
  )`
}

const fields = Prisma.sql`child.id, child.event_id AS "eventId", event.snapshot_hash AS "snapshotHash",
  event.created_at AS "eventCreatedAt", child.status, child.position, steps.list AS steps`

/** A number of runs that are equal in everything that decides what a retry repeats, by one of them. */
export interface EndedRuns extends EndedRun {
  readonly count: number
}

/** A portion of the runs that may be retried, in the order of their ids. */
interface Portion {
  /** The last run of the portion before. */
  readonly after: string | undefined
  readonly take: number
}

const behind = (after: string | undefined) =>
  after === undefined ? Prisma.empty : Prisma.sql`AND child.id > ${after}::uuid`

/** Counts the runs that may be retried. */
export async function countRetriableRuns(
  tenant: Tenant,
  filter: RunRetryFilter,
  { after, take }: Portion,
): Promise<readonly EndedRuns[]> {
  const rows = await sql<StoredRun<EndedRuns>>(tenant.db, 'run-retry.countRetriableRuns', { planForValues: true })`
    SELECT min(id::text)::uuid AS id, "eventId", "snapshotHash", "eventCreatedAt", status, position, steps, count(*)::int AS count
    FROM (SELECT ${fields} FROM ${endedRuns(tenant, filter, isRetriable(tenant, filter))} ${behind(after)} ${limitTo(take)}) AS found
    GROUP BY "eventId", "snapshotHash", "eventCreatedAt", status, position, steps`
  return rows.map(withSteps)
}

/** A run, by its place in the order of creation. */
export interface RunPlace {
  readonly id: string
  readonly eventId: string
}

/** Finds the next runs that may be retried, oldest first. */
export const findRetriableRuns = (
  tenant: Tenant,
  filter: RunRetryFilter,
  { after, take }: Portion,
): Promise<readonly RunPlace[]> =>
  sql<RunPlace>(tenant.db, 'run-retry.findRetriableRuns', { planForValues: true })`
    SELECT child.id, child.event_id AS "eventId" FROM ${endedRuns(tenant, filter, isRetriable(tenant, filter))}
      ${behind(after)}
    ORDER BY child.id ${limitTo(take)}`

/**
 * Locks runs that have ended, in the order of their ids, and their subscribers against deletion. Their events must be
 * locked. Runs that another retry has started again, that were cancelled or whose subscriber was deleted are left out.
 */
export async function holdEndedRuns(
  tenant: Tenant,
  ids: readonly string[],
  filter: RunRetryFilter,
): Promise<readonly EndedRun[]> {
  const { db, environmentId } = tenant
  const held = await sql<{ id: string }>(db, 'run-retry.holdEndedRuns')`
    SELECT run.id FROM workflow_runs AS run
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = ${environmentId}::uuid AND subscriber.id = run.subscriber_row_id
    WHERE run.environment_id = ${environmentId}::uuid AND run.id = ANY (${[...ids]}::uuid[])
      AND run.status IN ('completed', 'failed')
    ORDER BY run.id FOR UPDATE OF run FOR KEY SHARE OF subscriber`
  // Read in a second statement, which sees what other transactions had written before the locks were taken.
  return readEndedRuns(
    tenant,
    held.map(({ id }) => id),
    filter,
  )
}

async function readEndedRuns(
  tenant: Tenant,
  ids: readonly string[],
  filter: RunRetryFilter,
): Promise<readonly EndedRun[]> {
  if (ids.length === 0) return []
  const rows = await sql<StoredRun<EndedRun>>(tenant.db, 'run-retry.readEndedRuns')`
    SELECT ${fields}
    FROM ${endedRuns(tenant, filter, Prisma.sql`AND child.id = ANY (${[...ids]}::uuid[])`)} ORDER BY child.id`
  return rows.map(withSteps)
}

/** Runs that have ended and whose subscriber exists, by id. Null for others. */
export const endedRunsById: Batch<string, EndedRun | null> = rowBatch(
  (tenant, ids) => readEndedRuns(tenant, ids, {}),
  ({ id }) => id,
)
