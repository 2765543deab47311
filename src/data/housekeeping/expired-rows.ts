// Finds the environments that have expired rows. A page of environments is one statement, so that those without expired
// rows cost no statements of their own.
import type { Connection } from '../connection/database.ts'
import { hasExpiredStatistics } from '../monitoring/message-statistics.ts'
import { type Environment, type Organization, Prisma } from '../prisma/client.ts'
import { sql } from '../statement/statement.ts'
import { USED_FOR } from '../workflow-snapshot.ts'
import { firstIdAt } from './sweep.ts'

type RetentionColumns = Pick<Environment, 'retentionDays' | 'feedRetentionDays'>

/** An environment with its retention and that of its organization, in days. */
export interface SweptEnvironment extends RetentionColumns {
  readonly id: string
  readonly organization: Pick<Organization, 'retentionDays' | 'feedRetentionDays'>
}

/** A page of all environments except deleted ones, ordered by id. */
export async function sweptEnvironments(
  db: Connection,
  after: string,
  take: number,
): Promise<readonly SweptEnvironment[]> {
  const days = { retentionDays: true, feedRetentionDays: true } as const
  const page = await db.environment.findMany({
    where: { organizationId: { not: null }, id: { gt: after } },
    select: { id: true, ...days, organization: { select: days } },
    orderBy: { id: 'asc' },
    take,
  })
  return page.flatMap(({ organization, ...environment }) =>
    organization === null ? [] : [{ ...environment, organization }],
  )
}

/** The kinds of rows that expire together. */
const expiringKinds = [
  'secrets',
  'events',
  'workflow_snapshots',
  'message_statistics',
  'context_statistics',
  'notifications',
  'unprocessed_triggers',
  'webhook_messages',
  'sign_ins',
  'attachments',
] as const

export type ExpiringKind = (typeof expiringKinds)[number]

/** An environment, and the time before which its rows of each kind have expired. Undefined for rows that are kept. */
interface Expiring {
  readonly environmentId: string
  readonly before: Readonly<Record<ExpiringKind, Date | undefined>>
}

/**
 * True if the environment `given.environment_id` has a row, otherwise null. Ordered as in an index, which PostgreSQL then
 * reads: it would read the table to find the first row among very many.
 */
const has = (table: string, condition: Prisma.Sql, order: string) =>
  Prisma.sql`(
    SELECT true FROM ${Prisma.raw(table)} AS row WHERE row.environment_id = given.environment_id AND ${condition}
    ORDER BY ${Prisma.raw(order)} LIMIT 1)`

const hasExpired = (minutesBefore: Date): Readonly<Record<ExpiringKind, Prisma.Sql>> => {
  const statistics = (before: Prisma.Sql) => ({
    minute: Prisma.sql`${minutesBefore}::timestamptz`,
    hour: before,
    day: before,
  })
  return {
    secrets: has('events', Prisma.sql`secret_payload IS NOT NULL`, 'created_at, id'),
    events: has('events', Prisma.sql`created_at < given.events`, 'created_at, id'),
    workflow_snapshots: has(
      'workflow_snapshots',
      Prisma.sql`last_used_at < given.workflow_snapshots - ${USED_FOR}::int * interval '1 millisecond'`,
      'hash',
    ),
    message_statistics: hasExpiredStatistics('environment', statistics(Prisma.sql`given.message_statistics`)),
    context_statistics: hasExpiredStatistics('contexts', statistics(Prisma.sql`given.context_statistics`)),
    notifications: has(
      'notifications',
      Prisma.sql`id < given.notification_id AND created_at < given.notifications AND snoozed_until IS NULL`,
      'id',
    ),
    unprocessed_triggers: has(
      'unprocessed_triggers',
      Prisma.sql`created_at < given.unprocessed_triggers`,
      'created_at',
    ),
    webhook_messages: has('webhook_messages', Prisma.sql`created_at < given.webhook_messages`, 'created_at'),
    sign_ins: Prisma.sql`coalesce(
      ${has('dashboard_sessions', Prisma.sql`expires_at <= given.sign_ins`, 'expires_at')},
      ${has('sign_in_codes', Prisma.sql`expires_at <= given.sign_ins`, 'expires_at')})`,
    attachments: has(
      'attachments',
      Prisma.sql`last_used_at < given.attachments AND created_at < given.attachments AND NOT EXISTS (
        SELECT FROM event_attachments AS used
        WHERE used.environment_id = given.environment_id AND used.attachment_id = row.id)`,
      'last_used_at, id',
    ),
  }
}

/**
 * The kinds of which an environment may have expired rows, for each of the given ones: also those whose work is not
 * finished. Each takes one look into an index, except snapshots of workflows, which are few.
 *
 * @param minutesBefore counts by minute expire before this time in all environments.
 */
export async function findExpired(
  db: Connection,
  environments: readonly Expiring[],
  minutesBefore: Date,
): Promise<ReadonlyMap<string, ReadonlySet<ExpiringKind>>> {
  if (environments.length === 0) return new Map()
  const given = environments.map(({ environmentId, before }) => ({
    environment_id: environmentId,
    notification_id: before.notifications && firstIdAt(before.notifications),
    ...before,
  }))
  const conditions = hasExpired(minutesBefore)
  const kinds = expiringKinds.map((kind) => Prisma.sql`CASE WHEN ${conditions[kind]} THEN ${kind}::text END`)
  const columns = Prisma.raw(expiringKinds.map((kind) => `${kind} timestamptz`).join(', '))
  const rows = await sql<{ environmentId: string; kinds: ExpiringKind[] }>(db, 'expired-rows.findExpired')`
    SELECT environment_id AS "environmentId", array_remove(ARRAY[${Prisma.join(kinds)}], NULL) AS kinds
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given(environment_id uuid, notification_id uuid, ${columns})`
  return new Map(rows.map(({ environmentId, kinds: found }) => [environmentId, new Set(found)]))
}
