// Triggers: one statement looks up everything they refer to, and another writes everything they lead to.
import { LRUCache } from 'lru-cache'
import { eventAttachmentInsert, type NewEventAttachment } from './attachment/attachment.ts'
import { contextInsert } from './context.ts'
import { eventTable } from './event.ts'
import { type Enqueuer, jobAddition, type NewJob } from './queue/job.ts'
import type { Tenant } from './reading/loader.ts'
import { isUuid } from './lock.ts'
import { type Context, type Event, Prisma, type Workflow } from './prisma/client.ts'
import { isTransaction, sql } from './statement/statement.ts'
import { insertRows, selectList } from './statement/table.ts'
import type { CredentialRow } from './subscriber-credential.ts'
import { type SubscriberPatch, subscriberParts } from './subscriber.ts'
import { isStored, type NewSnapshot, noteStored, snapshotInsert } from './workflow-snapshot.ts'

/** The names in a batch of triggers that must be looked up. */
export interface Named {
  /** Identifiers or ids. */
  readonly workflows: readonly string[]
  readonly topicKeys: readonly string[]
  readonly transactionIds: readonly string[]
}

const workflowFields = [
  'id',
  'identifier',
  'name',
  'active',
  'critical',
  'severity',
  'tags',
  'channels',
  'categoryId',
  'unsubscribe',
  'steps',
  'payloadSchema',
  'validatePayload',
  'updatedAt',
  'version',
] as const satisfies (keyof Workflow)[]

/** The fields of a workflow that its triggers depend on. */
export type TriggerableWorkflow = Pick<Workflow, (typeof workflowFields)[number]> & {
  /** Changes with each transaction that changed the workflow. */
  readonly revision: string
}

/** Bytes of memory for cached workflows. */
const CACHE_BYTES = 16 * 1024 * 1024
/** Bytes of memory per character of JSON once it is parsed. */
const PARSED_BYTES = 4

/** By environment and identifier. */
const kept = new LRUCache<string, TriggerableWorkflow>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (workflow) => JSON.stringify(workflow).length * PARSED_BYTES,
})

const keyOf = (environmentId: string, identifier: string) => `${environmentId} ${identifier}`

/** The rows that exist. */
export interface Found {
  /** Ordered by id. */
  readonly workflows: readonly TriggerableWorkflow[]
  readonly topicKeys: ReadonlySet<string>
  /** The transaction ids that exist already. */
  readonly transactionIds: ReadonlySet<string>
}

/**
 * Returns the names' rows without a statement: the workflows as they were last looked up, and all topics as if they
 * existed. If that is wrong, `writeAccepted` writes nothing.
 *
 * @returns undefined if that is not enough: if a workflow was not looked up before, if there are transaction ids, and
 *   within a transaction, which may have changed the rows.
 */
export function expectNamed({ db, environmentId }: Tenant, named: Named): Found | undefined {
  if (isTransaction(db) || named.transactionIds.length > 0) return undefined
  const workflows: TriggerableWorkflow[] = []
  for (const name of new Set(named.workflows)) {
    const workflow = kept.get(keyOf(environmentId, name))
    if (workflow === undefined) return undefined
    workflows.push(workflow)
  }
  return { workflows, topicKeys: new Set(named.topicKeys), transactionIds: new Set() }
}

/**
 * Looks up the names of triggers. LATERAL with LIMIT makes it one index lookup per transaction id. Otherwise,
 * PostgreSQL would read all events of an environment that is too new for its statistics.
 */
export async function findNamed(
  { db, environmentId }: Tenant,
  { workflows, topicKeys, transactionIds }: Named,
): Promise<Found> {
  type Row = { transactionIds: string[]; topicKeys: string[] } & (TriggerableWorkflow | { id: null })
  const rows = await sql<Row>(db, 'trigger.findNamed')`
    SELECT ARRAY(
             SELECT given.id FROM unnest(${[...transactionIds]}::text[]) AS given(id) CROSS JOIN LATERAL (
               SELECT FROM events WHERE environment_id = ${environmentId}::uuid AND transaction_id = given.id LIMIT 1
             ) AS used
           ) AS "transactionIds",
           ARRAY(
             SELECT key FROM topics
             WHERE environment_id = ${environmentId}::uuid AND key = ANY (${[...topicKeys]}::text[])
           ) AS "topicKeys",
           ${selectList({ fields: workflowFields }, 'workflow')}, workflow.xmin::text AS revision
    FROM (SELECT) AS always LEFT JOIN workflows AS workflow
      ON environment_id = ${environmentId}::uuid
        AND (identifier = ANY (${[...workflows]}::text[]) OR id = ANY (${workflows.filter(isUuid)}::uuid[]))
    ORDER BY id`
  const found = rows.flatMap(({ topicKeys: _topicKeys, transactionIds: _transactionIds, ...row }) =>
    row.id === null ? [] : [row],
  )
  if (!isTransaction(db)) {
    // An identifier that is a valid id may also be the id of another workflow.
    const unambiguous = found.filter(({ identifier }) => !isUuid(identifier))
    for (const workflow of unambiguous) kept.set(keyOf(environmentId, workflow.identifier), workflow)
  }
  return { workflows: found, topicKeys: new Set(rows[0]?.topicKeys), transactionIds: new Set(rows[0]?.transactionIds) }
}

/** The rows of accepted triggers. */
export interface Accepted {
  readonly events: readonly Event[]
  readonly snapshots: readonly NewSnapshot[]
  readonly jobs: readonly NewJob[]
  /** Contexts to create unless they exist. Of contexts with the same key, the first counts. */
  readonly contexts: readonly Context[]
  /** Subscribers to create or change. A subscriber may have several patches, of which later values win. */
  readonly patches: readonly SubscriberPatch[]
  readonly credentials: readonly CredentialRow[]
  /** The workflows, which must not have changed. */
  readonly workflows: readonly Pick<TriggerableWorkflow, 'id' | 'revision'>[]
  /** The keys of the topics, which must exist. */
  readonly topicKeys: readonly string[]
  /** The attachments of the events. The files that they refer to must exist. */
  readonly attachments: readonly NewEventAttachment[]
}

