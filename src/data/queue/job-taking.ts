// Taking jobs from the queue, and returning or ending them. Environments take turns, and an attempt is counted before
// the work.
import { despiteConflicts } from '../driver/database-errors.ts'
import type { Connection } from '../connection/database.ts'
import { isNotDeleted } from '../access/environment-deletion.ts'
import { holdTaken } from './held-job.ts'
import { byPriority, nextOfEnvironment, ofKind, type Taking } from './job-turns.ts'
import {
  type Job,
  type JobKind,
  jobKinds,
  priorities,
  type QueueOf,
  type TakenJob,
  takenRows,
  WEBHOOKS,
  type WorkKind,
} from './job.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { passCircuits } from './open-circuit.ts'
import { drawTokens, type RatedJob } from './send-rate.ts'
import type { JobQueue } from '../prisma/enums.ts'
import { limitTo, plannedEachTime, sql, sqlCount } from '../statement/statement.ts'
import { hasDueWebhooks } from './webhook-queue.ts'

export interface Taken<Name extends JobQueue> {
  readonly jobs: readonly Job<Name>[]
  /** The environment that was served last. */
  readonly last: string
  readonly databaseTime: Date
  /** The times at which integrations with a rate limit have tokens again, if their tokens were drawn. */
  readonly tokensAt: readonly Date[]
}

/** What may keep a taken job from being executed now. */
interface Doubtful extends Pick<RatedJob, 'limited' | 'since'> {
  /** True if the environment has a pause. */
  readonly hasPauses: boolean
}

/**
 * Takes the next jobs and counts the attempts, in a statement of its own: an attempt whose process dies or whose
 * transaction is rolled back counts too. Environments take turns. Within an environment, jobs with a lower priority
 * number come first and, within a priority, jobs that became available first. The result is in that order, too. The
 * environments are looked up one by one in the index, so the cost depends on their number and not on the number of
 * jobs.
 */
async function takeAny<Kind extends JobKind>(
  db: Connection,
  taking: Taking<Kind>,
): Promise<
  Omit<Taken<QueueOf[Kind]>, 'jobs' | 'tokensAt'> & { readonly jobs: readonly (Job<QueueOf[Kind]> & Doubtful)[] }
> {
  const { kind, count, first: firstPriority = priorities.critical, after, except, now, lease } = taking
  const until = new Date(now.getTime() + lease)
  // Reads an environment once instead of several times if all of its jobs wait until they are due. Jobs on events do
  // not wait.
  const isServed =
    kind === 'events'
      ? Prisma.empty
      : Prisma.sql`AND EXISTS (
          SELECT FROM jobs WHERE ${ofKind[kind]} AND environment_id = visited.id AND available_at <= ${now}::timestamptz
        )`
  interface Place extends Doubtful {
    readonly turn: number
    readonly place: number
  }
  type Row = { databaseTime: Date } & ((Job<QueueOf[Kind]> & Place) | { id: null })
  const rows = await sql<Row>(db, 'job-taking.takeAny')`
    ${plannedEachTime}
    WITH RECURSIVE visited(id, lap, turn) AS (
      SELECT ${after}::uuid, 0, 0
      UNION ALL
      SELECT coalesce(following.id, first.id), CASE WHEN following.id IS NULL THEN 1 ELSE visited.lap END,
             visited.turn + 1
      FROM visited
      LEFT JOIN LATERAL (
        SELECT environment_id AS id FROM jobs
        WHERE ${ofKind[kind]} AND environment_id > visited.id ORDER BY environment_id LIMIT 1
      ) AS following ON true
      LEFT JOIN LATERAL (
        SELECT environment_id AS id FROM jobs
        WHERE ${ofKind[kind]} AND following.id IS NULL AND visited.lap = 0 ORDER BY environment_id LIMIT 1
      ) AS first ON true
      WHERE coalesce(following.id, first.id) <= ${after}::uuid OR (following.id IS NOT NULL AND visited.lap = 0)
    ), next AS MATERIALIZED (
      SELECT job.environment_id, job.id, job.available_at, job.place, job.limited, job.circuit, visited.turn
      FROM visited CROSS JOIN LATERAL (
        ${nextOfEnvironment(taking)}
      ) AS job
      WHERE visited.turn > 0 AND visited.id <> ALL (${[...except]}::uuid[]) ${isServed}
        AND ${isNotDeleted(Prisma.sql`visited.id`)}
      ${limitTo(count.all)}
    ), taken AS (
      UPDATE jobs AS job SET attempt_count = attempt_count + 1, available_at = ${until}::timestamptz
      FROM next WHERE job.environment_id = next.environment_id AND job.id = next.id
      RETURNING job.environment_id AS "environmentId", job.id, job.queue, job.data, job.due_at AS "dueAt",
                job.attempt_count AS "attemptCount", job.digest_workflow_id AS "digestWorkflowId",
                job.priority::int, job.integration_id AS "integrationId", next.turn, next.place::int,
                next.available_at AS "since", next.limited, next.circuit
    )
    SELECT clock_timestamp() AS "databaseTime", taken.*,
           EXISTS (SELECT FROM pauses WHERE pauses.environment_id = taken."environmentId") AS "hasPauses"
    FROM (SELECT) AS always LEFT JOIN taken ON true`
  const [first] = rows
  if (first === undefined) throw new Error('a statement that always returns a database row returned none')
  const comparePriorities = byPriority(firstPriority)
  const jobs = rows
    .flatMap((row) => (row.id === null ? [] : [row]))
    .sort(
      (one, other) =>
        one.turn - other.turn ||
        comparePriorities(one.priority, other.priority) ||
        one.place - other.place ||
        one.since.getTime() - other.since.getTime() ||
        (one.id < other.id ? -1 : 1),
    )
  return { jobs, last: jobs.at(-1)?.environmentId ?? after, databaseTime: first.databaseTime }
}

