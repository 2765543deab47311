// The one closed list of errors, and what each is called at either door.

/**
 * Every way in which the gateway says no, with its HTTP status and its `extensions.code`. `INTERNAL` is never thrown on
 * purpose: it is what a masked fault becomes.
 */
export const errorKinds = {
  /** The request cannot be read: broken JSON, a malformed cursor, two arguments that exclude each other. */
  MALFORMED: { status: 400, code: 'BAD_USER_INPUT' },
  UNAUTHENTICATED: { status: 401, code: 'UNAUTHENTICATED' },
  FORBIDDEN: { status: 403, code: 'FORBIDDEN' },
  /** Also for what exists in another environment. */
  NOT_FOUND: { status: 404, code: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  /** The caller takes no media type that we answer in. */
  NOT_ACCEPTABLE: { status: 406, code: 'NOT_ACCEPTABLE' },
  CONFLICT: { status: 409, code: 'CONFLICT' },
  PAYLOAD_TOO_LARGE: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  URI_TOO_LONG: { status: 414, code: 'URI_TOO_LONG' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  /** A field was read and its value is not allowed. */
  INVALID: { status: 422, code: 'BAD_USER_INPUT' },
  RATE_LIMITED: { status: 429, code: 'RATE_LIMITED' },
  INTERNAL: { status: 500, code: 'INTERNAL_SERVER_ERROR' },
  /** Starting, stopping, or the database does not answer. */
  UNAVAILABLE: { status: 503, code: 'SERVICE_UNAVAILABLE' },
} as const satisfies Record<string, { status: number; code: string }>

export type ErrorKind = keyof typeof errorKinds

/** One field that was refused, and why: a whole sentence that names the field and what is allowed. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The offending value, where it helps to show it. */
  readonly value?: unknown
}

export interface RefusalDetails {
  readonly issues?: readonly Issue[]
  /** Numbers and names that a program may want, such as a limit and the count that passed it. */
  readonly ctx?: Readonly<Record<string, unknown>>
  /** Seconds after which the same request may succeed. */
  readonly retryAfter?: number
}

/** An error that the caller may see as it stands. Anything else that is thrown is a fault, and masked. */
export class Refusal extends Error {
  readonly kind: ErrorKind
  readonly issues: readonly Issue[]
  readonly ctx: Readonly<Record<string, unknown>> | undefined
  readonly retryAfter: number | undefined

  constructor(kind: ErrorKind, message: string, details: RefusalDetails = {}) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.issues = details.issues ?? []
    this.ctx = details.ctx
    this.retryAfter = details.retryAfter
  }
}

/** A refusal of one field of the input. `field` is its path, as `to.email` or `['to', 'email']`. */
export function refuse(
  kind: ErrorKind,
  message: string,
  field?: string | readonly (string | number)[],
  value?: unknown,
): Refusal {
  if (field === undefined) return new Refusal(kind, message)
  const path = typeof field === 'string' ? field.split('.') : field
  return new Refusal(kind, message, { issues: [{ path, message, value }] })
}

/** The refusal of whatever needs the database while it does not answer. */
export function databaseAway(): Refusal {
  return new Refusal('UNAVAILABLE', 'The database does not answer. Try again in a moment.', { retryAfter: 5 })
}
