// Entity tags: the version of an object as `ETag`, and the version that a change expects as `If-Match` (RFC 9110).
import { refuse, Refusal } from '../lib/errors.ts'

export const entityTag = (version: number): string => `"${version}"`

/**
 * Returns the version that a request expects. Undefined for no header and for `*`, which every existing object
 * satisfies.
 *
 * @throws Refusal `STALE` for tags that no version has, such as weak ones; `MALFORMED` for several tags.
 */
export function expectedVersionIn(ifMatch: string | null): number | undefined {
  const given = ifMatch?.trim() ?? '*'
  if (given === '*') return undefined
  const [, version] = /^"([1-9]\d{0,8})"$/.exec(given) ?? []
  if (version !== undefined) return Number(version)
  if (!/^(?:W\/)?"[^"]*"$/.test(given)) {
    throw refuse('MALFORMED', 'If-Match must be * or one entity tag, such as "3"', 'if-match', given)
  }
  throw new Refusal('STALE', `If-Match is no ETag of this API: ${given}`)
}
