// Taking jobs from the queue, and what becomes of them: environments take turns, and an attempt counts before the work.
import { despiteConflicts } from '../driver/database-errors.ts'
import type { Connection } from '../connection/database.ts'
import { isNotDeleted } from '../access/environment-deletion.ts'
import { holdTaken } from './held-job.ts'
import { byPriority, nextOfEnvironment, ofKind, type Taking } from './job-turns.ts'
import { type Job, type JobKind, jobKinds, priorities, type QueueOf } from './job.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import type { JobQueue } from '../prisma/enums.ts'
import { limitTo, plannedEachTime, runStatement } from '../statement/statement.ts'

/** Sorts before every environment: nothing was served yet. */
export const NO_ENVIRONMENT = '00000000-0000-0000-0000-000000000000'

export interface Taken<Name extends JobQueue> {
  readonly jobs: readonly Job<Name>[]
  /** The environment that was served last. */
  readonly last: string
  readonly databaseTime: Date
}

/** A job of an environment in which something may be paused. */
interface Doubtful {
  readonly hasPauses: boolean
}

/**
 * Takes the next jobs and counts the attempts, in a statement of its own: an attempt that ends with the process or with
 * its transaction counts too. Environments take turns. Within an environment the lower priority comes first, and within a
 * priority the job that was available first, also among those returned.
 * The environments are found one by one in the index, so the cost depends on their number and not on that of the jobs.
 */