const none: ReadonlySet<string> = new Set()

/**
 * Takes the next jobs that do not have to wait for a pause, or for the circuit or the rate limit of their integration.
 * Those that wait for a pause are held, so that they are not taken again until they are released.
 */
export async function takeJobs<Kind extends JobKind>(
  db: Connection,
  taking: Taking<Kind>,
): Promise<Taken<QueueOf[Kind]>> {
  let { after } = taking
  for (;;) {
    const { jobs, ...taken } = await takeAny(db, { ...taking, after })
    const doubtful = jobs.filter(({ hasPauses }) => hasPauses)
    const held = doubtful.length === 0 ? none : await despiteConflicts(() => holdTaken(db, doubtful))
    const free = jobs.filter(({ id }) => !held.has(id))
    const passed = await passCircuits(db, free, taking.now)
    const allowed = await drawTokens(db, passed, taking.now)
    if (jobs.length === 0 || allowed.jobs.length > 0) return { ...allowed, ...taken }
    after = taken.last
  }
}

/** Looks up the environments that have jobs one by one in the index. The last row of `visited` has no id. */
export const withVisited = Prisma.sql`WITH RECURSIVE visited(id) AS (
      (SELECT environment_id FROM jobs ORDER BY environment_id LIMIT 1)
      UNION ALL
      SELECT (SELECT environment_id FROM jobs WHERE environment_id > visited.id ORDER BY environment_id LIMIT 1)
      FROM visited WHERE visited.id IS NOT NULL
    )`

/**
 * The kinds of available jobs, and of other work, in one statement. It reads the first job of each kind in the index on
 * `available_at`, so the cost does not depend on the number of environments and jobs. In the order of that index, because
 * PostgreSQL would read the table to find any of the jobs if it expects many.
 */
export async function lookForJobs(
  db: Connection,
  now: Date,
): Promise<{ readonly kinds: readonly WorkKind[]; readonly databaseTime: Date }> {
  const jobs = jobKinds.map(
    (kind) => Prisma.sql`
      CASE WHEN (
        SELECT true FROM jobs WHERE ${ofKind[kind]} AND available_at <= ${now}::timestamptz ORDER BY available_at LIMIT 1
      ) THEN ${kind} END`,
  )
  const available = [...jobs, Prisma.sql`CASE WHEN ${hasDueWebhooks(now)} THEN ${WEBHOOKS} END`]
  const [found] = await sql<{ kinds: WorkKind[]; databaseTime: Date }>(db, 'job-taking.lookForJobs')`
    ${plannedEachTime}
    SELECT array_remove(ARRAY[${Prisma.join(available)}], NULL) AS kinds, clock_timestamp() AS "databaseTime"`
  if (found === undefined) throw new Error('a statement that always returns a database row returned none')
  return found
}

type JobId = Pick<Job, 'environmentId' | 'id'>

/**
 * Deletes jobs that were taken, which holds them until the transaction ends: if the transaction rolls back, the jobs
 * are in the queue again.
 *
 * @returns the deleted jobs, without those that another process has taken since or that no longer exist.
 */
export async function claimJobs<Taken extends TakenJob>(db: Connection, jobs: readonly Taken[]): Promise<Taken[]> {
  // Not with SKIP LOCKED, because a statement that takes jobs briefly locks these, even if it does not take them. A
  // process that took one since has changed its count first, so this never waits for another's work.
  const rows = await sql<{ id: string }>(db, 'job-taking.claimJobs')`
    DELETE FROM jobs USING ${takenRows(jobs)} AS taken
    WHERE (jobs.environment_id, jobs.id, jobs.attempt_count) = (taken.environment_id, taken.id, taken.attempt_count)
    RETURNING jobs.id`
  const claimed = new Set(rows.map(({ id }) => id))
  return jobs.filter(({ id }) => claimed.has(id))
}

