// Jobs: the queue. They commit together with the rows they refer to.
import { groupBy } from '../../lib/group-by.ts'
import type { Tenant } from '../reading/loader.ts'
import { type Job as StoredJob, Prisma } from '../prisma/client.ts'
import type { JobQueue } from '../prisma/enums.ts'
import { sqlCount } from '../statement/statement.ts'
import { insertRows, rowsOf, type Table } from '../statement/table.ts'
import { NIL_ID } from '../../lib/new-id.ts'

const jobTable: Table<StoredJob> = { name: 'jobs', fields: Object.values(Prisma.JobScalarFieldEnum) }

/** Cancels and erases the runs of a deleted subscriber, newest first. */
export interface RunErasure {
  readonly subscriberId: string
  readonly subscriberRowId: string
  /** The last run of the previous page. Omitted for the first page. */
  readonly after?: { readonly createdAt: string; readonly id: string }
}

/** Erases persons from all tables. */
export interface PersonErasure {
  readonly erasureId: string
  /** The index of the person whose runs are erased. Omitted for the first one. */
  readonly person?: number
  /**
   * The index of the table, or of another part of the search. Omitted while runs are erased, which is the first part.
   */
  readonly table?: number
  /** The key of the last row of the previous page. Omitted for the first page of a table. */
  readonly after?: string
  /**
   * Rows created later are not searched. Omitted until the search has passed the events, which were created before the
   * request.
   */
  readonly until?: string
}

/** The data of each queue's jobs. */
export interface Work extends Record<JobQueue, object> {
  /** Creates the runs of an event, one page of its recipients at a time. */
  fan_out: {
    readonly eventId: string
    /**
     * Start of the next page: a subscriber that the trigger names, the row id of a subscription to a topic, or the row id
     * of a subscriber. Omitted for the first page.
     */
    readonly place?:
      | { readonly subscriber: number }
      | { readonly topic: number; readonly after: string | null }
      | { readonly everyone: true; readonly after: string | null }
  }
  /** Executes the steps of runs of one event until they wait or end. */
  advance: {
    readonly runIds: readonly string[]
    /** The position of the step whose wait has ended, if any. */
    readonly due?: number
    /** The workflow, if that step is a digest. */
    readonly closesDigestOf?: string
    /** How often the wait was prolonged. Omitted for never. */
    readonly extended?: number
    /** The position of a step whose messages end now, unless they were sent. The runs do not advance otherwise. */
    readonly expires?: number
  }
  /** Attempts to send one message. */
  deliver: { readonly deliveryId: string }
  /** Erases the rest of a deleted subscriber, one page at a time. */
  erase: RunErasure | PersonErasure
}

/** The priorities of an environment's available jobs. Lower numbers go first. */
export const priorities = {
  /** Jobs of a critical workflow. */
  critical: 0,
  /** Jobs of an event for few recipients, and other jobs that someone waits for. */
  single: 1,
  /** Jobs of an event for many recipients. */
  fanOut: 2,
} as const
export type Priority = (typeof priorities)[keyof typeof priorities]

/** The integration of jobs that have none because they do not send messages or come from an earlier version. */
export const NO_INTEGRATION = NIL_ID

/** When a job is due, and its order among others. */
export interface JobTiming {
  /** The time at which the work is due. Later waits count from this time. Defaults to now. */
  readonly dueAt?: Date
  /** The time from which the job may be taken. Defaults to `dueAt`, but not before now. */
  readonly availableAt?: Date
  /** The workflow of the job's runs if they may still reach one of its digests. Defaults to null. */
  readonly digestWorkflowId?: string | null
  /** Defaults to `single`. */
  readonly priority?: Priority
  /** Attempts that failed before, as part of another job. Defaults to 0. */
  readonly attemptCount?: number
}

export type NewJob = {
  [Name in JobQueue]: JobTiming & { readonly queue: Name; readonly data: Work[Name]; readonly integrationId?: string }
}[JobQueue]

/** The job that attempts to send a message, through the integration of its delivery. */
export const deliverJob = (
  { id, integrationId }: { readonly id: string; readonly integrationId: string | null },
  timing: JobTiming,
): NewJob => ({
  ...timing,
  queue: 'deliver',
  data: { deliveryId: id },
  integrationId: integrationId ?? NO_INTEGRATION,
})

/** Runs in one job. Each job is one transaction. */
const RUNS_AT_ONCE = 100

export interface AdvanceTiming extends JobTiming {
  /** The position of the step whose wait has ended, if any. */
  readonly position?: number | undefined
  /** The workflow, if that step is a digest. */
  readonly closesDigestOf?: string | undefined
  /** How often the wait was prolonged. Default: never. */
  readonly extended?: number | undefined
  /** The position of the step whose messages end, if the job does not advance the runs. */
  readonly expires?: number | undefined
}

/** Jobs for runs of one event, in chunks of `RUNS_AT_ONCE`. */
export function advanceJobs(
  runIds: readonly string[],
  { position, closesDigestOf, extended, expires, ...timing }: AdvanceTiming = {},
): NewJob[] {
  const wait = {
    ...(position !== undefined && { due: position }),
    ...(closesDigestOf && { closesDigestOf }),
    ...(extended && { extended }),
    ...(expires !== undefined && { expires }),
  }
  return Array.from({ length: Math.ceil(runIds.length / RUNS_AT_ONCE) }, (_, index) => ({
    ...timing,
    queue: 'advance',
    data: { ...wait, runIds: runIds.slice(index * RUNS_AT_ONCE, (index + 1) * RUNS_AT_ONCE) },
  }))
}

