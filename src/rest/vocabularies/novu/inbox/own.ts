// Routes of a session: those of a subscriber, for the subscriber and the contexts of the session.
import { z } from 'zod'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { type Route, routeName } from '../../../route.ts'
import { withView } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'

/** The path below which a page calls. */
export const inbox = `${prefix}/v1/inbox` as const

/** Returns the subscriber and the contexts of a session. @throws Refusal `FORBIDDEN` for other callers. */
export function ownerIn({ caller }: DoorScope): { subscriberId: string; contextKeys: string[] } {
  if (caller.kind !== 'session') throw new Refusal('FORBIDDEN', 'This path requires the token of a session')
  return { subscriberId: caller.subscriberId, contextKeys: [...caller.contextKeys] }
}

/** The schema of a response in which the page finds it. */
export const inEnvelope = <Shown extends z.ZodType>(shown: Shown) => z.object({ data: shown })

/** Returns a route whose response is in an envelope. */
export const enveloped = (found: Route): Route =>
  found.response === undefined ? found : withView(found, inEnvelope(found.response), (data) => ({ data }))

const withoutOwner = <Part extends z.ZodType | undefined>(part: Part): Part | z.ZodObject => {
  if (!(part instanceof z.ZodObject)) return part
  const { subscriberId: _subscriberId, contextKeys: _contextKeys, ...others } = part.shape
  return z.object(others)
}

/**
 * Returns a route of a subscriber at another path, for the session that calls it. `contextKeys` goes where the route
 * takes it.
 */
export function ofSession(found: Route, path: `/${string}`): Route {
  const takes = (part: z.ZodType | undefined) => part instanceof z.ZodObject && 'contextKeys' in part.shape
  return {
    ...found,
    path,
    name: routeName(found.method, path),
    operationId: `own.${found.operationId ?? found.resolver.definition.name}`,
    params: z.object(withoutOwner(found.params).shape),
    query: z.object(withoutOwner(found.query).shape),
    body: withoutOwner(found.body),
    async act(scope, request) {
      const { subscriberId, contextKeys } = ownerIn(scope)
      const withContexts = (part: unknown) => Object.assign({}, part, { contextKeys })
      return found.act(scope, {
        ...request,
        params: Object.assign({}, request.params, { subscriberId }),
        query: takes(found.query) ? withContexts(request.query) : request.query,
        body: takes(found.body) ? withContexts(request.body) : request.body,
      })
    },
  }
}
