// Idempotency: a request that comes again under the same key has one effect and gets one answer.
import { createHash } from 'node:crypto'
import { findAnswer, takeKey, writeAnswer } from '../data/idempotency-keys.ts'
import type { Caller, Scope } from '../domain/scope.ts'
import { refuse, Refusal } from '../lib/errors.ts'

/** How long an answer is kept, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000

const KEY_HEADER = 'Idempotency-Key'
const REPLAY_HEADER = 'Idempotency-Replay'

/** Methods that a key applies to. The others may be repeated as they are. */
const methods: ReadonlySet<string> = new Set(['POST', 'PATCH'])

/** Statuses below 500 that are no word on the act itself: the same request may fare better next time. */
const passing: ReadonlySet<number> = new Set([401, 413, 414, 415, 429])

const isKept = (status: number): boolean => status < 500 && !passing.has(status)

/** A response as it is kept. */
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Answers a request, and one with an idempotency key only once: its answer commits together with its effect. The same
 * request again, within `KEPT_FOR`, gets the same answer with `Idempotency-Replay`.
 *
 * With a key, an answer of status 400 or more undoes what `run` wrote, and is kept like a success unless its status is
 * passing or a fault. What `run` throws undoes everything, is not kept, and is thrown on.
 *
 * @param body of the request, as it was read.
 * @param run must use the scope that it is given and no other. Headers that change from one request to the next, such
 *   as those of rate limits, are added to what this returns.
 * @throws Refusal `MALFORMED` for a key that is none, `CONFLICT` while the key is in flight, `INVALID` when it was used
 *   for another request.
 */
export async function runIdempotently(
  scope: Scope,
  request: Request,
  body: string | Uint8Array,
  run: (scope: Scope) => Promise<Response>,
): Promise<Response> {
  const key = request.headers.get(KEY_HEADER)
  if (key === null || !methods.has(request.method)) return run(scope)
  assertWellFormed(key)
  const name = nameOf(key, scope.caller)
  if (name === undefined) return run(scope)
  const fingerprint = fingerprintOf(scope, request, body)
  const answer = await transactionUnless(
    ({ status }) => !isKept(status),
    scope,
    async (outer) => {
      if (!(await takeKey(outer, name))) throw inFlight()
      const { cipher, environmentId, now } = outer
      const kept = await findAnswer(outer, name, new Date(now().getTime() - KEPT_FOR))
      if (kept !== undefined) {
        if (kept.fingerprint !== fingerprint) throw usedOtherwise(key)
        const { status, headers, body } = kept
        return { status, headers: { ...headers, [REPLAY_HEADER]: 'true' }, body: cipher.decrypt(body, environmentId) }
      }
      const first = await transactionUnless(
        ({ status }) => status >= 400,
        outer,
        async (inner) => answerOf(await run(inner)),
      )
      if (isKept(first.status)) {
        await writeAnswer(
          outer,
          name,
          { ...first, body: cipher.encrypt(first.body, environmentId), fingerprint },
          now(),
        )
      }
      return first
    },
  )
  return responseOf(answer)
}

/** Tells the caller which key its request carried: in every answer, whatever came of it and whatever the method. */
export function echoIdempotencyKey(request: Request, response: Response): void {
  const key = request.headers.get(KEY_HEADER)
  if (key !== null) response.headers.set(KEY_HEADER, key)
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

function responseOf({ status, headers, body }: Answer): Response {
  // A status that allows no body does not take an empty one either.
  return new Response(body === '' ? null : body, { status, headers })
}

/** Carries an answer out of a transaction that it undoes. */
class Undone extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('undone because of its answer')
    this.answer = answer
  }
}

async function transactionUnless(
  undoes: (answer: Answer) => boolean,
  scope: Scope,
  work: (scope: Scope) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await scope.transaction(async (inner) => {
      const answer = await work(inner)
      if (undoes(answer)) throw new Undone(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Undone) return error.answer
    throw error
  }
}

function assertWellFormed(key: string): void {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw refuse('MALFORMED', 'idempotency-key must be 1 to 255 printable ASCII characters', 'idempotency-key')
  }
}

/**
 * What an answer is kept under, which no other caller's is: a session must neither be told what somebody else was
 * answered, nor take a key that a back end is going to use. Undefined for whoever only names an environment, because
 * that can be anybody: nothing is kept for them, and what they may do has no second effect.
 */
function nameOf(key: string, caller: Caller): string | undefined {
  switch (caller.kind) {
    case 'apiKey':
      return key
    case 'session': {
      const whose = JSON.stringify([caller.subscriberId, caller.contextKeys])
      // A well-formed key has no line break, and so is no name of this form.
      return `${createHash('sha256').update(whose).digest('hex')}\n${key}`
    }
    case 'public':
      return undefined
  }
}

/** Whether the caller may write is part of it: an API key that only reads is not shown the answer to a write. */
function fingerprintOf({ caller }: Scope, { method, url }: Request, body: string | Uint8Array): string {
  const { pathname, search } = new URL(url)
  const mayWrite = [...caller.permissions].some((permission) => permission.endsWith(':write'))
  return createHash('sha256')
    .update(JSON.stringify([method, pathname, search, mayWrite]))
    .update(body)
    .digest('hex')
}

function inFlight(): Refusal {
  return new Refusal('CONFLICT', 'A request with this idempotency-key is in flight. Try again in a moment.', {
    retryAfter: 1,
  })
}

function usedOtherwise(key: string): Refusal {
  return refuse(
    'INVALID',
    'idempotency-key was used for another request in the last 24 hours: a new request takes a new key',
    'idempotency-key',
    key,
  )
}
