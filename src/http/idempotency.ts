// Idempotency keys: a repeated request takes effect once and gets the same response.
import { createHash } from 'node:crypto'
import { findAnswer, KEPT_FOR, type StoredAnswer, takeKey, writeAnswer } from '../data/access/idempotency-keys.ts'
import { canWrite } from '../domain/resolver/permission.ts'
import { DoorScope } from '../domain/resolver/door-scope.ts'
import { withRollback } from '../domain/resolver/rollback.ts'
import type { Caller } from '../domain/resolver/caller.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { refuse, Refusal } from '../lib/errors.ts'
import type { AnyResponse, Headed } from './plain-response.ts'

const KEY_HEADER = 'Idempotency-Key'
const REPLAY_HEADER = 'Idempotency-Replay'

/** Methods with idempotency keys. All other methods are idempotent anyway. */
const methods: ReadonlySet<string> = new Set(['POST', 'PATCH'])

/**
 * Statuses below 500 that say nothing about the operation itself: the same request may succeed later or for another
 * caller.
 */
const transient: ReadonlySet<number> = new Set([401, 403, 413, 414, 415, 429])

/** A response as it is stored. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request that a caller may repeat. */
interface Repeatable {
  readonly request: Request
  /** Returns the `fingerprintOf` the request. Called only with a key. */
  readonly fingerprint: () => string
  /** True if the response may contain a secret. */
  readonly secret: boolean
  /**
   * Returns true for a response that means that the caller lacks a right although its status does not say so. Default:
   * never.
   */
  readonly isForbidden?: (answer: Answer) => boolean
}

/**
 * Runs a request. With an idempotency key, it runs only once, and its response commits together with its writes: the
 * same request within `KEPT_FOR` gets the same response with `Idempotency-Replay`, if its caller has the same access. A
 * response with a secret is repeated to the same API key only.
 *
 * With a key, a response with status 400 or more, or that refuses a right, rolls back what `run` wrote. It is stored
 * like a success unless its status is transient or 5xx, or it refuses a right. If `run` throws, everything is rolled
 * back, nothing is stored and the error is rethrown.
 *
 * @param run must use the given scope and no other. Headers that differ between repetitions, such as rate limits,
 *   must be added to the response that this returns, not inside `run`.
 * @throws Refusal `MALFORMED` if the key is invalid, `CONFLICT` while a request with the key is in flight, `INVALID`
 *   if the key was used for another request or with other access.
 */
export async function runIdempotently<Own extends AnyResponse>(
  given: DoorScope,
  { request, fingerprint: identify, secret, isForbidden = () => false }: Repeatable,
  run: (scope: DoorScope) => Promise<Own>,
): Promise<Own | Response> {
  const key = request.headers.get(KEY_HEADER)
  if (key === null || !methods.has(request.method)) return run(given)
  assertWellFormed(key)
  const scope = DoorScope.open(given)
  const name = nameOf(key, scope.caller)
  if (name === undefined) return run(given)
  const isKept = (answer: Answer) => answer.status < 500 && !transient.has(answer.status) && !isForbidden(answer)
  const fingerprint = identify()
  const repeatedFor = rightOf(scope.caller, secret)
  const answer = await withRollback(
    scope,
    async (outer) => {
      if (!(await takeKey(outer, name))) throw inFlight()
      const stored = await readStored(outer, name)
      // Earlier versions also stored responses that refuse a right.
      if (stored !== undefined && isKept(stored)) {
        if (stored.fingerprint !== fingerprint) throw usedForAnother(key)
        // Earlier versions did not store the access. A response without a secret reveals nothing to other callers who
        // can write.
        if (stored.repeatedFor === null ? secret : stored.repeatedFor !== repeatedFor) throw usedByAnother(key)
        const { status, headers, body } = stored
        return { status, headers: { ...headers, [REPLAY_HEADER]: 'true' }, body }
      }
      const first = await withRollback(
        outer,
        async (inner) => answerOf(await run(new DoorScope(inner))),
        ({ status }) => status < 400,
      )
      if (isKept(first)) {
        const body = outer.cipher.encrypt(first.body, outer.environmentId)
        await writeAnswer(outer, name, { ...first, body, fingerprint, repeatedFor }, outer.now())
      }
      return first
    },
    isKept,
  )
  return responseOf(answer)
}

