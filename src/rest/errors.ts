// Error responses: the error object, the validation error object and plain text (SPEC: Errors).
import type { Logger } from 'pino'
import { z } from 'zod'
import { ClientLeft, responseToNobody } from '../http/client-left.ts'
import { refusalOfOutage, reportFault } from '../http/fault.ts'
import { type AnyResponse, jsonResponse, PlainResponse } from '../http/plain-response.ts'
import { errorKinds, type Issue, Refusal } from '../lib/errors.ts'
import type { Traced } from '../lib/trace.ts'

const json = z.unknown()

/** SPEC: Errors, error object. */
export const errorObject = z
  .object({
    statusCode: z.number().meta({ description: 'HTTP status.' }),
    timestamp: z.iso.datetime().meta({ description: 'Time of the error.' }),
    path: z.string().meta({ description: 'Path of the request.' }),
    message: json.optional().meta({ description: 'Description of the error.' }),
    ctx: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Additional information, such as the limit that was exceeded.' }),
    errorId: z.string().optional().meta({ description: 'Tracking id. Only present for 500.' }),
  })
  .meta({ id: 'ErrorObject', description: 'An error.' })

/** SPEC: Errors, validation error object. */
export const validationErrorObject = errorObject
  .extend({
    errors: z
      .record(z.string(), z.object({ messages: z.array(z.string()), value: json.optional() }))
      .meta({ description: 'Error messages and the invalid value, by field path.' }),
  })
  .meta({ id: 'ValidationErrorObject', description: 'An error that lists the invalid fields.' })

const TEXT_TYPE = 'text/plain; charset=utf-8'

/**
 * A user error whose body has more fields than the error object: the existing entity of a conflict, or the results of a
 * bulk request in which every item failed. Clients parse these fields from the 409 or 400 response (CALLERS: Errors).
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

/** Statuses with a plain text body (SPEC: Errors). */
const plain: ReadonlySet<number> = new Set([429, 503])

function responseTo(
  refusal: Refusal,
  path: string,
  now: Date,
  isText: (status: number) => boolean,
  extra: object = {},
): PlainResponse {
  const { status } = errorKinds[refusal.kind]
  const headers: Record<string, string> = {}
  if (refusal.retryAfter !== undefined) headers['Retry-After'] = String(refusal.retryAfter)
  if (isText(status)) return new PlainResponse(refusal.message, status, { ...headers, 'Content-Type': TEXT_TYPE })
  const body = {
    ...extra,
    statusCode: status,
    timestamp: now.toISOString(),
    path,
    message: refusal.message,
    ctx: refusal.ctx,
    ...(status === 422 ? { errors: byField(refusal.issues) } : {}),
  }
  return jsonResponse(body, status, headers)
}

interface Reporting {
  readonly logger: Logger
  /** Receives the code of each error. */
  readonly rejected: (code: string) => void
  /** The trace id of the request. */
  readonly trace: Traced
  /** True if all errors are JSON. */
  readonly isJson: boolean
}

/** Returns the response for a thrown value. A fault is logged under an `errorId`; the response contains only that id. */
export function errorResponse(
  thrown: unknown,
  path: string,
  now: Date,
  { logger, rejected, trace, isJson }: Reporting,
): AnyResponse {
  if (thrown instanceof ClientLeft) return responseToNobody(logger)
  const refuse = (refusal: Refusal, extra?: object) => {
    rejected(errorKinds[refusal.kind].code)
    return responseTo(refusal, path, now, (status) => !isJson && plain.has(status), extra)
  }
  if (thrown instanceof Refusal) return refuse(thrown)
  if (thrown instanceof RefusalWithBody) return refuse(thrown.refusal, thrown.body)
  const refusal = refusalOfOutage(logger, thrown, trace)
  if (refusal !== undefined) return refuse(refusal)
  const errorId = reportFault(logger, thrown, trace)
  const { status, code } = errorKinds.INTERNAL
  rejected(code)
  return jsonResponse(
    { statusCode: status, timestamp: now.toISOString(), path, message: 'Something went wrong', errorId },
    status,
  )
}
