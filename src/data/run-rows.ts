// Reading and writing runs, many at a time: a fan-out to a hundred thousand is a few statements for each few hundred.
import type { Tenant } from './loader.ts'
import type { Channel, RunStatus, StepStatus, StepType } from './prisma/enums.ts'

/** A run as the work on it needs it. */
export interface HeldRun {
  readonly id: string
  readonly eventId: string
  readonly subscriberId: string
  readonly status: RunStatus
  readonly position: number
}

/**
 * Makes the runs of an event for these subscribers: not for one that has a run of it already, or does not exist.
 *
 * @returns the ids of the new runs.
 */
export async function insertRuns(
  { db, environmentId }: Tenant,
  eventId: string,
  subscriberIds: readonly string[],
  newId: () => string,
  now: Date,
): Promise<readonly string[]> {
  if (subscriberIds.length === 0) return []
  const ids = subscriberIds.map(() => newId())
  const inserted = await db.$queryRaw<{ id: string }[]>`
    INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, status, position, created_at, updated_at)
    SELECT subscriber.environment_id, given.id, ${eventId}::uuid, subscriber.subscriber_id, 'running', 0,
           ${now}::timestamptz, ${now}::timestamptz
    FROM unnest(${ids}::uuid[], ${[...subscriberIds]}::text[]) AS given(id, subscriber_id)
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = ${environmentId}::uuid AND subscriber.subscriber_id = given.subscriber_id
    ON CONFLICT (environment_id, event_id, subscriber_id) DO NOTHING
    RETURNING id`
  return inserted.map(({ id }) => id)
}

/** One page of a topic's subscribers under exactly these contexts, in the order of their subscriptions' ids. */
export async function subscriptionPage(
  { db, environmentId }: Tenant,
  {
    topicKey,
    contextKeys,
    after,
    take,
  }: {
    readonly topicKey: string
    readonly contextKeys: readonly string[]
    readonly after: string | null
    readonly take: number
  },
): Promise<readonly { readonly id: string; readonly subscriberId: string }[]> {
  return db.$queryRaw`
    SELECT id, subscriber_id AS "subscriberId" FROM topic_subscriptions
    WHERE environment_id = ${environmentId}::uuid AND topic_key = ${topicKey}
      AND context_keys = ${[...contextKeys]}::text[] AND id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
    ORDER BY id LIMIT ${take}`
}

/** Holds the runs of these ids that have not ended, so that nobody else works on them. */
export async function holdRuns({ db, environmentId }: Tenant, ids: readonly string[]): Promise<HeldRun[]> {
  return db.$queryRaw<HeldRun[]>`
    SELECT id, event_id AS "eventId", subscriber_id AS "subscriberId", status, position FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[])
      AND status IN ('running', 'waiting')
    ORDER BY id FOR UPDATE`
}

/** Where runs are now. */
export async function moveRuns(
  { db, environmentId }: Tenant,
  moves: readonly { readonly id: string; readonly status: RunStatus; readonly position: number }[],
  now: Date,
): Promise<void> {
  if (moves.length === 0) return
  await db.$executeRaw`
    UPDATE workflow_runs AS run SET status = move.status, position = move.position, updated_at = ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS move(id uuid, status "RunStatus", position int)
    WHERE run.environment_id = ${environmentId}::uuid AND run.id = move.id`
}

/** What was decided of one step of one run. */
export interface StepRunRow {
  readonly id: string
  readonly runId: string
  readonly position: number
  readonly stepId: string
  readonly type: StepType
  readonly status: StepStatus
  readonly reason: string | null
  readonly detail: string | null
  readonly dueAt: Date | null
  readonly digestKey: string | null
  readonly mergedIntoId: string | null
}

/**
 * Writes decisions. In the order of their digests' keys, so that two who want the same ones never wait in a circle.
 *
 * @returns the ids of those that were written: a step that was decided before, or whose digest waits in another run, is
 *   not.
 */
