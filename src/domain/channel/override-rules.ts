// What an override may add to the request of a provider: anything except the recipient, the host and the authentication.
import { isJsonObject } from './json-merge.ts'
import type { Issue, Path } from '../../lib/errors.ts'
import type { Json, JsonObject } from '../../lib/validation.ts'
import type { ProviderChannel } from './channel.ts'
import { kindOf, type ProviderId, providerIds } from './provider-id.ts'
import { reservedFields } from './reserved-fields.ts'
import { isReserved, objectionToRequestHeader } from './webhook-headers.ts'

/** The name in an override of a provider for what is merged after the provider's own code. */
export const PASSTHROUGH = '_passthrough'

const passthroughParts = ['body', 'headers', 'query'] as const

/** Headers and parameters by which providers recognize an account, without separators. */
const authentication: ReadonlySet<string> = new Set([
  ...['authorization', 'cookie', 'apikey', 'xapikey', 'xauthtoken', 'authtoken', 'accesstoken', 'xaccesstoken'],
  ...['apisecret', 'xapisecret', 'xpostmarkservertoken', 'xpostmarkaccounttoken', 'xroutingkey'],
])

const isAuthentication = (name: string) => authentication.has(name.toLowerCase().replaceAll(/[-_]/g, ''))

/** Yields the paths of a reserved field in a value. Names are compared without case, as some providers do. */
function* pathsTo([name = '', ...rest]: readonly string[], value: JsonObject, at: Path): Generator<Path> {
  for (const [key, inside] of Object.entries(value)) {
    if (key.toLowerCase() !== name.toLowerCase()) continue
    if (rest.length === 0) yield [...at, key]
    else if (isJsonObject(inside)) yield* pathsTo(rest, inside, [...at, key])
  }
}

const mustNotBeSet = (path: Path): Issue => ({
  path,
  message: 'must not be set by an override: it is the recipient or the authentication of the request',
})

function* objectionsToBody(fields: readonly string[], body: JsonObject, at: Path): Generator<Issue> {
  for (const field of fields) {
    for (const path of pathsTo(field.split('.'), body, at)) yield mustNotBeSet(path)
  }
}

function* objectionsToHeaders(headers: JsonObject, at: Path): Generator<Issue> {
  const names = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const path = [...at, name]
    const lower = name.toLowerCase()
    if (isReserved(name)) yield { path, message: 'must not be a header that the gateway sets itself' }
    else if (isAuthentication(name)) yield mustNotBeSet(path)
    else if (names.has(lower)) yield { path, message: 'must be one header only, in any case' }
    else if (typeof value !== 'string') yield { path, message: 'must be a string' }
    else {
      const message = objectionToRequestHeader(name, value)
      if (message !== undefined) yield { path, message }
    }
    names.add(lower)
  }
}

function* objectionsToQuery(fields: readonly string[], query: JsonObject, at: Path): Generator<Issue> {
  yield* objectionsToBody(fields, query, at)
  for (const [name, value] of Object.entries(query)) {
    const path = [...at, name]
    if (isAuthentication(name)) yield mustNotBeSet(path)
    else if (typeof value === 'object') yield { path, message: 'must be a string, a number or a boolean' }
  }
}

function* objectionsToPassthrough(fields: readonly string[], given: Json, at: Path): Generator<Issue> {
  if (!isJsonObject(given)) {
    yield { path: at, message: 'must be an object' }
    return
  }
  for (const [name, part] of Object.entries(given)) {
    const path = [...at, name]
    if (!passthroughParts.some((known) => known === name)) {
      yield { path, message: `is unknown; allowed fields: ${passthroughParts.join(', ')}` }
    } else if (!isJsonObject(part)) yield { path, message: 'must be an object' }
    else if (name === 'body') yield* objectionsToBody(fields, part, path)
    else if (name === 'headers') yield* objectionsToHeaders(part, path)
    else yield* objectionsToQuery(fields, part, path)
  }
}

const listHeader = /^(?:h:)?list-unsubscribe(?:-post)?$/i

/**
 * Yields the paths of headers that unsubscribe, as a name or as the name in a list, however the provider writes them: a
 * message must have exactly one of each.
 */
function* pathsToListHeaders(value: Json, at: Path): Generator<Path> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsToListHeaders(item, [...at, index])
  } else if (isJsonObject(value)) {
    for (const [name, inside] of Object.entries(value)) {
      const isName = /^(?:name|key)$/i.test(name) && typeof inside === 'string' && listHeader.test(inside.trim())
      if (isName || listHeader.test(name.trim())) yield [...at, name]
      else yield* pathsToListHeaders(inside, [...at, name])
    }
  }
}

function* objectionsTo(fields: readonly string[], given: JsonObject, at: Path): Generator<Issue> {
  const { [PASSTHROUGH]: passthrough, ...others } = given
  yield* objectionsToBody(fields, others, at)
  for (const path of pathsToListHeaders(given, at)) {
    yield { path, message: 'must not be a header that unsubscribes: the gateway sets it itself' }
  }
  if (passthrough !== undefined) yield* objectionsToPassthrough(fields, passthrough, [...at, PASSTHROUGH])
}

/** Yields what is wrong with an override of a provider's request. */
export const objectionsToRequest = (providerId: ProviderId, given: JsonObject, at: Path): Generator<Issue> =>
  objectionsTo(reservedFields[providerId], given, at)

const fieldsOfChannel = (channel: ProviderChannel): readonly string[] => [
  ...new Set(providerIds.filter((id) => kindOf(id) === channel).flatMap((id): readonly string[] => reservedFields[id])),
]

/** Yields what is wrong with an override of the requests of all providers of a channel. */
export const objectionsToRequests = (channel: ProviderChannel, given: JsonObject, at: Path): Generator<Issue> =>
  objectionsTo(fieldsOfChannel(channel), given, at)