async function takeAny<Kind extends JobKind>(
  db: Connection,
  taking: Taking<Kind>,
): Promise<Omit<Taken<QueueOf[Kind]>, 'jobs'> & { readonly jobs: readonly (Job<QueueOf[Kind]> & Doubtful)[] }> {
  const { kind, count, first: firstPriority = priorities.critical, after, except, now, lease } = taking
  const until = new Date(now.getTime() + lease)
  // One look instead of several for an environment whose jobs all wait for their time. Those on events do not wait.
  const isServed =
    kind === 'events'
      ? Prisma.empty
      : Prisma.sql`AND EXISTS (
          SELECT FROM jobs WHERE ${ofKind[kind]} AND environment_id = visited.id AND available_at <= ${now}::timestamptz
        )`
  interface Place extends Doubtful {
    readonly turn: number
    readonly place: number
    readonly since: Date
  }
  const rows = await runStatement<{ databaseTime: Date } & ((Job<QueueOf[Kind]> & Place) | { id: null })>(
    db,
    Prisma.sql`
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
      SELECT job.environment_id, job.id, job.available_at, job.place, visited.turn
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
                next.available_at AS "since"
    )
    SELECT clock_timestamp() AS "databaseTime", taken.*,
           EXISTS (SELECT FROM pauses WHERE pauses.environment_id = taken."environmentId") AS "hasPauses"
    FROM (SELECT) AS always LEFT JOIN taken ON true`,
  )
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

/**
 * Takes the next jobs that do not wait for a pause. Those that do are held, so that they are not taken again before they are
 * released.
 */
export async function takeJobs<Kind extends JobKind>(
  db: Connection,
  taking: Taking<Kind>,
): Promise<Taken<QueueOf[Kind]>> {
  let { after } = taking
  for (;;) {
    const { jobs, ...taken } = await takeAny(db, { ...taking, after })
    const doubtful = jobs.filter(({ hasPauses }) => hasPauses)
    if (doubtful.length === 0) return { jobs, ...taken }
    const held = await despiteConflicts(() => holdTaken(db, doubtful))
    const free = jobs.filter(({ id }) => !held.has(id))
    if (free.length > 0) return { jobs: free, ...taken }
    after = taken.last
  }
}

/** Finds the environments that have jobs one by one in the index. The last row of `visited` has no id. */
export const withVisited = Prisma.sql`WITH RECURSIVE visited(id) AS (
      (SELECT environment_id FROM jobs ORDER BY environment_id LIMIT 1)
      UNION ALL
      SELECT (SELECT environment_id FROM jobs WHERE environment_id > visited.id ORDER BY environment_id LIMIT 1)
      FROM visited WHERE visited.id IS NOT NULL
    )`

/** The kinds of jobs that are available, in one statement. */
export async function lookForJobs(
  db: Connection,
  now: Date,
): Promise<{ readonly kinds: readonly JobKind[]; readonly databaseTime: Date }> {
  const available = jobKinds.map(
    (kind) => Prisma.sql`
      CASE WHEN bool_or(EXISTS (
        SELECT 1 FROM jobs WHERE ${ofKind[kind]} AND environment_id = visited.id AND available_at <= ${now}::timestamptz
      )) THEN ${kind} END`,
  )
  const [found] = await runStatement<{ kinds: JobKind[]; databaseTime: Date }>(
    db,
    Prisma.sql`
    ${plannedEachTime}
    ${withVisited}
    SELECT array_remove(ARRAY[${Prisma.join(available)}], NULL) AS kinds, clock_timestamp() AS "databaseTime"
    FROM visited`,
  )
  if (found === undefined) throw new Error('a statement that always returns a database row returned none')
  return found
}

type JobId = Pick<Job, 'environmentId' | 'id'>

/** A job as it was taken. */
type TakenJob = JobId & Pick<Job, 'attemptCount'>

function asTaken(jobs: readonly TakenJob[]): Prisma.Sql {
  const rows = jobs.map(({ environmentId, id, attemptCount }) => ({ environmentId, id, attemptCount }))
  return Prisma.sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS taken("environmentId" uuid, id uuid, "attemptCount" int)`
}

/**
 * Deletes jobs that were taken, which holds them until the transaction ends: if the transaction rolls back, the jobs are
 * in the queue again.
 *
 * @returns those that were deleted: without those that another process took since, or that no longer exist.
 */
export async function claimJobs<Taken extends TakenJob>(db: Connection, jobs: readonly Taken[]): Promise<Taken[]> {
  // Not with SKIP LOCKED: a statement that takes jobs locks these for a moment, even if it does not take them.
  // Another process that took one since has changed the count first, so this waits for nobody's work.
  const rows = await db.$queryRaw<{ id: string }[]>`
    DELETE FROM jobs USING ${asTaken(jobs)}
    WHERE jobs.environment_id = "environmentId" AND jobs.id = taken.id AND attempt_count = "attemptCount"
    RETURNING jobs.id`
  const claimed = new Set(rows.map(({ id }) => id))
  return jobs.filter(({ id }) => claimed.has(id))
}

/** True if a job exists, also if another process took it. */
export async function isQueued(db: Connection, { environmentId, id }: JobId): Promise<boolean> {
  return (await db.job.count({ where: { environmentId, id } })) > 0
}

/** A job of any queue, which has been deleted. */
export type RemovedJob = { [Name in JobQueue]: Job<Name> & { readonly availableAt: Date } }[JobQueue]

/**
 * Deletes the job of an environment that becomes available first. For work that is executed in the transaction that
 * enqueues it.
 *
 * @returns undefined if none becomes available by then.
 */
export async function removeNextJob({ db, environmentId }: Tenant, by: Date): Promise<RemovedJob | undefined> {
  const [removed] = await runStatement<RemovedJob>(
    db,
    Prisma.sql`
      DELETE FROM jobs WHERE (environment_id, id) = (
        SELECT environment_id, id FROM jobs
        WHERE environment_id = ${environmentId}::uuid AND available_at <= ${by}::timestamptz
        ORDER BY available_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      RETURNING environment_id AS "environmentId", id, queue, data, due_at AS "dueAt", available_at AS "availableAt",
                attempt_count + 1 AS "attemptCount", digest_workflow_id AS "digestWorkflowId", priority::int,
                integration_id AS "integrationId"`,
  )
  return removed
}

/**
 * Returns jobs that were taken to the queue, except those that another process took since.
 *
 * @param counted false if the attempt does not count.
 */
export async function returnJobs(
  db: Connection,
  jobs: readonly TakenJob[],
  { availableAt, counted }: { readonly availableAt: Date; readonly counted: boolean },
): Promise<void> {
  await db.$executeRaw`
    UPDATE jobs SET attempt_count = attempt_count - ${counted ? 0 : 1}::int,
                    available_at = CASE WHEN held_by IS NULL THEN ${availableAt}::timestamptz ELSE 'infinity' END
    FROM ${asTaken(jobs)}
    WHERE jobs.environment_id = "environmentId" AND jobs.id = taken.id AND attempt_count = "attemptCount"`
}

/**
 * Renews the leases of jobs that were taken, except those that another process took since, and those that end just now.
 *
 * @returns the ids of the renewed ones.
 */
export async function renewJobs(
  db: Connection,
  jobs: readonly TakenJob[],
  { now, lease }: { readonly now: Date; readonly lease: number },
): Promise<ReadonlySet<string>> {
  const until = new Date(now.getTime() + lease)
  // With SKIP LOCKED, because who ends a job may wait for another one that ends.
  const rows = await runStatement<{ id: string }>(
    db,
    Prisma.sql`
    ${plannedEachTime}
    UPDATE jobs SET available_at = ${until}::timestamptz
    FROM (
      SELECT jobs.environment_id, jobs.id FROM ${asTaken(jobs)}
      JOIN jobs ON jobs.environment_id = "environmentId" AND jobs.id = taken.id AND attempt_count = "attemptCount"
      FOR UPDATE OF jobs SKIP LOCKED
    ) AS held
    WHERE jobs.environment_id = held.environment_id AND jobs.id = held.id
    RETURNING jobs.id`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns all jobs that were taken to the queue. Only for a single process at its start: their process is dead. */
export async function returnAllJobs(db: Connection, now: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE jobs SET available_at = ${now}::timestamptz
    WHERE attempt_count > 0 AND available_at > ${now}::timestamptz AND held_by IS NULL`
}

/**
 * The jobs of a workflow that are due by a time and whose runs may still reach the digest at a position.
 *
 * @returns when the first of them may be taken; null if there is none. For one that waits for a pause, when it was due.
 */
export async function firstJobBeforeDigest(
  { db, environmentId }: Tenant,
  { workflowId, position, dueAt }: { readonly workflowId: string; readonly position: number; readonly dueAt: Date },
): Promise<Date | null> {
  const [found] = await db.$queryRaw<[{ first: Date | null }]>`
    ${plannedEachTime}
    SELECT min(CASE WHEN held_by IS NULL THEN available_at ELSE due_at END) AS first FROM jobs
    WHERE environment_id = ${environmentId}::uuid AND digest_workflow_id = ${workflowId}::uuid
      AND due_at <= ${dueAt}::timestamptz AND coalesce((data ->> 'due')::int, -1) < ${position}`
  return found.first
}
