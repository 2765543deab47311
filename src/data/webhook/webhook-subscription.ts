// Webhook subscriptions: rows, pages, and which types of messages are wanted.
import type { Connection } from '../connection/database.ts'
import { Prisma, type WebhookSubscription } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { environmentPages, equalTo } from '../reading/page.ts'
import { rowBy } from '../reading/row.ts'
import { sql } from '../statement/statement.ts'
import type { Table } from '../statement/table.ts'

const webhookSubscriptionTable: Table<WebhookSubscription> = {
  name: 'webhook_subscriptions',
  fields: Object.values(Prisma.WebhookSubscriptionScalarFieldEnum),
}

export const webhookSubscriptionsById = rowBy(webhookSubscriptionTable, { field: 'id', type: 'uuid' })
export const webhookSubscriptionsByIdentifier = rowBy(webhookSubscriptionTable, { field: 'identifier' })

/** Selects subscriptions. Undefined fields match everything. */
interface WebhookSubscriptionFilter {
  readonly active?: boolean
}

export const webhookSubscriptionPages = environmentPages<WebhookSubscription, WebhookSubscriptionFilter>({
  name: 'webhookSubscriptions',
  table: webhookSubscriptionTable,
  where: equalTo<WebhookSubscriptionFilter>({ active: 'boolean' }),
})

/** The types of messages that the active subscriptions of an environment want. */
export interface WantedTypes {
  readonly environmentId: string
  readonly types: readonly string[]
}

/** The wanted types of all environments with active subscriptions, or of one. */
export const readWantedTypes = (db: Connection, environmentId?: string): Promise<WantedTypes[]> =>
  sql<WantedTypes>(db, 'webhook-subscription.readWantedTypes')`
    SELECT environment_id AS "environmentId", array_agg(DISTINCT type) AS types
    FROM webhook_subscriptions CROSS JOIN unnest(event_types) AS type
    WHERE active ${environmentId === undefined ? Prisma.empty : Prisma.sql`AND environment_id = ${environmentId}::uuid`}
    GROUP BY environment_id`

/** The NOTIFY channel for changes of what is wanted. A database trigger sends the id of the environment. */
export const WEBHOOK_TYPES_CHANNEL = 'webhook_types'

/**
 * Counts the subscriptions of the environment, and keeps others from being created until the transaction ends. The
 * environment is locked as by rows that refer to it, but against other calls of this function.
 */
export async function countSubscriptionsAlone({ db, environmentId }: Tenant): Promise<number> {
  await sql(db, 'webhook-subscription.countSubscriptionsAlone')`
    SELECT pg_advisory_xact_lock(hashtextextended(${`webhook subscriptions ${environmentId}`}, 0))::text`
  return db.webhookSubscription.count({ where: { environmentId } })
}
