// Routes: the integrations through which a message is tried, in order, as its delivery stores them. A delivery with only
// one stores none.
import { z } from 'zod'
import type { Delivery } from '../prisma/client.ts'

/** Why a message left an integration for the next one. */
export const routeReasons = ['account', 'unavailable', 'unconfirmed', 'unusable', 'circuit_open'] as const
export type RouteReason = (typeof routeReasons)[number]

const route = z.object({
  integrationId: z.string(),
  /** The identifier that the integration had when it was selected. */
  integrationIdentifier: z.string(),
  providerId: z.string(),
  /** Absent for the present route, and for those after it. */
  left: z.enum(routeReasons).optional(),
  /** True if the provider may have accepted the message, so that no other one may be tried. */
  mayBeSent: z.literal(true).optional(),
})

/** One integration of a delivery. */
export type StoredRoute = z.output<typeof route>

type Routed = Pick<Delivery, 'routes' | 'integrationId'>

/** Reads the routes of a delivery, in order. Empty if it has only one. */
export const routesOf = ({ routes }: Pick<Delivery, 'routes'>): readonly StoredRoute[] =>
  routes === null ? [] : z.array(route).parse(routes)

/** Returns the routes after the present one. None if the message may have been accepted already. */
export function routesAhead(delivery: Routed): readonly StoredRoute[] {
  const routes = routesOf(delivery)
  const present = routes.findIndex(({ integrationId }) => integrationId === delivery.integrationId)
  return present === -1 || routes[present]?.mayBeSent ? [] : routes.slice(present + 1)
}

/** The columns of a delivery that continues with another route. */
export interface Move extends Pick<StoredRoute, 'integrationId' | 'integrationIdentifier' | 'providerId'> {
  readonly routes: StoredRoute[]
}

/** Moves a delivery to a later route. @param skipped why the routes between were not tried. */
export function moveTo(
  delivery: Routed,
  { integrationId, integrationIdentifier, providerId }: StoredRoute,
  reason: RouteReason,
  skipped: RouteReason = 'circuit_open',
): Move {
  const routes = [...routesOf(delivery)]
  const from = routes.findIndex((one) => one.integrationId === delivery.integrationId)
  const to = routes.findIndex((one) => one.integrationId === integrationId)
  const left = routes.map((one, index) =>
    index >= from && index < to ? { ...one, left: index === from ? reason : skipped } : one,
  )
  return { integrationId, integrationIdentifier, providerId, routes: left }
}
