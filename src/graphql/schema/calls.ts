// Names the resolver of a field. Only the helpers in this folder may import this, because they also call it.
import type { AnyResolver } from './resolver-extension.ts'

/** Field options that contain the resolver of the field's call. */
export function calls({ resolver }: { readonly resolver: AnyResolver }) {
  return { extensions: { resolver } }
}
