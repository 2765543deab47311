// The metrics that all floors report. The implementation is on a higher floor, so that no floor depends on a metrics
// library.

/** The part of the gateway that handles a request. `other` includes the pages and the health checks. */
export type Door = 'graphql' | 'rest' | 'public' | 'other'

/** The transport of a subscription. */
export type Transport = 'sse' | 'multipart' | 'websocket'

/**
 * The outcome of an attempt: the provider accepted the message, another attempt follows, no attempt follows, or none
 * follows because the device is no longer registered.
 */
export type AttemptResultKind = 'accepted' | 'retried' | 'failed' | 'unregistered'

/** The outcome of a message. */
export type MessageEnd = 'sent' | 'failed' | 'unregistered'

/** The outcome of an attempt to send a webhook message: it was accepted, another attempt follows, or none does. */
export type WebhookOutcome = 'succeeded' | 'retried' | 'failed'

/** Why the gateway deactivated a webhook subscription. */
export type WebhookDisabling = 'gone' | 'failing'

/** Where code was evaluated. */
export type EvaluationPlace = 'loop' | 'thread'

/**
 * Where a read that may run on a replica was answered: on the replica, or on the primary because the replica was behind
 * or unavailable. `repeated` counts reads that failed on the replica and were then answered by the primary.
 */
export type ReplicaOutcome = 'replica' | 'behind' | 'away' | 'repeated'

/**
 * Receives events. Every text comes from a closed list, such as the routes or the providers, and never from a caller:
 * each one is a time series. The calls are cheap and never throw.
 */
export interface Metrics {
  /** A request was answered. @param operation a route, a root field, or `unknown`. */
  readonly answered: (door: Door, operation: string, status: number, seconds: number) => void
  /** A caller received an error. @param code as in `errorKinds`, or of a rejected operation. */
  readonly rejected: (door: Door, code: string) => void
  /** Triggers were recorded as events. */
  readonly triggersAccepted: (count: number) => void
  /** An attempt to send a message has ended. */
  readonly attempted: (channel: string, provider: string, result: AttemptResultKind, seconds: number) => void
  /** Messages were sent. @param seconds since the trigger, or since the end of the last delay or digest. */
  readonly messagesSent: (channel: string, seconds: number, count: number) => void
  /** An event has failed. @param reason as in `eventReasons`. */
  readonly eventFailed: (reason: string) => void
  /** Runs have failed. */
  readonly runsFailed: (count: number) => void
  /** Messages have ended. */
  readonly messagesEnded: (channel: string, provider: string, end: MessageEnd, count: number) => void
  /** An attempt to send a webhook message has ended. */
  readonly webhookAttempted: (outcome: WebhookOutcome, seconds: number) => void
  /** A webhook subscription was deactivated. */
  readonly webhookDisabled: (cause: WebhookDisabling) => void
  /** Reports of providers were stored. @param kind as in `reportedKinds`. */
  readonly reportsReceived: (channel: string, provider: string, kind: string, count: number) => void
  /** Reports were about messages that do not exist. */
  readonly reportsUnknown: (provider: string, count: number) => void
  /** Code from callers was evaluated. */
  readonly evaluated: (kind: string, place: EvaluationPlace, seconds: number) => void
  /** A limit stopped code from a caller. */
  readonly evaluationStopped: (kind: string, cause: 'time' | 'memory') => void
  /** The database of a read was chosen. */
  readonly replicaRead: (outcome: ReplicaOutcome) => void
  /** A feed stream was opened. @returns a function that reports its end. */
  readonly streamOpened: (transport: Transport) => () => void
}

/** Discards everything. For a gateway without metrics. */
export const noMetrics: Metrics = {
  answered: () => {},
  rejected: () => {},
  triggersAccepted: () => {},
  attempted: () => {},
  messagesSent: () => {},
  eventFailed: () => {},
  runsFailed: () => {},
  messagesEnded: () => {},
  webhookAttempted: () => {},
  webhookDisabled: () => {},
  reportsReceived: () => {},
  reportsUnknown: () => {},
  evaluated: () => {},
  evaluationStopped: () => {},
  replicaRead: () => {},
  streamOpened: () => () => {},
}
