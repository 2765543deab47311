// The areas of the client that are not part of the gateway.
import { prefix } from './prefix.ts'

/** The name of each area, in the plural, by the beginning of its paths. The first match counts. */
const areas: readonly (readonly [path: RegExp, area: string])[] = [
  [/^\/v[12]\/agents(\/|$)/, 'agents'],
  [/^\/v[12]\/(domains|inbound-webhooks)(\/|$)/, 'domains for incoming mail'],
  [/^\/v[12]\/translations(\/|$)/, 'translations'],
  [/^\/v[12]\/layouts(\/|$)/, 'layouts'],
  [/^\/v[12]\/environment-variables(\/|$)/, 'environment variables'],
  [/^\/v[12]\/environments\/[^/]+\/(diff|publish)$/, 'differences and publication of environments'],
  [/^\/v[12]\/workflows\/[^/]+\/sync$/, 'synchronization of workflows'],
  [
    /^\/v[12]\/integrations\/(chat|channel-connections|channel-endpoints|[^/]+\/auto-configure)/,
    'set-up links of integrations',
  ],
  [/^\/v1\/(web-chat|inbox\/events)(\/|$)/, 'web chat'],
]

/** Returns the area of a path, in the plural, or undefined if it is in none of them. */
export function areaOf(path: string): string | undefined {
  const own = path.slice(prefix.length)
  return areas.find(([pattern]) => pattern.test(own))?.[1]
}
