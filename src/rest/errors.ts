// Errors at this door: SPEC's error object, its validation error object, and the plain texts.
import type { Logger } from 'pino'
import { z } from 'zod'
import { isUnavailable } from '../data/database-errors.ts'
import { reportFault } from '../http/fault.ts'
import { databaseAway, errorKinds, type Issue, Refusal } from '../lib/errors.ts'

const json = z.unknown()

/** SPEC: Errors, error object. */
export const errorObject = z
  .object({
    statusCode: z.number().meta({ description: 'HTTP status.' }),
    timestamp: z.iso.datetime().meta({ description: 'When it happened.' }),
    path: z.string().meta({ description: 'The path that was asked for.' }),
    message: json.optional().meta({ description: 'What was wrong.' }),
    ctx: z.record(z.string(), z.unknown()).optional().meta({ description: 'More about it, such as a limit.' }),
    errorId: z.string().optional().meta({ description: 'Tracking id, only present for 500.' }),
  })
  .meta({ id: 'ErrorObject', description: 'What went wrong.' })

/** SPEC: Errors, validation error object. */
export const validationErrorObject = errorObject
  .extend({
    errors: z
      .record(z.string(), z.object({ messages: z.array(z.string()), value: json.optional() }))
      .meta({ description: 'By field path: what was wrong, and the offending value.' }),
  })
  .meta({ id: 'ValidationErrorObject', description: 'Which fields were wrong, and why.' })

const TEXT_TYPE = 'text/plain; charset=utf-8'

/**
 * A refusal whose body has more than the error object: the entity that a conflict met, or what came of each row when
 * every row failed. Clients parse it out of the 409 or the 400 (CALLERS: Errors).
 */
export class RefusalWithBody extends Error {
  readonly refusal: Refusal
  readonly body: object

  constructor(refusal: Refusal, body: object) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
    this.body = body
  }
}

function byField(issues: readonly Issue[]) {
  const errors = new Map<string, { messages: string[]; value: unknown }>()
  for (const { path, message, value } of issues) {
    const field = path.join('.')
    const known = errors.get(field)
    if (known) known.messages.push(message)
    else errors.set(field, { messages: [message], value })
  }
  return Object.fromEntries(errors)
}

/** Statuses whose body is a plain text (SPEC: Errors). */
const plain: ReadonlySet<number> = new Set([429, 503])

function answerTo(refusal: Refusal, path: string, now: Date, extra: object = {}): Response {
  const { status } = errorKinds[refusal.kind]
  const headers: Record<string, string> = {}
  if (refusal.retryAfter !== undefined) headers['Retry-After'] = String(refusal.retryAfter)
  if (plain.has(status))
    return new Response(refusal.message, { status, headers: { ...headers, 'Content-Type': TEXT_TYPE } })
  const body = {
    ...extra,
    statusCode: status,
    timestamp: now.toISOString(),
    path,
    message: refusal.message,
    ctx: refusal.ctx,
    ...(status === 422 ? { errors: byField(refusal.issues) } : {}),
  }
  return Response.json(body, { status, headers })
}

/** What a caller is told of whatever was thrown. A fault is logged under an id, and only the id is told. */
export function errorResponse(thrown: unknown, path: string, now: Date, logger: Logger): Response {
  if (thrown instanceof Refusal) return answerTo(thrown, path, now)
  if (thrown instanceof RefusalWithBody) return answerTo(thrown.refusal, path, now, thrown.body)
  if (isUnavailable(thrown)) {
    logger.warn({ err: thrown }, 'the database does not answer')
    return answerTo(databaseAway(), path, now)
  }
  const errorId = reportFault(logger, thrown)
  const status = errorKinds.INTERNAL.status
  return Response.json(
    { statusCode: status, timestamp: now.toISOString(), path, message: 'Something went wrong', errorId },
    { status },
  )
}
