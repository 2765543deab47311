// Bounces and complaints of a span, by integration. Reads the indexes of both, and the statistics of the messages sent.
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { limitTo, sql } from '../statement/statement.ts'
import { type HealthSpan, MAX_FAILING } from './delivery-health.ts'
import { statisticsIn } from './message-statistics.ts'

/** The messages through an integration that were sent, or about which a report arrived, in a span. */
export interface ReceiptCounts {
  readonly integrationIdentifier: string
  readonly sent: number
  readonly bounced: number
  readonly complained: number
}

/** The integrations with a bounce or a complaint in a span of minutes. The one with the most of both comes first. */
export function receiptCounts(tenant: Tenant, { contextKeys, ...span }: HealthSpan): Promise<ReceiptCounts[]> {
  const { db, environmentId } = tenant
  const within = (column: string) => Prisma.sql`environment_id = ${environmentId}::uuid
    AND ${Prisma.raw(column)} >= ${span.from}::timestamptz AND ${Prisma.raw(column)} < ${span.to}::timestamptz
    ${contextKeys === undefined ? Prisma.empty : Prisma.sql`AND context_keys = ${[...contextKeys]}::text[]`}`
  return sql<ReceiptCounts>(db, 'receipt-health.receiptCounts')`
    WITH told AS (
      SELECT integration_identifier AS name, 1 AS bounced, 0 AS complained FROM deliveries WHERE ${within('bounced_at')}
      UNION ALL
      SELECT integration_identifier, 0, 1 FROM deliveries WHERE ${within('complained_at')}
    ), counted AS (
      SELECT name, sum(bounced)::int AS bounced, sum(complained)::int AS complained FROM told GROUP BY name
      ORDER BY sum(bounced + complained) DESC, name ${limitTo(MAX_FAILING)}
    ), sent AS (
      SELECT name, sum(sent)::int AS sent
      FROM ${statisticsIn(tenant, 'integration', { granularity: 'minute', ...span }, { contextKeys })} AS statistics
      WHERE name IN (SELECT name FROM counted) GROUP BY name
    )
    SELECT counted.name AS "integrationIdentifier", coalesce(sent.sent, 0) AS sent, bounced, complained
    FROM counted LEFT JOIN sent USING (name)
    ORDER BY bounced + complained DESC, counted.name`
}
