// Why a message went to the next integration, in words that follow "because".
import type { graphql } from '../../graph/graphql.ts'

type RouteReason = ReturnType<typeof graphql.scalar<'RouteReason'>>

export const routeReasons = {
  ACCOUNT: 'the provider did not accept the account',
  UNAVAILABLE: 'the provider was not available',
  UNCONFIRMED: 'the provider did not confirm the message',
  UNUSABLE: 'this one could not be used',
  CIRCUIT_OPEN: 'its provider was down',
} as const satisfies Record<RouteReason, string>