/** True if a request is repeated by its key. */
export const hasIdempotencyKey = ({ headers, method }: Pick<Request, 'headers' | 'method'>): boolean =>
  headers.has(KEY_HEADER) && methods.has(method)

/** Copies the request's key to its response, for every method and outcome. */
export function echoIdempotencyKey(request: Request, response: Headed): void {
  const key = request.headers.get(KEY_HEADER)
  if (key !== null) response.headers.set(KEY_HEADER, key)
}

async function readStored(scope: Scope, name: string): Promise<StoredAnswer | undefined> {
  const { cipher, environmentId, now } = scope
  const found = await findAnswer(scope, name, new Date(now().getTime() - KEPT_FOR))
  return found && { ...found, body: cipher.decrypt(found.body, environmentId) }
}

async function answerOf(response: AnyResponse): Promise<Answer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

function responseOf({ status, headers, body }: Answer): Response {
  // Statuses without a body, such as 204, reject an empty string too.
  return new Response(body === '' ? null : body, { status, headers })
}

function assertWellFormed(key: string): void {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw refuse('MALFORMED', 'idempotency-key must be 1 to 255 printable ASCII characters', 'idempotency-key')
  }
}

/**
 * The name under which a response is stored. All API keys that can write share one name. Each session and all read-only
 * API keys have their own: they must neither see another caller's response nor block a key that a back end will use.
 * Undefined for public and anonymous callers, who can be anybody, and for links and providers, whose requests are
 * idempotent: nothing is stored for them. The operator sends no requests.
 */
function nameOf(key: string, caller: Caller): string | undefined {
  switch (caller.kind) {
    case 'apiKey':
      return caller.access === 'read_only' ? separate(key, ['apiKey', caller.access]) : key
    case 'session':
      return separate(key, [caller.subscriberId, caller.contextKeys])
    case 'dashboard':
      return separate(key, ['dashboard', caller.sessionId])
    case 'link':
    case 'provider':
    case 'public':
    case 'anonymous':
    case 'operator':
      return undefined
  }
}

/** A valid key has no line break, so a separate name never equals a shared one. */
const separate = (key: string, owner: readonly unknown[]) =>
  `${createHash('sha256').update(JSON.stringify(owner)).digest('hex')}\n${key}`

/**
 * The callers that receive a stored response: all callers of the same name and access, or only the API key that
 * received a secret.
 */
function rightOf(caller: Caller, secret: boolean): string {
  if (caller.kind !== 'apiKey') return caller.kind
  return secret ? caller.apiKeyId : caller.access
}

/**
 * Identifies a request. Includes whether the caller can write, because earlier versions expect it.
 *
 * @param body as it was received.
 */
export function fingerprintOf(
  { caller }: Pick<Scope, 'caller'>,
  { method, url }: Pick<Request, 'method' | 'url'>,
  body: string | Uint8Array,
): string {
  const { pathname, search } = new URL(url)
  return createHash('sha256')
    .update(JSON.stringify([method, pathname, search, canWrite(caller.permissions)]))
    .update(body)
    .digest('hex')
}

function inFlight(): Refusal {
  return new Refusal('CONFLICT', 'A request with this idempotency-key is in flight. Try again in a moment.', {
    retryAfter: 1,
  })
}

function usedForAnother(key: string): Refusal {
  return refuse(
    'INVALID',
    'idempotency-key was used for another request in the last 24 hours: send a new request with a new key',
    'idempotency-key',
    key,
  )
}

/** The same request with other access, which must not receive the stored response. */
function usedByAnother(key: string): Refusal {
  return refuse(
    'INVALID',
    'idempotency-key was used with another API key in the last 24 hours: send the request with a new idempotency-key',
    'idempotency-key',
    key,
  )
}
