// Reports about accepted push messages: the provider makes them later, and housekeeping reads them.
import { loggable } from '../../data/driver/database-errors.ts'
import { noteReport } from '../../data/delivery.ts'
import type { PushTicket } from '../../data/prisma/client.ts'
import { dropTickets, REPORT_DELAY, takeTickets } from '../../data/queue/push-ticket.ts'
import { MAX_TICKETS, type TicketReport } from '../../domain/channel/provider-directory.ts'
import { openCredentials } from '../../domain/integration-setting.ts'
import { createEnvironmentScope } from '../../domain/resolver/create-scope.ts'
import type { EnvironmentScope, Gateway } from '../../domain/resolver/scope.ts'
import { integrationKey } from '../../data/queue/job.ts'
import { groupBy } from '../../lib/group-by.ts'
import { removeUnregisteredDevice } from '../attempt.ts'
import type { Performance } from './task.ts'

/** Milliseconds from a message after which the provider has no report any more. */
const KEPT_FOR = 24 * 60 * 60_000

/** The tickets whose reports are not read again. */
const expiredAmong = (tickets: readonly PushTicket[], now: Date) =>
  tickets.filter(({ createdAt }) => createdAt.getTime() <= now.getTime() - KEPT_FOR)

const idsOf = (tickets: readonly PushTicket[]) => tickets.map(({ deliveryId }) => deliveryId)

/** Records an error that the provider reports about a message after it accepted it. The message stays sent. */
async function recordError(scope: EnvironmentScope, deliveryId: string, report: TicketReport): Promise<void> {
  const isRemoved = report.isUnregistered && (await removeUnregisteredDevice(scope, deliveryId))
  const sentence = `Later, the provider reported ${report.error}.`
  const note = isRemoved ? `${sentence} The token of the device was removed.` : sentence
  await noteReport(scope, deliveryId, note, scope.now())
  await dropTickets(scope, [deliveryId])
}

/** Reads the reports of messages of one integration, and records errors. */
async function readReports(
  gateway: Gateway,
  { environmentId, integrationId }: PushTicket,
  tickets: readonly PushTicket[],
): Promise<void> {
  const scope = createEnvironmentScope(gateway, environmentId)
  const where = { environmentId_id: { environmentId, id: integrationId } }
  const integration = await scope.db.integration.findUnique({ where })
  if (integration === null) return dropTickets(scope, idsOf(tickets))
  const reports = await gateway.providers.readReports(
    { ...integration, credentials: openCredentials(scope, integration) },
    tickets.map(({ ticket }) => ticket),
  )
  const settled = tickets.filter(({ ticket }) => reports.get(ticket)?.error === null)
  for (const { deliveryId, ticket } of tickets) {
    const report = reports.get(ticket)
    if (report !== undefined && report.error !== null) {
      await scope.transaction((inner) => recordError(inner, deliveryId, report))
    }
  }
  await dropTickets(scope, idsOf([...settled, ...expiredAmong(tickets, gateway.now())]))
}

/** Reads the reports that are due. If a provider does not answer, they are read again later. */
export async function readDueReports({ gateway, logger, portion }: Performance): Promise<void> {
  const now = gateway.now()
  const until = new Date(now.getTime() + REPORT_DELAY)
  const take = () => portion('push_tickets', (db, count) => takeTickets(db, now, until, Math.min(count, MAX_TICKETS)))
  for (let tickets = await take(); tickets.length > 0; tickets = await take()) {
    for (const own of groupBy(tickets, integrationKey).values()) {
      const [first] = own
      if (first === undefined) continue
      await readReports(gateway, first, own).catch((error: unknown) => {
        const { environmentId, integrationId } = first
        logger.warn({ err: loggable(error), environmentId, integrationId }, 'push reports not read: trying again later')
        return dropTickets(createEnvironmentScope(gateway, environmentId), idsOf(expiredAmong(own, now)))
      })
    }
  }
}