/** True if a job exists, even if another process has taken it. */
export async function isQueued(db: Connection, { environmentId, id }: JobId): Promise<boolean> {
  return (await db.job.count({ where: { environmentId, id } })) > 0
}

/** A job of any queue, which has been deleted. */
export type RemovedJob = { [Name in JobQueue]: Job<Name> & { readonly availableAt: Date } }[JobQueue]

/**
 * Deletes the environment's jobs that become available first, at the same time. For work that is executed in the
 * transaction that enqueues it.
 *
 * @returns the jobs in the order of their ids. None if no job becomes available by the given time.
 */
export async function removeNextJobs({ db, environmentId }: Tenant, by: Date): Promise<RemovedJob[]> {
  const removed = await sql<RemovedJob>(db, 'job-taking.removeNextJobs')`
    DELETE FROM jobs WHERE (environment_id, id) IN (
      SELECT environment_id, id FROM jobs
      WHERE environment_id = ${environmentId}::uuid AND available_at = (
        SELECT min(available_at) FROM jobs
        WHERE environment_id = ${environmentId}::uuid AND available_at <= ${by}::timestamptz
      )
      FOR UPDATE SKIP LOCKED
    )
    RETURNING environment_id AS "environmentId", id, queue, data, due_at AS "dueAt", available_at AS "availableAt",
              attempt_count + 1 AS "attemptCount", digest_workflow_id AS "digestWorkflowId", priority::int,
              integration_id AS "integrationId"`
  return removed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/**
 * Returns taken jobs to the queue, except those that another process has taken since.
 *
 * @param counted false if the attempt does not count.
 */
export async function returnJobs(
  db: Connection,
  jobs: readonly TakenJob[],
  { availableAt, counted }: { readonly availableAt: Date; readonly counted: boolean },
): Promise<void> {
  await sqlCount(db, 'job-taking.returnJobs')`
    UPDATE jobs SET attempt_count = jobs.attempt_count - ${counted ? 0 : 1}::int,
                    available_at = CASE WHEN jobs.held_by IS NULL THEN ${availableAt}::timestamptz ELSE 'infinity' END
    FROM ${takenRows(jobs)} AS taken
    WHERE (jobs.environment_id, jobs.id, jobs.attempt_count) = (taken.environment_id, taken.id, taken.attempt_count)`
}

/**
 * Renews the leases of taken jobs, except those that another process has taken since, and those that are just ending.
 *
 * @returns the ids of the renewed jobs.
 */
export async function renewJobs(
  db: Connection,
  jobs: readonly TakenJob[],
  { now, lease }: { readonly now: Date; readonly lease: number },
): Promise<ReadonlySet<string>> {
  const until = new Date(now.getTime() + lease)
  // With SKIP LOCKED, because a transaction that ends a job may be waiting for another one that does.
  const rows = await sql<{ id: string }>(db, 'job-taking.renewJobs')`
    ${plannedEachTime}
    UPDATE jobs SET available_at = ${until}::timestamptz
    FROM (
      SELECT jobs.environment_id, jobs.id FROM ${takenRows(jobs)} AS taken
      JOIN jobs ON (jobs.environment_id, jobs.id, jobs.attempt_count) = (taken.environment_id, taken.id, taken.attempt_count)
      FOR UPDATE OF jobs SKIP LOCKED
    ) AS held
    WHERE jobs.environment_id = held.environment_id AND jobs.id = held.id
    RETURNING jobs.id`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Returns all taken jobs to the queue. Only for a process that runs alone, at its start: the processes that took them
 * are dead.
 */
export async function returnAllJobs(db: Connection, now: Date): Promise<void> {
  await sqlCount(db, 'job-taking.returnAllJobs')`
    UPDATE jobs SET available_at = ${now}::timestamptz
    WHERE attempt_count > 0 AND available_at > ${now}::timestamptz AND held_by IS NULL`
}

/**
 * The jobs of a workflow that are due by a time and whose runs may still reach the digest at a position.
 *
 * @returns when the first of them may be taken, or was due if it waits for a pause. Null if there is none.
 */
export async function firstJobBeforeDigest(
  { db, environmentId }: Tenant,
  { workflowId, position, dueAt }: { readonly workflowId: string; readonly position: number; readonly dueAt: Date },
): Promise<Date | null> {
  const [found] = await sql<{ first: Date | null }>(db, 'job-taking.firstJobBeforeDigest')`
    ${plannedEachTime}
    SELECT min(CASE WHEN held_by IS NULL THEN available_at ELSE due_at END) AS first FROM jobs
    WHERE environment_id = ${environmentId}::uuid AND digest_workflow_id = ${workflowId}::uuid
      AND due_at <= ${dueAt}::timestamptz AND coalesce((data ->> 'due')::int, -1) < ${position}`
  return found?.first ?? null
}