/** A job that was taken. */
export interface Job<Name extends JobQueue = JobQueue> {
  readonly environmentId: string
  readonly id: string
  readonly queue: Name
  readonly data: Work[Name]
  readonly dueAt: Date
  /** How often the job was taken, including this time. */
  readonly attemptCount: number
  readonly digestWorkflowId: string | null
  readonly priority: Priority
  /** The integration of a message, or `NO_INTEGRATION`. */
  readonly integrationId: string
  /** The circuit of the integration when the job was taken. Null or absent if it had no failures. */
  readonly circuit?: JobCircuit | null
  /** True if the message has waited for the circuit as long as it may, so that no further attempt follows. */
  readonly isLast?: boolean
}

/** The circuit of an integration that has failures. */
export interface JobCircuit {
  /** The time of the next probe, in ISO 8601. Null if the circuit is closed. */
  readonly probeAt: string | null
}

/** Identifies an integration across all environments. */
export const integrationKey = ({
  environmentId,
  integrationId,
}: Pick<Job, 'environmentId' | 'integrationId'>): string => `${environmentId} ${integrationId}`

/** What tells a job that was taken from the same job when another process has taken it since. */
export type TakenJob = Pick<Job, 'environmentId' | 'id' | 'attemptCount'>

/** Jobs as they were taken, to select from in a statement. */
export const takenRows = (jobs: readonly (TakenJob & { readonly availableAt?: Date })[]): Prisma.Sql =>
  rowsOf(
    jobTable,
    jobs.map(({ environmentId, id, attemptCount, availableAt }) => ({ environmentId, id, attemptCount, availableAt })),
  )

/** The parts of a scope that are needed to add jobs. */
export interface Enqueuer extends Tenant {
  readonly now: () => Date
  readonly newId: () => string
}

/** The kinds of jobs. Each kind has loops of its own. */
export const jobKinds = ['events', 'runs', 'messages'] as const
export type JobKind = (typeof jobKinds)[number]

/** The queues of each kind. */
export interface QueueOf extends Record<JobKind, JobQueue> {
  events: 'fan_out'
  runs: 'advance' | 'erase'
  messages: 'deliver'
}

/** Jobs that only touch the database are executed in a transaction. Messages are not, because providers can be slow. */
export type TransactedQueue = QueueOf['events' | 'runs']

const kindOf = {
  fan_out: 'events',
  advance: 'runs',
  erase: 'runs',
  deliver: 'messages',
} as const satisfies Record<JobQueue, JobKind>

/** The NOTIFY channel for new jobs, and for other work of the worker. */
export const JOB_CHANNEL = 'jobs'

/** The deliveries of webhook messages, which have a queue of their own. */
export const WEBHOOKS = 'webhooks' as const

/** What a worker has loops for. */
export type WorkKind = JobKind | typeof WEBHOOKS

const workKinds: readonly WorkKind[] = [...jobKinds, WEBHOOKS]

/** How many jobs of a kind became available in an environment. */
export interface Announcement {
  readonly kind: WorkKind
  readonly count: number
  readonly environmentId: string
}

/** The messages on `JOB_CHANNEL` about jobs. */
export const announcementsOf = (environmentId: string, jobs: readonly { readonly queue: JobQueue }[]): string[] =>
  [...groupBy(jobs, ({ queue }) => kindOf[queue])].map(([kind, { length }]) => `${kind} ${length} ${environmentId}`)

/** The message on `JOB_CHANNEL` about new deliveries of webhook messages. */
export const webhookAnnouncement = (environmentId: string): string => `${WEBHOOKS} 1 ${environmentId}`

/** Reads a message on `JOB_CHANNEL`. Undefined if another version of the gateway sent it. */
export function readAnnouncement(payload: string): Announcement | undefined {
  const [name, count, environmentId] = payload.split(' ')
  const kind = workKinds.find((one) => one === name)
  return kind && environmentId ? { kind, count: Number(count), environmentId } : undefined
}

/**
 * The statement that adds jobs if `condition` holds, and the query that wakes idle workers for available jobs. The
 * query's result is not used.
 */
export function jobAddition(
  { environmentId, now, newId }: Enqueuer,
  jobs: readonly NewJob[],
  condition = Prisma.sql`true`,
): { readonly insert: Prisma.Sql; readonly wake: Prisma.Sql } {
  const createdAt = now()
  const rows = jobs.map(({ dueAt = createdAt, availableAt, ...job }) => ({
    id: newId(),
    digestWorkflowId: null,
    priority: priorities.single,
    integrationId: NO_INTEGRATION,
    attemptCount: 0,
    ...job,
    dueAt,
    availableAt: availableAt ?? (dueAt > createdAt ? dueAt : createdAt),
  }))
  const messages = announcementsOf(
    environmentId,
    rows.filter(({ availableAt }) => availableAt <= createdAt),
  )
  return {
    insert: Prisma.sql`
      ${insertRows(jobTable, rows, {
        environmentId: Prisma.sql`${environmentId}::uuid`,
        createdAt: Prisma.sql`${createdAt}::timestamptz`,
      })}
      WHERE ${condition}`,
    wake: Prisma.sql`SELECT pg_notify(${JOB_CHANNEL}, message) FROM unnest(${messages}::text[]) AS message`,
  }
}

/** Adds jobs. On commit, wakes idle workers for those that are available. */
export async function enqueue(scope: Enqueuer, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return
  const { insert, wake } = jobAddition(scope, jobs)
  await sqlCount(scope.db, 'job.enqueue')`WITH added AS (${insert}) ${wake}`
}
