// Tickets: messages of which the provider reports later whether the device received them.
import type { Connection } from '../connection/database.ts'
import { type Delivery, Prisma, type PushTicket } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'
import { selectList } from '../statement/table.ts'

/** Milliseconds until a report is read, and read again if there is none yet. */
export const REPORT_DELAY = 15 * 60_000

const fields = Object.values(Prisma.PushTicketScalarFieldEnum)

/** True if the report of a ticket is due. */
export async function hasDueTickets(db: Connection, now: Date): Promise<boolean> {
  return (await db.pushTicket.findFirst({ where: { dueAt: { lte: now } }, select: { ticket: true } })) !== null
}

/** Stores the ticket of a message that was accepted. Has no effect if the message has one. */
export async function addTicket(
  { db, environmentId }: Tenant,
  { id: deliveryId, integrationId }: Pick<Delivery, 'id' | 'integrationId'>,
  ticket: string,
  createdAt: Date,
): Promise<void> {
  if (integrationId === null) return
  const dueAt = new Date(createdAt.getTime() + REPORT_DELAY)
  const data = [{ environmentId, deliveryId, integrationId, ticket, dueAt, createdAt }]
  await db.pushTicket.createMany({ data, skipDuplicates: true })
}

/**
 * Takes tickets whose reports are due, of all environments, the oldest first.
 *
 * @param until when they are due again, unless they are dropped.
 */
export function takeTickets(db: Connection, now: Date, until: Date, limit: number): Promise<readonly PushTicket[]> {
  return sql<PushTicket>(db, 'push-ticket.take')`
    UPDATE push_tickets AS ticket SET due_at = ${until}::timestamptz
    FROM (
      SELECT environment_id, delivery_id FROM push_tickets WHERE due_at <= ${now}::timestamptz
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE ticket.environment_id = due.environment_id AND ticket.delivery_id = due.delivery_id
    RETURNING ${selectList({ fields }, 'ticket')}`
}

/** Drops the tickets of messages. */
export async function dropTickets({ db, environmentId }: Tenant, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return
  await db.pushTicket.deleteMany({ where: { environmentId, deliveryId: { in: [...deliveryIds] } } })
}
