// Notifications and messages of other channels in one list.
import { Prisma } from '../prisma/client.ts'
import type { Channel } from '../prisma/enums.ts'
import { inContexts, oneOf } from '../reading/page.ts'
import type { Tenant } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'

/** Selects messages. Undefined fields match everything. */
export interface MessageFilter {
  readonly channels?: readonly Channel[] | undefined
  readonly subscriberIds?: readonly string[] | undefined
  /** The transaction ids of events. */
  readonly transactionIds?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
}

/** A message of the list: the id of a notification, or of a delivery. */
export interface ListedMessage {
  readonly id: string
  readonly isNotification: boolean
}

/** The conditions that messages are of events. A delivery knows its event, a notification only its step run. */
function messagesOf(environmentId: string, transactionIds: readonly string[]) {
  const eventIds = Prisma.sql`ARRAY(
    SELECT id FROM events WHERE environment_id = ${environmentId}::uuid
      AND transaction_id = ANY (${[...transactionIds]}::text[]))`
  return {
    deliveries: Prisma.sql`AND child.event_id = ANY (${eventIds})`,
    notifications: Prisma.sql`AND child.step_run_id = ANY (ARRAY(
      SELECT step.id FROM workflow_runs AS run
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = run.id
      WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = ANY (${eventIds})))`,
  }
}

/**
 * Returns messages, newest first: ids are in the order of creation, and both tables have an index on them.
 *
 * @param skip newer messages to skip, which the database reads.
 */
export function listedMessages(
  { db, environmentId }: Tenant,
  { channels, subscriberIds, transactionIds, ...contexts }: MessageFilter,
  { skip, take }: { readonly skip: number; readonly take: number },
): Promise<ListedMessage[]> {
  const ofSubscribers =
    subscriberIds === undefined
      ? Prisma.empty
      : Prisma.sql`AND ${oneOf(Prisma.sql`child.subscriber_id`, subscriberIds)}`
  const ofEvents = transactionIds && messagesOf(environmentId, transactionIds)
  const part = (table: 'notifications' | 'deliveries', condition: Prisma.Sql) => Prisma.sql`(
    SELECT child.id, ${table === 'notifications'}::boolean AS "isNotification" FROM ${Prisma.raw(table)} AS child
    WHERE child.environment_id = ${environmentId}::uuid ${condition} ${ofSubscribers}
      ${ofEvents?.[table] ?? Prisma.empty}
    ORDER BY child.id DESC LIMIT ${skip + take}::int)`
  const ofChannels =
    channels === undefined
      ? Prisma.empty
      : Prisma.sql`AND ${oneOf(Prisma.sql`child.channel`, channels, Prisma.sql`"Channel"`)}`
  const parts = [
    ...((channels?.includes('in_app') ?? true) ? [part('notifications', inContexts(contexts))] : []),
    ...(channels?.join() === 'in_app'
      ? []
      : [part('deliveries', Prisma.sql`${ofChannels} ${inContexts(contexts, true)}`)]),
  ]
  return sql<ListedMessage>(db, 'message-list.listedMessages', { planForValues: true })`
    SELECT id, "isNotification" FROM (${Prisma.join(parts, ' UNION ALL ')}) AS listed
    ORDER BY id DESC OFFSET ${skip}::int LIMIT ${take}::int`
}
