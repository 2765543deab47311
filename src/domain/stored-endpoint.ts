// Stored endpoints: validates an endpoint, encrypts its secret fields, and decrypts them again.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ChannelEndpoint as Row } from '../data/prisma/client.ts'
import type { EndpointType } from '../data/prisma/enums.ts'
import { type JsonObject, parse } from '../lib/validation.ts'
import { decryptOf } from './resolver/decrypt.ts'
import { type Endpoint, endpointSchemas, endpointTypes, normalizeUrl } from './channel/endpoint-type.ts'
import { DoorScope } from './resolver/door-scope.ts'
import type { Scope } from './resolver/scope.ts'

/** An endpoint as stored. */
interface StoredEndpoint {
  readonly endpoint: JsonObject
  /** The secret fields, encrypted. Null if the type has none. */
  readonly secret: string | null
  /** The hash of the unique URL. Null if the type allows duplicates. */
  readonly fingerprint: string | null
}

/**
 * Validates an endpoint and encrypts its secret fields.
 *
 * @throws Refusal `INVALID` with the invalid fields below `endpoint`, without their values.
 */
export function sealEndpoint(
  scope: Pick<Scope, 'cipher' | 'environmentId'>,
  type: EndpointType,
  given: unknown,
): StoredEndpoint {
  const { endpoint } = parse(z.object({ endpoint: endpointSchemas[type] }), { endpoint: given })
  return storedEndpoint(scope, type, endpoint)
}

/** Encrypts the secret fields of a valid endpoint. */
export function storedEndpoint(
  { cipher, environmentId }: Pick<Scope, 'cipher' | 'environmentId'>,
  type: EndpointType,
  endpoint: Readonly<Record<string, JsonObject[string] | undefined>>,
): StoredEndpoint {
  const { fields, unique } = endpointTypes[type]
  const open: JsonObject = {}
  const hidden: JsonObject = {}
  for (const [name, value] of Object.entries(endpoint)) {
    if (value !== undefined) (fields[name]?.secret ? hidden : open)[name] = value
  }
  const hasSecrets = Object.values(fields).some(({ secret }) => secret)
  const once = unique === undefined ? undefined : endpoint[unique]
  return {
    endpoint: open,
    secret: hasSecrets ? cipher.encrypt(JSON.stringify(hidden), environmentId) : null,
    fingerprint: typeof once === 'string' ? fingerprintOf(environmentId, once) : null,
  }
}

/**
 * The same for different spellings of a URL, and different in each environment. Not keyed, because a key of the ring
 * may be replaced and the hash of a URL must stay the same. A URL that is a secret has a part that cannot be guessed.
 */
function fingerprintOf(environmentId: string, url: string): string {
  return createHash('sha256')
    .update(`${environmentId}\n${normalizeUrl(url)}`)
    .digest('hex')
}

type Decrypting = Pick<Scope, 'cipher' | 'environmentId'>
type StoredRow = Pick<Row, 'identifier' | 'type' | 'endpoint' | 'secret'>

/** Decrypts the fields of a stored endpoint. @throws DecryptionError that names the channel endpoint. */
export function openFields(
  scope: Decrypting | DoorScope,
  { identifier, endpoint, secret }: Omit<StoredRow, 'type'>,
): JsonObject {
  const { cipher, environmentId } = scope instanceof DoorScope ? DoorScope.open(scope) : scope
  // Only sealEndpoint writes the two columns, after validation against the type's schema.
  const open = endpoint as JsonObject
  if (secret === null) return open
  const hidden: unknown = JSON.parse(decryptOf(`channel endpoint "${identifier}"`, { cipher, environmentId }, secret))
  return Object.assign({}, open, hidden)
}

/** Decrypts a stored endpoint. @throws DecryptionError that names the channel endpoint. */
export function openEndpoint(scope: Decrypting | DoorScope, row: StoredRow): Endpoint {
  return Object.assign({ type: row.type }, openFields(scope, row)) as Endpoint
}
