// Reports of providers about deliveries.
import type { Tenant } from '../reading/loader.ts'
import { rowsBy } from '../reading/row.ts'
import { type Delivery, type DeliveryReport, Prisma } from '../prisma/client.ts'
import type { Channel, ReportKind } from '../prisma/enums.ts'
import type { Table } from '../statement/table.ts'
import { sql } from '../statement/statement.ts'

const deliveryReportTable: Table<DeliveryReport> = {
  name: 'delivery_reports',
  fields: Object.values(Prisma.DeliveryReportScalarFieldEnum),
}

/** The reports about deliveries, in the order in which they were received. */
export const reportsByDelivery = rowsBy(deliveryReportTable, { field: 'deliveryId', type: 'uuid' }, [
  'receivedAt',
  'at',
  'key',
])

/** A report to store. */
export interface NewReport extends Pick<DeliveryReport, 'key' | 'kind' | 'at' | 'address' | 'detail' | 'code'> {
  /** A UUID. Null to find the delivery by the provider's id of the message. */
  readonly deliveryId: string | null
  readonly providerMessageId: string | null
}

/** A report that was stored, and what it is about. */
export interface AddedReport extends Pick<Delivery, 'channel' | 'contextKeys' | 'subscriberId' | 'stepRunId'> {
  /** The index of the report among the given ones. */
  readonly place: number
  readonly deliveryId: string
  /** The email address or phone number that it is about. Null if the message went elsewhere, or the subscriber was deleted. */
  readonly address: string | null
  /** The detail that was stored. Null if the report has none, or the subscriber was deleted. */
  readonly detail: string | null
  /** True if it is about a copy, and not about the recipient. */
  readonly isCopy: boolean
  readonly channel: Channel
}

/** The result of `addReports`. */
export interface AddedReports {
  readonly added: readonly AddedReport[]
  /** The number of reports whose delivery does not exist, or belongs to another integration. */
  readonly unknown: number
}

/** Kinds of reports that set a time of their delivery. */
const times = {
  deferred_at: ['deferred'],
  delivered_at: ['delivered'],
  bounced_at: ['bounced_hard', 'bounced_soft', 'dropped'],
  complained_at: ['complained'],
} as const satisfies Record<string, readonly ReportKind[]>

const columns = Object.keys(times)

const firstTimes = Prisma.join(
  Object.entries(times).map(
    ([column, kinds]) =>
      Prisma.sql`min(at) FILTER (WHERE NOT is_copy AND kind = ANY (${[...kinds]}::"ReportKind"[])) AS ${Prisma.raw(column)}`,
  ),
)
const earliest = Prisma.raw(
  columns.map((column) => `${column} = least(delivery.${column}, latest.${column})`).join(', '),
)

/**
 * Stores reports about the deliveries of an integration, in one statement. A report that is known already has no effect.
 * The first report of each kind about the recipient sets a time of the delivery, in any order.
 *
 * @param reports without duplicates. Locks their deliveries in the order of their ids.
 */
export async function addReports(
  { db, environmentId }: Tenant,
  integrationId: string,
  reports: readonly NewReport[],
  now: Date,
): Promise<AddedReports> {
  const given = JSON.stringify(reports.map((report, place) => ({ ...report, place })))
  const route = JSON.stringify([{ integrationId }])
  const own = Prisma.sql`delivery.environment_id = ${environmentId}::uuid
    AND (delivery.integration_id = ${integrationId}::uuid OR delivery.routes @> ${route}::jsonb)`
  const rows = await sql<AddedReport & { isAdded: boolean }>(db, 'delivery-report.addReports')`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${given}::jsonb) AS given (
        place int, "deliveryId" uuid, "providerMessageId" text, key text, kind "ReportKind", at timestamptz,
        address text, detail text, code text)
    ), found AS MATERIALIZED (
      SELECT given.*, delivery.id AS delivery_id FROM given
      JOIN deliveries AS delivery ON ${own} AND delivery.id = given."deliveryId"
      UNION ALL
      SELECT given.*, delivery.id FROM given
      JOIN deliveries AS delivery ON ${own} AND delivery.provider_message_id = given."providerMessageId"
      WHERE given."deliveryId" IS NULL
    ), held AS MATERIALIZED (
      SELECT id, channel, context_keys, subscriber_id, step_run_id, target->>'kind' = 'deleted' AS is_erased,
             coalesce(target->>'address', target->>'phoneNumber') AS address,
             jsonb_exists_any(coalesce(content->'email', '{}'), ARRAY['to', 'cc', 'bcc']) AS has_copies
      FROM deliveries
      WHERE environment_id = ${environmentId}::uuid AND id IN (SELECT delivery_id FROM found)
      ORDER BY id FOR UPDATE
    ), told AS MATERIALIZED (
      SELECT found.*, held.channel, held.context_keys, held.subscriber_id, held.step_run_id, held.is_erased,
             held.address AS own_address,
             held.has_copies AND found.address IS NOT NULL
               AND lower(found.address) IS DISTINCT FROM lower(held.address) AS is_copy
      FROM found JOIN held ON held.id = found.delivery_id
    ), added AS (
      INSERT INTO delivery_reports (environment_id, delivery_id, key, kind, at, received_at, address, detail, code)
      SELECT ${environmentId}::uuid, delivery_id, key, kind, at, ${now}::timestamptz,
             CASE WHEN is_copy AND NOT is_erased THEN address END, CASE WHEN NOT is_erased THEN detail END, code
      FROM told
      ON CONFLICT (environment_id, delivery_id, key) DO NOTHING
      RETURNING delivery_id, key
    ), latest AS (
      SELECT delivery_id, ${firstTimes} FROM told JOIN added USING (delivery_id, key) GROUP BY delivery_id
    ), changed AS (
      UPDATE deliveries AS delivery SET ${earliest}, updated_at = ${now}::timestamptz
      FROM latest WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = latest.delivery_id
    )
    SELECT told.place, told.delivery_id AS "deliveryId", told.channel, told.context_keys AS "contextKeys",
           told.subscriber_id AS "subscriberId", told.step_run_id AS "stepRunId",
           CASE WHEN NOT told.is_erased THEN coalesce(told.address, told.own_address) END AS address,
           CASE WHEN NOT told.is_erased THEN told.detail END AS detail,
           told.is_copy AS "isCopy",
           added.key IS NOT NULL AS "isAdded"
    FROM told LEFT JOIN added USING (delivery_id, key)
    ORDER BY told.place`
  const known = new Set(rows.map(({ place }) => place))
  return {
    added: rows.filter(({ isAdded }) => isAdded).map(({ isAdded: _isAdded, ...row }) => row),
    unknown: reports.length - known.size,
  }
}
