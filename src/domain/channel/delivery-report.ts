// What providers report about messages that they accepted, and the requests in which they do.
import type { InboundText } from './inbound-text.ts'

/** What happened to a message. Opens and clicks are recognized and not stored. */
export const reportedKinds = [
  'accepted',
  'deferred',
  'delivered',
  'bounced_hard',
  'bounced_soft',
  'dropped',
  'complained',
  'unsubscribed',
  'opened',
  'clicked',
] as const
export type ReportedKind = (typeof reportedKinds)[number]

/** A report about a message to one address. */
export interface MessageReport {
  /** The id that the gateway sent with the message. Absent if the provider does not return it. */
  readonly deliveryId?: string | undefined
  /** The provider's id of the message. Used if `deliveryId` is absent. */
  readonly providerMessageId?: string | undefined
  /** The address that the report is about. Absent if the provider does not say which one of several. */
  readonly address?: string | undefined
  readonly kind: ReportedKind
  /** When it happened. */
  readonly at: Date
  /** The provider's id of the report, or what tells it from others about the message. Has no personal data. */
  readonly key: string
  /** What the provider says. May contain addresses. */
  readonly detail?: string | undefined
  readonly code?: string | undefined
  /** Why further messages to the address would fail too, if the kind does not say it. */
  readonly cause?: 'invalid_address' | 'suppressed_by_provider' | undefined
}

/** A request of a provider, as it arrived. */
export interface ReportRequest {
  /** The URL at which the provider called the gateway, and others that it may have signed instead. */
  readonly urls: readonly string[]
  /** The value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
  readonly body: Buffer
  readonly now: Date
  /** True if the URL or the basic authentication has the token of the integration. */
  readonly hasToken: boolean
}

/** What a verified request contains. */
export interface ReceivedReports {
  readonly reports: readonly MessageReport[]
  /** The text messages that persons sent. Absent if there are none. */
  readonly texts?: readonly InboundText[] | undefined
  /** A token that may be used only once, because its signature covers nothing else. Absent if the signature covers the body. */
  readonly once?: { readonly token: string; readonly until: Date } | undefined
}

/** How an integration proves its reports: with a key of its settings, a token in its URL, or the secret of its account. */
export type ReportProof = 'signing_key' | 'token' | 'account'

/** What a provider that reports needs. */
export interface ReportFacts {
  readonly proof: ReportProof
  /** The setting without which no report can be verified. Null for a token. */
  readonly setting: string | null
}
