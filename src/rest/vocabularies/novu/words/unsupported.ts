// Fields and values of the client that the gateway cannot apply. They are refused, never ignored.
import { z } from 'zod'
import { parse } from '../../../../lib/validation.ts'
import type { Route } from '../../../route.ts'
import { withBody } from '../../../vocabulary.ts'

/** A field that must be absent or null. @param reason what a caller can do instead, or why it is not supported. */
export const unsupported = (reason: string) => z.null({ error: `is not supported: ${reason}` }).optional()

/** Returns a route that refuses some fields of its body. */
export function refusing(route: Route, fields: Readonly<Record<string, ReturnType<typeof unsupported>>>): Route {
  const { body } = route
  if (!(body instanceof z.ZodObject)) throw new Error(`${route.name} has no body with fields`)
  const refused = z.looseObject(fields)
  return withBody(route, body.extend(fields), (given) => {
    // Anything else than an object is for the route to refuse.
    if (given instanceof Object) parse(refused, given)
    return given
  })
}
