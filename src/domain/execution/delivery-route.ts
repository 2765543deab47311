// The routes of a delivery: which integration is tried after a failed attempt, and how the execution log shows them.
import { z } from 'zod'
import { circuits } from '../../data/queue/circuit.ts'
import {
  type Move,
  moveTo,
  type StoredRoute,
  type RouteReason,
  routesAhead,
  routesOf,
} from '../../data/queue/delivery-route.ts'
import type { Delivery as Row, Prisma } from '../../data/prisma/client.ts'
import { DeliveryStatus } from '../../data/prisma/enums.ts'
import { attemptsByDelivery } from '../../data/delivery.ts'
import { ATTEMPTS_BEFORE_NEXT, failureRules } from '../channel/failure-rule.ts'
import type { SendFailure } from '../channel/provider-directory.ts'
import { type ProviderId, providerOf } from '../channel/provider-id.ts'
import { query } from '../resolver/resolver.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** Why a message went to the next integration, with descriptions. */
export const routeReasonCodes = {
  account: 'The provider did not accept the credentials, or does not let the account send.',
  unavailable: 'The provider did not respond, or responded with a temporary error, at the second attempt too.',
  unconfirmed: 'The provider received the message and did not respond, and the integration has `fallbackAfterTimeout`.',
  unusable: 'The integration could not be used, for example because it was deactivated or is set up incorrectly.',
  circuit_open: 'The circuit of the integration was open.',
} as const satisfies Record<RouteReason, string>

/** The next integration of a delivery, and why it is tried. */
export interface NextRoute {
  readonly move: Move
  readonly reason: RouteReason
}

/**
 * Decides whether a delivery continues with its next integration after a failed attempt. A message that the provider may
 * have accepted stays with its integration, unless that allows otherwise. The transaction must hold a lock on the
 * delivery.
 *
 * @returns undefined if it stays, or if there is none. Reads nothing if the delivery has only one integration.
 */
export async function routeAfter(
  scope: EnvironmentScope,
  delivery: Row,
  { cause }: Pick<SendFailure, 'cause'>,
): Promise<NextRoute | undefined> {
  const { db, environmentId } = scope
  const { integrationId, attemptCount } = delivery
  const ahead = routesAhead(delivery)
  const { next, reason } = failureRules[cause]
  if (ahead.length === 0 || next === 'never') return undefined
  const ids = [integrationId ?? '', ...ahead.map((route) => route.integrationId)]
  const rows = await db.integration.findMany({
    where: { environmentId, id: { in: ids } },
    select: { id: true, active: true, fallbackAfterTimeout: true, circuit: { select: { openedAt: true } } },
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  if (next === 'if_allowed' && byId.get(integrationId ?? '')?.fallbackAfterTimeout !== true) {
    await stayWith(scope, delivery)
    return undefined
  }
  if (next !== 'at_once' && attemptCount < ATTEMPTS_BEFORE_NEXT) return undefined
  const active = ahead.filter((route) => byId.get(route.integrationId)?.active)
  const closed = active.find((route) => byId.get(route.integrationId)?.circuit?.openedAt == null)
  // If the others are out of order too, this one may be the first to work again.
  const to = closed ?? (next === 'at_once' ? active[0] : undefined)
  return to && { move: moveTo(delivery, to, reason, 'unusable'), reason }
}

/** Records that the provider may have accepted a message, so that no other one is tried. */
async function stayWith({ db, environmentId }: EnvironmentScope, { id, ...delivery }: Row): Promise<void> {
  const routes: StoredRoute[] = routesOf(delivery).map((route) =>
    route.integrationId === delivery.integrationId ? { ...route, mayBeSent: true } : route,
  )
  await db.delivery.update({ where: { environmentId_id: { environmentId, id } }, data: { routes } })
}

/** Lets a delivery continue with its next integration, with a new count of attempts. */
export async function takeRoute({ db, environmentId, now }: EnvironmentScope, { id }: Row, { move }: NextRoute) {
  await db.delivery.update({
    where: { environmentId_id: { environmentId, id } },
    data: { ...move, attemptCount: 0, updatedAt: now() },
  })
  return move
}

/** The columns of a delivery that starts again with its first integration. None if it has only one. */
export function firstRoute({ routes }: Pick<Row, 'routes'>): Partial<Move> {
  const all = routesOf({ routes })
  const [first] = all
  if (first === undefined) return {}
  return {
    ...{ integrationId: first.integrationId, integrationIdentifier: first.integrationIdentifier },
    providerId: first.providerId,
    routes: all.map(({ left: _left, mayBeSent: _mayBeSent, ...route }) => route),
  }
}

/** An integration of a delivery, as the execution log shows it. */
export interface ShownRoute {
  readonly integrationId: string | null
  readonly integrationIdentifier: string
  readonly providerId: ProviderId
  /** Why it was left for the next one. Null if it was not. */
  readonly leftReason: RouteReason | null
  readonly isPresent: boolean
}

/** The integrations of a delivery, in the order in which they are tried. */
export function shownRoutes(
  row: Pick<Row, 'integrationId' | 'integrationIdentifier' | 'providerId' | 'routes'>,
): readonly ShownRoute[] {
  const { integrationId, integrationIdentifier, providerId } = row
  const routes = routesOf(row)
  if (routes.length === 0) {
    const only = { integrationId, integrationIdentifier, providerId: providerOf(providerId) }
    return [{ ...only, leftReason: null, isPresent: true }]
  }
  return routes.map((route) => ({
    integrationId: route.integrationId,
    integrationIdentifier: route.integrationIdentifier,
    providerId: providerOf(route.providerId),
    leftReason: route.left ?? null,
    isPresent: route.integrationId === integrationId,
  }))
}

/**
 * Returns the time of the next probe that a message waits for, because the circuit of its integration is open. Null if it
 * does not wait: it has ended, is being sent, waits for a later attempt, or may go to another integration. Batched.
 */
export const circuitOpenUntil = query({
  name: 'delivery.getCircuitOpenUntil',
  permission: 'event:read',
  input: z.object({
    id: z.uuid(),
    status: z.enum(DeliveryStatus),
    integrationId: z.string().nullable(),
    attemptCount: z.int(),
    routes: z.custom<Prisma.JsonValue>(),
  }),
  async run({ load, now }, { id, status, integrationId, attemptCount, routes }): Promise<Date | null> {
    if (status !== 'pending' || integrationId === null) return null
    const probeAt = (await load(circuits, integrationId))?.probeAt ?? null
    if (probeAt === null || probeAt <= now()) return null
    if (routesAhead({ routes, integrationId }).length > 0) return null
    const attempts = await load(attemptsByDelivery, id)
    const nextAt = attempts.at(-1)?.nextAt ?? null
    const isBeingSent = attempts.length < attemptCount
    return isBeingSent || (nextAt !== null && nextAt > probeAt) ? null : probeAt
  },
})