const inOrder = (names: readonly string[]) => [...new Set(names)].sort()

/**
 * Writes everything or nothing, and wakes idle workers. Existing subscribers without changes are not written.
 * Subscribers are written first, then contexts and events, each in the order of their keys. This prevents deadlocks:
 * every operation that writes several of these uses the same order. The stored recipients of an event get the row ids
 * of their subscribers.
 *
 * @param webhooks the types of webhook messages to write about new and changed subscribers.
 * @returns false if nothing was written, because a workflow has changed or a topic does not exist.
 * @throws a unique violation if an event with one of the transaction ids exists.
 */
export async function writeAccepted(
  scope: Enqueuer,
  { events, snapshots, jobs, contexts, patches, credentials, workflows, topicKeys, attachments }: Accepted,
  webhooks: readonly string[],
): Promise<boolean> {
  const { environmentId, newId, now } = scope
  const topics = inOrder(topicKeys)
  const revisions = new Map(workflows.map(({ id, revision }) => [`${id} ${revision}`, { id, revision }]))
  const missing = new Map(
    snapshots.flatMap((snapshot) => (isStored(scope, snapshot) ? [] : [[snapshot.hash, snapshot]])),
  )
  const isReady = Prisma.sql`EXISTS (SELECT FROM ready)`
  // A part that counts the rows of another part comes after it.
  const afterSubscribers = Prisma.sql`${isReady} AND (SELECT count(*) FROM written) >= 0`
  const afterContexts =
    contexts.length > 0 ? Prisma.sql`${isReady} AND (SELECT count(*) FROM new_contexts) >= 0` : isReady
  const { insert, wake } = jobAddition(scope, jobs, isReady)
  const writes = { patches, credentials, newId, now: now(), webhooks }
  const subscribers = subscriberParts(scope, writes, isReady)
  const parts = [
    Prisma.sql`kept_workflows AS (
      SELECT workflows.id FROM workflows
      JOIN jsonb_to_recordset(${JSON.stringify([...revisions.values()])}::jsonb) AS given(id uuid, revision text)
        ON workflows.id = given.id AND workflows.xmin::text = revision
      WHERE environment_id = ${environmentId}::uuid
      ORDER BY workflows.id FOR KEY SHARE OF workflows
    )`,
    Prisma.sql`kept_topics AS (
      SELECT key FROM topics WHERE environment_id = ${environmentId}::uuid AND key = ANY (${topics}::text[])
      ORDER BY key FOR KEY SHARE
    )`,
    Prisma.sql`ready AS MATERIALIZED (
      SELECT WHERE (SELECT count(*) FROM kept_workflows) = ${revisions.size}::int
        AND (SELECT count(*) FROM kept_topics) = ${topics.length}::int
    )`,
    Prisma.sql`new_snapshots AS (${snapshotInsert(scope, [...missing.values()], now(), isReady)})`,
    ...subscribers.parts,
    Prisma.sql`named AS MATERIALIZED (${namedSubscribers(scope, patches)})`,
    ...(contexts.length > 0
      ? [Prisma.sql`new_contexts AS (${contextInsert(scope, contexts, afterSubscribers)} RETURNING id)`]
      : []),
    Prisma.sql`new_events AS (${eventInsert(scope, events, afterContexts)})`,
    ...(attachments.length > 0
      ? [Prisma.sql`new_attachments AS (${eventAttachmentInsert(scope, attachments, isReady)})`]
      : []),
    Prisma.sql`new_jobs AS (${insert})`,
    Prisma.sql`woken AS (${subscribers.wake ? Prisma.sql`${wake} UNION ALL (${subscribers.wake})` : wake})`,
  ]
  const written = await sql(scope.db, 'trigger.writeAccepted')`
    WITH ${Prisma.join(parts)} SELECT (SELECT count(*) FROM woken)::int AS woken FROM ready`
  if (written.length > 0 && !isTransaction(scope.db)) noteStored(scope, missing.values())
  return written.length > 0
}

/** The row ids of subscribers, both those that the statement writes and those that it leaves unchanged. */
const namedSubscribers = ({ environmentId }: Tenant, patches: readonly SubscriberPatch[]) => Prisma.sql`
  SELECT id, "subscriberId" FROM written
  UNION ALL
  SELECT id, subscriber_id FROM subscribers
  WHERE environment_id = ${environmentId}::uuid
    AND subscriber_id = ANY (${inOrder(patches.map(({ subscriberId }) => subscriberId))}::text[])
    AND subscriber_id NOT IN (SELECT "subscriberId" FROM written)`

/** Adds the row ids of subscribers to the recipients of an event. */
const recipientsWithIds = Prisma.sql`(
  SELECT jsonb_agg(
    CASE WHEN named.id IS NULL THEN recipient ELSE recipient || jsonb_build_object('id', named.id) END ORDER BY place
  )
  FROM jsonb_array_elements(given.recipients) WITH ORDINALITY AS entry(recipient, place)
  LEFT JOIN named ON "subscriberId" = recipient->>'subscriberId'
)`

const eventInsert = ({ environmentId }: Tenant, events: readonly Event[], condition: Prisma.Sql) => Prisma.sql`
  ${insertRows(eventTable, events, {
    environmentId: Prisma.sql`${environmentId}::uuid`,
    recipients: recipientsWithIds,
  })}
  WHERE ${condition}
  ORDER BY given.transaction_id`
