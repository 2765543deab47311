// Names the resolver of a field. Only the helpers of this folder import this: they also call it.
import type { AnyResolver } from './resolver-extension.ts'

/** Field options with the resolver. */
export function calls(resolver: AnyResolver) {
  return { extensions: { resolver } }
}
