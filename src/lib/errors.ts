// The closed list of errors, with their HTTP status and GraphQL code.
import { shorten } from './shorten.ts'

/**
 * Every kind of error, with its HTTP status and its `extensions.code`. `INTERNAL` is never thrown: it stands for a masked
 * fault.
 */
export const errorKinds = {
  /** The request cannot be read: invalid JSON, an invalid cursor, two mutually exclusive arguments. */
  MALFORMED: { status: 400, code: 'BAD_USER_INPUT' },
  UNAUTHENTICATED: { status: 401, code: 'UNAUTHENTICATED' },
  FORBIDDEN: { status: 403, code: 'FORBIDDEN' },
  /** Also for rows of another environment. */
  NOT_FOUND: { status: 404, code: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  /** The caller accepts none of the supported media types. */
  NOT_ACCEPTABLE: { status: 406, code: 'NOT_ACCEPTABLE' },
  /** The body of the request did not arrive in time. */
  REQUEST_TIMEOUT: { status: 408, code: 'REQUEST_TIMEOUT' },
  CONFLICT: { status: 409, code: 'CONFLICT' },
  /** The object has another version than the caller expects. */
  STALE: { status: 412, code: 'CONFLICT' },
  PAYLOAD_TOO_LARGE: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  URI_TOO_LONG: { status: 414, code: 'URI_TOO_LONG' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  /** A field has an invalid value. */
  INVALID: { status: 422, code: 'BAD_USER_INPUT' },
  RATE_LIMITED: { status: 429, code: 'RATE_LIMITED' },
  /** The environment or the process has as many open streams as it may have. */
  TOO_MANY_STREAMS: { status: 429, code: 'TOO_MANY_STREAMS' },
  INTERNAL: { status: 500, code: 'INTERNAL_SERVER_ERROR' },
  /** The gateway is starting or stopping, or the database does not respond or accepts no writes. */
  UNAVAILABLE: { status: 503, code: 'SERVICE_UNAVAILABLE' },
} as const satisfies Record<string, { status: number; code: string }>

export type ErrorKind = keyof typeof errorKinds

/** Keys and list positions that lead to a field. */
export type Path = readonly (string | number)[]

/** What is wrong with a field, if the kind of the error does not say it. */
export const issueReasons = [
  'required',
  'unknown_field',
  'too_long',
  'too_short',
  'too_many',
  'too_few',
  'out_of_range',
  'taken',
] as const
export type IssueReason = (typeof issueReasons)[number]

/** One invalid field. The message names the field and what is allowed. */
export interface Issue {
  readonly path: Path
  readonly message: string
  /** The invalid value, if it is useful to show. */
  readonly value?: unknown
  readonly reason?: IssueReason | undefined
  /**
   * The position of the error in a text: line and column, both starting at 1. Absent if the error concerns the whole
   * value.
   */
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/**
 * Maximum characters of an error message, and maximum size of an error's issues in bytes of JSON. They keep an error
 * response below 20 KB, whatever the caller sent.
 */
const MAX_MESSAGE = 900
const MAX_ISSUES_SIZE = 6_000

/** An issue with a long path, for example of long keys, only has the first part of the path. */
function boundedIssue({ path, message, ...others }: Issue): Issue {
  const isLong = JSON.stringify(path).length > MAX_MESSAGE
  return {
    path: isLong ? path.slice(0, 5).map((key) => (typeof key === 'string' ? shorten(key, 100) : key)) : path,
    message: shorten(message, MAX_MESSAGE),
    ...others,
  }
}

/** The first issues, and an issue with the number of omitted ones. */
function boundedIssues(issues: readonly Issue[], omitted: number): readonly Issue[] {
  const shown: Issue[] = []
  let size = 0
  for (const issue of issues.map(boundedIssue)) {
    size += Buffer.byteLength(JSON.stringify(issue))
    if (size > MAX_ISSUES_SIZE && shown.length > 0) break
    shown.push(issue)
  }
  const missing = omitted + issues.length - shown.length
  return missing === 0 ? shown : [...shown, { path: [], message: `and ${missing} more invalid values` }]
}

interface RefusalDetails {
  /** The first issues. Others are omitted. */
  readonly issues?: readonly Issue[]
  /** The number of issues that are not in `issues`. */
  readonly omitted?: number
  /** Machine-readable values, such as a limit and the count that exceeds it. */
  readonly ctx?: Readonly<Record<string, unknown>>
  /** Seconds until the same request may succeed. */
  readonly retryAfter?: number
}

/** An error that the caller may see. Any other error is a fault and is masked. */
export class Refusal extends Error {
  readonly kind: ErrorKind
  readonly issues: readonly Issue[]
  readonly ctx: Readonly<Record<string, unknown>> | undefined
  readonly retryAfter: number | undefined

  constructor(kind: ErrorKind, message: string, details: RefusalDetails = {}) {
    super(shorten(message, MAX_MESSAGE))
    this.name = 'Refusal'
    this.kind = kind
    this.issues = boundedIssues(details.issues ?? [], details.omitted ?? 0)
    this.ctx = details.ctx
    this.retryAfter = details.retryAfter
  }
}

/** Returns the refusal of one input field. `field` is its path, such as `to.email` or `['to', 'email']`. */
export function refuse(kind: ErrorKind, message: string, field?: string | Path, value?: unknown): Refusal {
  if (field === undefined) return new Refusal(kind, message)
  const path = typeof field === 'string' ? field.split('.') : field
  return new Refusal(kind, message, { issues: [{ path, message, value }] })
}

/** Returns the refusal of a name that another object has. */
export function refuseTaken(message: string, field: string, value: string): Refusal {
  return new Refusal('CONFLICT', message, { issues: [{ path: [field], message, value, reason: 'taken' }] })
}

/** Returns the refusal for a database that does not respond. */
export function databaseAway(): Refusal {
  return new Refusal('UNAVAILABLE', 'The database does not answer. Try again in a moment.', { retryAfter: 5 })
}

/** Returns the refusal of a write to a read-only database. */
export function databaseReadOnly(): Refusal {
  return new Refusal('UNAVAILABLE', 'The database accepts no writes now. Try again in a moment.', { retryAfter: 5 })
}
