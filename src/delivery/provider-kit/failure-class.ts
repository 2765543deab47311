// The classes of failed attempts. A provider file classifies the responses for which the HTTP status is not enough.
import type { FailureCause } from '../../domain/channel/failure-cause.ts'

/** What a class means for the message. */
interface ClassFacts {
  /** True if a further attempt would fail in the same way. */
  readonly permanent: boolean
  readonly cause: FailureCause
}

/** Every class, by what has to change before the message can be sent. */
export const failureClasses = {
  /** The destination: it does not exist, or does not want messages. */
  recipient: { permanent: true, cause: 'rejected' },
  /** The destination: it is on the provider's own list of suppressions, so that the gateway suppresses it too. */
  suppressed: { permanent: true, cause: 'suppressed' },
  /** The device: it is no longer registered, so that its token can be removed. */
  unregistered: { permanent: true, cause: 'device_unregistered' },
  /** The content: it is too long, for example. */
  content: { permanent: true, cause: 'rejected' },
  /** The credentials of the integration. */
  credentials: { permanent: true, cause: 'credentials_rejected' },
  /** The account at the provider: it has no credit, or may not use the sender. */
  account: { permanent: true, cause: 'account_restricted' },
  /** The provider: it is overloaded or out of order, and did not accept the message. */
  unavailable: { permanent: false, cause: 'unavailable' },
  /** Nobody knows: the provider has the request and did not respond. It may have accepted the message. */
  unknown: { permanent: false, cause: 'unconfirmed' },
} as const satisfies Record<string, ClassFacts>

export type FailureClass = keyof typeof failureClasses

/** A response of a provider, as its file classifies it. */
export interface ProviderAnswer {
  readonly status: number
  /** The parsed body. Undefined if it is not JSON, or larger than the outbound reads. */
  readonly json: unknown
  /** The body, or its beginning. */
  readonly text: string
  /** By their names in lower case. */
  readonly headers: Readonly<Partial<Record<string, string>>>
}

/** The verdict of a provider file on a response that did not accept the message. */
export interface Verdict {
  /** `renew` if the access token was not accepted: the attempt is repeated once with a new one. */
  readonly class: FailureClass | 'renew'
  /** The code or the text of the provider, for the execution log. */
  readonly reason: string
  /** True if the body is right even with a status of 500 or more, which others also send in an incident. */
  readonly isCertain?: boolean
  /** The pause before the next attempt, in seconds. Default: that of `Retry-After`. */
  readonly retryAfter?: number | undefined
}

/** Classifies a response. Returns undefined if the status decides. */
export type Classify = (answer: ProviderAnswer) => Verdict | undefined