export async function insertStepRuns(
  { db, environmentId }: Tenant,
  rows: readonly StepRunRow[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await db.$queryRaw<{ id: string }[]>`
    INSERT INTO step_runs (environment_id, id, run_id, position, step_id, type, status, reason, detail, due_at,
                           digest_key, merged_into_id, created_at, updated_at)
    SELECT ${environmentId}::uuid, id, "runId", position, "stepId", type, status, reason, detail, "dueAt", "digestKey",
           "mergedIntoId", ${now}::timestamptz, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row(id uuid, "runId" uuid, position int, "stepId" text, type "StepType", status "StepStatus", reason text,
             detail text, "dueAt" timestamptz, "digestKey" text, "mergedIntoId" uuid)
    ORDER BY "digestKey", id
    ON CONFLICT DO NOTHING
    RETURNING id`
  return new Set(inserted.map(({ id }) => id))
}

/** The digests that wait under these keys, held so that they do not end meanwhile. */
export async function holdDigests(
  { db, environmentId }: Tenant,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.$queryRaw<{ id: string; digestKey: string }[]>`
    SELECT id, digest_key AS "digestKey" FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND digest_key = ANY (${[...keys]}::text[]) AND status = 'waiting'
    ORDER BY digest_key FOR UPDATE`
  return new Map(rows.map(({ id, digestKey }) => [digestKey, id]))
}

/** Ends the wait of a step. @returns the runs of which it was one. */
export async function endWait(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
  position: number,
  now: Date,
): Promise<ReadonlySet<string>> {
  const ended = await db.$queryRaw<{ runId: string }[]>`
    UPDATE step_runs SET status = 'completed', updated_at = ${now}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])
      AND position = ${position} AND status = 'waiting'
    RETURNING run_id AS "runId"`
  return new Set(ended.map(({ runId }) => runId))
}

/** Those of these runs that wait at a step which is not over. */
export async function waitingRuns(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set()
  const rows = await db.$queryRaw<{ runId: string }[]>`
    SELECT run_id AS "runId" FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[]) AND status = 'waiting'`
  return new Set(rows.map(({ runId }) => runId))
}

/** A message to one destination, not sent yet. */
export interface NewDelivery {
  readonly id: string
  readonly stepRunId: string
  readonly channel: Channel
  readonly providerId: string
  readonly integrationIdentifier: string
  /** Both of them JSON. */
  readonly target: object
  readonly content: object
}

export async function insertDeliveries(
  { db, environmentId }: Tenant,
  rows: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return
  await db.$executeRaw`
    INSERT INTO deliveries (environment_id, id, step_run_id, channel, provider_id, integration_identifier, target,
                            content, status, tries, created_at, updated_at)
    SELECT ${environmentId}::uuid, id, "stepRunId", channel, "providerId", "integrationIdentifier", target, content,
           'pending', 0, ${now}::timestamptz, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row(id uuid, "stepRunId" uuid, channel "Channel", "providerId" text, "integrationIdentifier" text,
             target jsonb, content jsonb)`
}

/**
 * Lets go of the triggers that were gathered by digests of this event, which were cancelled with it.
 *
 * @returns their runs, which stand at their digests again, by event.
 */
export async function releaseDigested(
  { db, environmentId }: Tenant,
  eventId: string,
  now: Date,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const released = await db.$queryRaw<{ id: string; eventId: string }[]>`
    WITH gathered AS (
      DELETE FROM step_runs AS member
      USING step_runs AS digest
      JOIN workflow_runs AS run ON run.environment_id = digest.environment_id AND run.id = digest.run_id
      WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = ${eventId}::uuid
        AND digest.status = 'cancelled' AND digest.type = 'digest'
        AND member.environment_id = digest.environment_id AND member.merged_into_id = digest.id
      RETURNING member.run_id
    )
    UPDATE workflow_runs AS run SET status = 'running', updated_at = ${now}::timestamptz
    FROM gathered
    WHERE run.environment_id = ${environmentId}::uuid AND run.id = gathered.run_id AND run.status = 'completed'
    RETURNING run.id, run.event_id AS "eventId"`
  const byEvent = new Map<string, string[]>()
  for (const { id, eventId: of } of released) {
    const siblings = byEvent.get(of)
    if (siblings) siblings.push(id)
    else byEvent.set(of, [id])
  }
  return byEvent
}

/** Cancels what of an event has not been sent: runs that go on, steps that wait, and messages that nobody has got. */
export async function cancelRuns({ db, environmentId }: Tenant, eventId: string, now: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE workflow_runs SET status = 'cancelled', updated_at = ${now}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND event_id = ${eventId}::uuid AND status IN ('running', 'waiting')`
  await db.$executeRaw`
    UPDATE deliveries AS delivery SET status = 'cancelled', updated_at = ${now}::timestamptz
    FROM step_runs AS step
    JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
    WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = ${eventId}::uuid
      AND delivery.environment_id = step.environment_id AND delivery.step_run_id = step.id
      AND delivery.status = 'pending'`
  // A step of which one message had arrived has been sent.
  await db.$executeRaw`
    UPDATE step_runs AS step
    SET status = (CASE WHEN arrived THEN 'sent' ELSE 'cancelled' END)::"StepStatus",
        reason = CASE WHEN NOT arrived THEN 'cancelled' END,
        detail = CASE WHEN NOT arrived THEN 'The event was cancelled.' END,
        updated_at = ${now}::timestamptz
    FROM workflow_runs AS run
    JOIN step_runs AS open ON open.environment_id = run.environment_id AND open.run_id = run.id
    CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT 1 FROM deliveries
        WHERE environment_id = open.environment_id AND step_run_id = open.id AND status = 'sent'
      ) AS arrived
    ) AS outcome
    WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = ${eventId}::uuid
      AND open.status IN ('waiting', 'sending')
      AND step.environment_id = open.environment_id AND step.id = open.id`
}

/** Gives runs up, and says why. */
export async function giveUpRuns(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  error: string,
  now: Date,
): Promise<void> {
  await db.workflowRun.updateMany({
    where: { environmentId, id: { in: [...ids] }, status: { in: ['running', 'waiting'] } },
    data: { status: 'failed', error, updatedAt: now },
  })
}
