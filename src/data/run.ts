// Workflow runs: creation, locks, status changes and pages. Each statement handles many runs.
import type { Batch, Tenant } from './reading/loader.ts'
import { environmentPages, equalTo, pagesBy } from './reading/page.ts'
import { Prisma, type WorkflowRun } from './prisma/client.ts'
import type { RunStatus } from './prisma/enums.ts'
import { type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'
import { rowBy, selectList, type Table } from './reading/row.ts'
import { runStatement } from './statement/statement.ts'
import { type Subscriber, subscriberTable } from './subscriber.ts'

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
}

/** A run to create. */
export interface NewRun extends Omit<ActiveRun, 'subscriber' | 'hasPreferences'> {
  readonly subscriberId: string
  /** The row id of the subscriber. Undefined for the present one of that subscriberId. */
  readonly subscriberRowId?: string | undefined
  /** The workflow of the event. */
  readonly workflowIdentifier: string
  readonly eventCreatedAt: Date
}

const subscriberFields = Prisma.raw(subscriberTable.fields.map((field) => `found."${field}"`).join(', '))

/** True if a `subscriber` has preferences. LIMIT makes this one index lookup for each subscriber. */
const preferenceJoin = Prisma.sql`
  LEFT JOIN LATERAL (
    SELECT true AS found FROM subscriber_preferences
    WHERE environment_id = subscriber.environment_id AND subscriber_id = subscriber.subscriber_id LIMIT 1
  ) AS preference ON true`

/**
 * Creates runs, in the order given, and locks their subscribers against deletion until the transaction ends, in the order of
 * their ids. Skips those whose subscriber does not exist or has a run of the event already.
 *
 * @returns those that were created, in the same order.
 */
export async function createRuns(
  { db, environmentId }: Tenant,
  given: readonly NewRun[],
  now: Date,
): Promise<ActiveRun[]> {
  if (given.length === 0) return []
  const rows = given.map((run, place) => ({ ...run, place }))
  // LATERAL with LIMIT makes it one look into an index for each run, instead of a scan of all subscribers.
  const created = await db.$queryRaw<RunRow[]>`
    WITH found AS MATERIALIZED (
      SELECT place, given.id AS "runId", "eventId", status, position,
             given."workflowIdentifier", given."eventCreatedAt",
             preference.found IS NOT NULL AS "hasPreferences", ${selectList(subscriberTable, 'subscriber')}
      FROM (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          AS row(place int, id uuid, "eventId" uuid, "subscriberId" text, "subscriberRowId" uuid, status "RunStatus",
                 position int, "workflowIdentifier" text, "eventCreatedAt" timestamptz)
        ORDER BY "subscriberId"
      ) AS given
      CROSS JOIN LATERAL (
        SELECT * FROM subscribers
        WHERE environment_id = ${environmentId}::uuid AND subscriber_id = given."subscriberId"
          AND id = coalesce(given."subscriberRowId", subscribers.id)
        LIMIT 1 FOR KEY SHARE
      ) AS subscriber
      ${preferenceJoin}
    ), created AS (
      INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, workflow_identifier,
                                 event_created_at, status, position, created_at, updated_at)
      SELECT "environmentId", "runId", "eventId", "subscriberId", id, "workflowIdentifier", "eventCreatedAt", status,
             position, ${now}::timestamptz, ${now}::timestamptz
      FROM found ORDER BY place
      ON CONFLICT (environment_id, event_id, subscriber_id) DO NOTHING
      RETURNING id
    )
    SELECT "runId", "eventId", status, position, "hasPreferences", ${subscriberFields}
    FROM found JOIN created ON created.id = "runId" ORDER BY place`
  return created.map(activeRun)
}

/** A run with the columns of its subscriber. */
type RunRow = Subscriber & {
  readonly runId: string
  readonly eventId: string
  readonly status: RunStatus
  readonly position: number
  readonly hasPreferences: boolean
}

const activeRun = ({ runId, eventId, status, position, hasPreferences, ...subscriber }: RunRow): ActiveRun => ({
  id: runId,
  eventId,
  status,
  position,
  hasPreferences,
  subscriber,
})

/**
 * Locks those of these runs that have not ended, in the order of their ids, and their subscribers against deletion. Leaves
 * out those whose subscriber was deleted: another job cancels them.
 */
export async function holdRuns({ db, environmentId }: Tenant, ids: readonly string[]): Promise<ActiveRun[]> {
  const rows = await db.$queryRaw<RunRow[]>`
    SELECT run.id AS "runId", run.event_id AS "eventId", run.status, run.position,
           preference.found IS NOT NULL AS "hasPreferences", ${selectList(subscriberTable, 'subscriber')}
    FROM workflow_runs AS run
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = run.environment_id AND subscriber.id = run.subscriber_row_id
    ${preferenceJoin}
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
  /** Why it failed, in words. Null if it did not. */
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
  FROM jsonb_to_recordset(${JSON.stringify(states)}::jsonb) AS state(id uuid, status "RunStatus", position int, error text)
  WHERE run.environment_id = ${environmentId}::uuid AND run.id = state.id`

/** The runs of step runs, by step run id. */
export const runsByStepRun: Batch<string, WorkflowRun | null> = {
  async load({ db, environmentId }, ids) {
    const rows = await runStatement<WorkflowRun & { readonly stepRunId: string }>(
      db,
      Prisma.sql`
        SELECT step.id AS "stepRunId", ${selectList(workflowRunTable, 'run')}
        FROM step_runs AS step
        JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
        WHERE step.environment_id = ${environmentId}::uuid AND step.id = ANY (${[...ids]}::uuid[])`,
    )
    const byStepRun = new Map(rows.map(({ stepRunId, ...run }) => [stepRunId, run]))
    return ids.map((id) => byStepRun.get(id) ?? null)
  },
}

/** Selects runs. Undefined fields match everything. */
export interface WorkflowRunFilter extends CreatedWithin {
  readonly status?: RunStatus | undefined
  readonly subscriberId?: string | undefined
  readonly workflowIdentifier?: string | undefined
}

const equal = equalTo<Omit<WorkflowRunFilter, keyof CreatedWithin>>({
  status: '"RunStatus"',
  subscriberId: 'text',
  workflowIdentifier: 'text',
})

const list: RowList<WorkflowRun, WorkflowRunFilter> = {
  name: 'workflowRuns',
  table: workflowRunTable,
  where: (filter) => Prisma.sql`${equal(filter)} ${createdWithin(filter)}`,
  // Of two filters, the rarer one decides which index is the best.
  planForValues: ({ status, subscriberId, workflowIdentifier }) =>
    [status, subscriberId, workflowIdentifier].filter((value) => value !== undefined).length > 1,
}

export const runPages = environmentPages<WorkflowRun, WorkflowRunFilter>(list)

/** Pages of the runs of events, by event id. */
export const runsByEvent = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { field: 'eventId', type: 'uuid' })

/** Pages of the runs of subscribers, by subscriberId. */
export const runsBySubscriber = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { field: 'subscriberId' })

/** Pages of the runs of workflows, by identifier. */
export const runsByWorkflow = pagesBy<WorkflowRun, WorkflowRunFilter>(list, { field: 'workflowIdentifier' })
