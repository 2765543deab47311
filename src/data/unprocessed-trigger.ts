// Triggers that created no event: those that repeated a transaction id, and rejected ones.
import type { Connection } from './connection/database.ts'
import { type UnprocessedTrigger, Prisma } from './prisma/client.ts'
import type { UnprocessedTriggerKind } from './prisma/enums.ts'
import type { Tenant } from './reading/loader.ts'
import { containsOneOf, environmentPages, equalTo, pagesBy } from './reading/page.ts'
import { type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'
import { rowBy } from './reading/row.ts'
import { limitTo, sqlCount } from './statement/statement.ts'
import { insertRows, type Table } from './statement/table.ts'

export type { UnprocessedTrigger }

const unprocessedTable: Table<UnprocessedTrigger> = {
  name: 'unprocessed_triggers',
  fields: Object.values(Prisma.UnprocessedTriggerScalarFieldEnum),
}

/** The maximum number of rows of an environment. The oldest make room for new ones. */
export const MAX_UNPROCESSED = 1_000

/**
 * Writes triggers of several environments with one statement. Identical triggers of the same hour become one row. Rows
 * of an environment beyond the limit are deleted, oldest first. Deleted environments are skipped.
 *
 * @param rows unique by environment and fingerprint.
 */
export async function writeUnprocessed(db: Connection, rows: readonly UnprocessedTrigger[]): Promise<void> {
  const owners = new Map<string, number>()
  for (const { environmentId } of rows) owners.set(environmentId, (owners.get(environmentId) ?? 0) + 1)
  const room = [...owners.values()].map((count) => MAX_UNPROCESSED - count)
  await sqlCount(db, 'unprocessed-trigger.writeUnprocessed')`
    WITH written AS (
      ${insertRows(unprocessedTable, rows, {})}
      WHERE EXISTS (
        SELECT FROM environments WHERE environments.id = given.environment_id AND organization_id IS NOT NULL)
      ORDER BY given.environment_id, given.fingerprint
      ON CONFLICT (environment_id, fingerprint) DO UPDATE
        SET count = stored.count + excluded.count, updated_at = greatest(stored.updated_at, excluded.updated_at)
    ), surplus AS MATERIALIZED (
      SELECT oldest.ctid
      FROM unnest(${[...owners.keys()]}::uuid[], ${room}::int[]) AS owner(id, room)
      CROSS JOIN LATERAL (
        SELECT ctid FROM unprocessed_triggers
        WHERE environment_id = owner.id AND fingerprint <> ALL (${rows.map(({ fingerprint }) => fingerprint)}::text[])
        ORDER BY created_at DESC, id DESC OFFSET owner.room
      ) AS oldest
    )
    DELETE FROM unprocessed_triggers WHERE ctid = ANY (ARRAY(
      SELECT held.ctid FROM unprocessed_triggers AS held
      WHERE held.ctid = ANY (ARRAY(SELECT ctid FROM surplus)) FOR UPDATE SKIP LOCKED))`
}

/**
 * Deletes a portion of the rows of an environment created before a time, oldest first. Skips rows that others lock.
 *
 * @returns the number of deleted rows.
 */
export function sweepUnprocessed(
  { db, environmentId }: Tenant,
  { before, take }: { readonly before: Date; readonly take: number },
): Promise<number> {
  return sqlCount(db, 'unprocessed-trigger.sweepUnprocessed')`
    DELETE FROM unprocessed_triggers WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM unprocessed_triggers
      WHERE environment_id = ${environmentId}::uuid AND created_at < ${before}::timestamptz
      ORDER BY created_at ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
}

export const unprocessedById = rowBy(unprocessedTable, { field: 'id', type: 'uuid' })

/** Selects triggers. Undefined fields match everything. */
export interface UnprocessedFilter extends CreatedWithin {
  readonly kind?: UnprocessedTriggerKind | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  readonly transactionId?: string | undefined
  /** The ids of subscribers of which one is among the stored recipients. */
  readonly subscriberId?: readonly string[] | undefined
}

const equal = equalTo<Pick<UnprocessedFilter, 'kind' | 'workflowIdentifier' | 'transactionId'>>({
  kind: '"UnprocessedTriggerKind"',
  workflowIdentifier: 'text',
  transactionId: 'text',
})

/** The rows with a recipient. An environment has so few rows that no index on the recipients is needed. */
const withRecipient = ({ subscriberId }: UnprocessedFilter) =>
  subscriberId === undefined
    ? Prisma.empty
    : Prisma.sql`AND ${containsOneOf(Prisma.sql`child.recipients`, 'subscriberId', subscriberId)}`

const list: RowList<UnprocessedTrigger, UnprocessedFilter> = {
  name: 'unprocessedTriggers',
  table: unprocessedTable,
  where: (filter) => Prisma.sql`${equal(filter)} ${withRecipient(filter)} ${createdWithin(filter)}`,
}

export const unprocessedPages = environmentPages<UnprocessedTrigger, UnprocessedFilter>(list)

/** Pages of the triggers that repeated the transaction id of an event, by the id of the event. */
export const repeatsByEvent = pagesBy<UnprocessedTrigger, UnprocessedFilter>(list, { field: 'eventId', type: 'uuid' })
