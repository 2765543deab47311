// What every floor reports to the metrics. The implementation is above, so that no floor depends on a metrics library.

/** The part of the gateway that answers a request. `other` has the pages and the health checks. */
export type Door = 'graphql' | 'rest' | 'other'

/** How a subscription is carried. */
export type Transport = 'sse' | 'multipart' | 'websocket'

/** The outcome of an attempt: the provider accepted the message, another attempt follows, or no attempt follows. */
export type AttemptResultKind = 'accepted' | 'retried' | 'failed'

/** How a message ended. */
export type MessageEnd = 'sent' | 'failed'

/** The place of an evaluation. */
export type EvaluationPlace = 'loop' | 'thread'

/**
 * Where a read that may go to a replica was answered: there, or by the primary because the replica was behind or away.
 * `repeated` counts reads that failed on the replica and that the primary answered then.
 */
export type ReplicaOutcome = 'replica' | 'behind' | 'away' | 'repeated'

/**
 * Receives what happens. Every text comes from a closed list, such as the routes or the providers, and never from a
 * caller: each one is a time series. The calls are cheap, and never throw.
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
  /** Code from callers ran. */
  readonly evaluated: (kind: string, place: EvaluationPlace, seconds: number) => void
  /** A limit stopped code from a caller. */
  readonly evaluationStopped: (kind: string, cause: 'time' | 'memory') => void
  /** A read chose its database. */
  readonly replicaRead: (outcome: ReplicaOutcome) => void
  /** A feed stream was opened. @returns reports its end. */
  readonly streamOpened: (transport: Transport) => () => void
}

/** Forgets everything. For a gateway without metrics. */
export const noMetrics: Metrics = {
  answered: () => {},
  rejected: () => {},
  triggersAccepted: () => {},
  attempted: () => {},
  messagesSent: () => {},
  eventFailed: () => {},
  runsFailed: () => {},
  messagesEnded: () => {},
  evaluated: () => {},
  evaluationStopped: () => {},
  replicaRead: () => {},
  streamOpened: () => () => {},
}
