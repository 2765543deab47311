// The areas of the client that are not part of the gateway.
import { prefix } from './prefix.ts'

interface Area {
  /** The name of the area, in the plural. */
  readonly name: string
  /** The beginning of its paths. */
  readonly paths: RegExp
  /** Why the gateway does not have it, or what a caller can do instead: a sentence for docs/moving.md. */
  readonly reason: string
}

const setUpLinks =
  /^\/v[12]\/integrations\/(chat\/oauth|channel-(connections|endpoints)\/(oauth|link)|[^/]+\/(auto-configure|mobile-link|webhook\/configure))$/

/** The first area whose paths match counts. */
export const areas: readonly Area[] = [
  {
    name: 'agents',
    paths: /^\/v[12]\/agents(\/|$)/,
    reason: 'The gateway sends notifications. It runs no conversations.',
  },
  {
    name: 'domains for incoming mail',
    paths: /^\/v[12]\/domains(\/|$)/,
    reason: 'The gateway receives no email.',
  },
  {
    name: "paths for providers' reports in this vocabulary",
    paths: /^\/v[12]\/inbound-webhooks(\/|$)/,
    reason: 'Each integration has an address for the reports of its provider: see [reports](reports.md).',
  },
  {
    name: 'translations',
    paths: /^\/v[12]\/translations(\/|$)/,
    reason: 'Templates can branch on `subscriber.locale`.',
  },
  { name: 'layouts', paths: /^\/v[12]\/layouts(\/|$)/, reason: 'The body of an email step is the whole email.' },
  {
    name: 'environment variables',
    paths: /^\/v[12]\/environment-variables(\/|$)/,
    reason: 'Templates read the subscriber, the payload and contexts.',
  },
  {
    name: 'differences and publication of environments',
    paths: /^\/v[12]\/environments\/[^/]+\/(diff|publish)$/,
    reason: 'Each environment has workflows of its own. A deployment can write them with `workflows.update`.',
  },
  {
    name: 'synchronization of workflows',
    paths: /^\/v[12]\/workflows\/[^/]+\/sync$/,
    reason: 'Each environment has workflows of its own. A deployment can write them with `workflows.update`.',
  },
  {
    name: 'set-up links of integrations',
    paths: setUpLinks,
    reason: 'Tokens of chat services are given as they are, with endpoints and integrations.',
  },
  {
    name: 'web chat',
    paths: /^\/v1\/(web-chat|inbox\/events)(\/|$)/,
    reason: 'The gateway sends notifications. It runs no conversations.',
  },
]

/** Returns the area of a path, or undefined if it is in none of them. @param path without the prefix. */
export const areaOfPath = (path: string): Area | undefined => areas.find(({ paths }) => paths.test(path))

/** Returns the name of the area of a request's path, in the plural, or undefined if it is in none of them. */
export const areaOf = (path: string): string | undefined => areaOfPath(path.slice(prefix.length))?.name
