// What changed of events and messages since an earlier read, for streams. One statement reads the changes of an environment.
import type { Batch, Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import type { Channel } from '../prisma/enums.ts'
import { limitTo, sql } from '../statement/statement.ts'

/** An event that changed, with what never changes of it. */
export interface ChangedEvent {
  readonly id: string
  readonly transactionId: string
  readonly workflowIdentifier: string
  readonly contextKeys: readonly string[]
}

/** A message that changed, with what never changes of it. */
export interface ChangedDelivery {
  readonly id: string
  readonly transactionId: string
  readonly workflowIdentifier: string
  readonly contextKeys: readonly string[]
  readonly subscriberId: string
  readonly channel: Channel
  readonly integrationIdentifier: string
}

/** In the order of the last changes. */
export interface Changes {
  /** Events that changed themselves, or of which a run or a message changed. */
  readonly events: readonly ChangedEvent[]
  readonly deliveries: readonly ChangedDelivery[]
  /** True if more changed than is listed. */
  readonly hasMore: boolean
}

/**
 * How long after `updated_at` of its rows a transaction may be committed, in milliseconds. A transaction ends after 30
 * seconds, and may have waited for its connection and for locks before.
 */
const LATENESS = 60_000

/** Maximum rows of one table that are read at once. */
const MAX_ROWS = 5_000

/** Maximum events, and maximum deliveries, of one read. */
const MAX_CHANGES = 1_000

/** A point from which changes can be read. */
export interface ChangePosition {
  /** The oldest transaction that was in progress. Everything before it was visible. */
  readonly oldest: string
}

/** The age of a position from which all changes can still be read, in milliseconds. */
export const MAX_POSITION_AGE = 60_000

const snapshotStart = Prisma.sql`pg_snapshot_xmin(pg_current_snapshot())::text`

/** The current position. The key has no meaning: what is read once in a request stays. */
export const currentPosition: Batch<'current', ChangePosition> = {
  async load({ db }, keys) {
    const [row] = await sql<ChangePosition>(db, 'recent-change.currentPosition')`SELECT ${snapshotStart} AS oldest`
    if (row === undefined) throw new Error('no position was read')
    return keys.map(() => row)
  },
}

interface ReadRow extends ChangePosition {
  readonly events: readonly ChangedEvent[]
  readonly deliveries: readonly ChangedDelivery[]
  readonly hasMore: boolean
  /** The transactions of the changed rows. */
  readonly writers: readonly string[]
}

/** Reads what became visible since the last read. */
export class ChangeReader {
  readonly #tenant: Tenant
  readonly #now: () => Date
  /** The oldest transaction that was in progress at the last read. */
  #oldest: string | null
  /** How long ago a change may have been made that is read, in milliseconds. */
  readonly #reach: number
  /** Later transactions whose changes were read, with the time in milliseconds. */
  readonly #read = new Map<string, number>()

  /** @param from where the changes begin, at most `MAX_POSITION_AGE` ago. Default: at the first call of `read`. */
  constructor(tenant: Tenant, now: () => Date, from?: ChangePosition) {
    this.#tenant = tenant
    this.#now = now
    this.#oldest = from?.oldest ?? null
    this.#reach = from === undefined ? LATENESS : LATENESS + MAX_POSITION_AGE
  }

  /** Reads the changes since the last call. Without a given beginning, the first call only determines it. */
  async read(): Promise<Changes> {
    const { environmentId, db } = this.#tenant
    const isFirst = this.#oldest === null
    const now = this.#now().getTime()
    for (const [writer, at] of this.#read) if (at < now - LATENESS) this.#read.delete(writer)
    const since = new Date(now - this.#reach)
    // The ids of transactions in rows have 32 bits and start again at 0, so they are compared on a circle. An id of a
    // savepoint is later than that of its transaction.
    const isNew = Prisma.sql`environment_id = ${environmentId}::uuid AND updated_at >= ${since}::timestamptz
      AND ((child.xmin::text::bigint - coalesce(${this.#oldest}, ${snapshotStart})::bigint) & 4294967295) < 2147483648
      AND child.xmin::text <> ALL (${[...this.#read.keys()]}::text[])
      ORDER BY updated_at ${limitTo(MAX_ROWS)}`
    const [row] = await sql<ReadRow>(db, 'recent-change.read')`
      WITH event AS MATERIALIZED (
        SELECT id AS event_id, updated_at AS at, xmin::text AS writer FROM events AS child WHERE ${isNew}
      ), run AS MATERIALIZED (
        SELECT event_id, updated_at AS at, xmin::text AS writer FROM workflow_runs AS child WHERE ${isNew}
      ), delivery AS MATERIALIZED (
        SELECT id, event_id, workflow_identifier, subscriber_id, context_keys, channel, integration_identifier,
               updated_at AS at, xmin::text AS writer
        FROM deliveries AS child WHERE ${isNew}
      ), part AS (
        SELECT event_id, at, writer FROM event UNION ALL SELECT event_id, at, writer FROM run
        UNION ALL SELECT event_id, at, writer FROM delivery
      ), changed AS MATERIALIZED (
        SELECT event_id, max(at) AS at FROM part GROUP BY event_id
      ), named AS MATERIALIZED (
        SELECT changed.at, event.id, event.transaction_id, event.workflow_identifier, event.context_keys
        FROM changed JOIN events AS event ON event.environment_id = ${environmentId}::uuid AND event.id = changed.event_id
      )
      SELECT ${snapshotStart} AS oldest, (SELECT coalesce(jsonb_agg(DISTINCT writer), '[]') FROM part) AS writers,
             ${MAX_ROWS}::int IN ((SELECT count(*) FROM event), (SELECT count(*) FROM run), (SELECT count(*) FROM delivery))
               OR (SELECT count(*) FROM named) > ${MAX_CHANGES}::int
               OR (SELECT count(*) FROM delivery) > ${MAX_CHANGES}::int AS "hasMore",
             (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'transactionId', transaction_id,
                'workflowIdentifier', workflow_identifier, 'contextKeys', context_keys) ORDER BY at, id), '[]')
              FROM (SELECT * FROM named ORDER BY at, id ${limitTo(MAX_CHANGES)}) AS listed) AS events,
             (SELECT coalesce(jsonb_agg(jsonb_build_object('id', listed.id, 'transactionId', named.transaction_id,
                'workflowIdentifier', named.workflow_identifier, 'contextKeys', named.context_keys,
                'subscriberId', subscriber_id, 'channel', channel, 'integrationIdentifier', integration_identifier)
                ORDER BY listed.at, listed.id), '[]')
              FROM (SELECT * FROM delivery ORDER BY at, id ${limitTo(MAX_CHANGES)}) AS listed
              JOIN named ON named.id = listed.event_id) AS deliveries`
    if (row === undefined) throw new Error('no changes were read')
    this.#oldest = row.oldest
    for (const writer of row.writers) this.#read.set(writer, now)
    const { events, deliveries, hasMore } = row
    return isFirst ? { events: [], deliveries: [], hasMore: false } : { events, deliveries, hasMore }
  }
}
