// The headers that an email step may set.

/** A header of an email. */
export interface EmailHeader {
  readonly name: string
  readonly value: string
}

export const MAX_EMAIL_HEADERS = 20
/** Maximum length of the value of a header, in characters (RFC 5322, section 2.1.1). */
export const MAX_HEADER_VALUE = 998

const headerName = /^[A-Za-z0-9-]{1,76}$/

/** Headers with fields of their own, and headers that mail servers or the gateway set. */
const rejectedNames: ReadonlySet<string> = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'received',
  'return-path',
  'idempotency-key',
])
const rejectedPrefixes = ['content-', 'dkim-', 'arc-', 'resent-', 'list-unsubscribe']

/** The headers of a thread, which `threadKey` sets. */
const threadHeaders: ReadonlySet<string> = new Set(['references', 'in-reply-to'])

/** True for a header that `threadKey` sets. */
export const setsThread = (name: string): boolean => threadHeaders.has(name.toLowerCase())

/** Returns why a header must not be set, as a sentence without its subject. Undefined if it may be set. */
export function objectionToHeader(name: string, hasThread: boolean): string | undefined {
  const lower = name.toLowerCase()
  if (!headerName.test(name)) return 'must be 1 to 76 letters, digits or "-"'
  if (rejectedNames.has(lower) || rejectedPrefixes.some((prefix) => lower.startsWith(prefix))) {
    return 'must not be a header that has a field of its own, or that mail servers or the gateway set'
  }
  return hasThread && setsThread(name) ? 'must not be a header that threadKey sets' : undefined
}
