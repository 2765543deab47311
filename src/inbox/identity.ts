// Which subscriber the properties of the element name.
import { Session } from './session.ts'

interface Identifying {
  readonly gateway: string
  readonly environment: string | undefined
  readonly subscriberId: string | undefined
  readonly subscriberHash: string | undefined
  readonly context: Readonly<Record<string, unknown>> | undefined
  readonly contextHash: string | undefined
}

/** Properties that select another subscriber when they change. */
export const identifying = [
  'gateway',
  'environment',
  'subscriberId',
  'subscriberHash',
  'context',
  'contextHash',
] as const satisfies readonly (keyof Identifying)[]

/** Undefined until the page has named the subscriber. */
export function sessionOf(properties: Identifying): Session | undefined {
  const { gateway, environment, subscriberId, subscriberHash, context = null, contextHash = null } = properties
  if (environment === undefined || subscriberId === undefined || subscriberHash === undefined) return undefined
  return new Session({ gateway, environment, subscriberId, subscriberHash, context, contextHash })
}
