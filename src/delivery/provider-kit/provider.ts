// The interface of a provider: what it needs and where it delivers, and a function that sends a message and returns a
// receipt or throws a DeliveryFailure.
import type { FailureCause } from '../../domain/channel/failure-cause.ts'
import type { ProviderDirectory, ProviderFacts } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import type { Outbound } from '../network/outbound.ts'
import type { ReportReceiver } from './report.ts'

/** The provider's response, for the execution log. Short and without secrets. */
export interface Receipt {
  /** The HTTP or SMTP status. Null if there was no response. */
  readonly status: number | null
  readonly answer: string | null
  /** The provider's id of a report that it makes later. Absent if it makes none. */
  readonly ticket?: string | undefined
  /** The provider's id of the accepted message. Absent if it gives none. */
  readonly providerMessageId?: string | undefined
}

export interface FailureDetails extends Partial<Omit<Receipt, 'ticket' | 'providerMessageId'>> {
  /** True if a further attempt would fail in the same way. */
  readonly permanent: boolean
  /** The pause that the provider asked for, in seconds. */
  readonly retryAfter?: number | null
  /** Default: found from the status and from whether the failure is permanent. */
  readonly failureCause?: FailureCause | undefined
}

/** Statuses of HTTP and SMTP by which a server rejects credentials. */
const unauthorized: ReadonlySet<number> = new Set([401, 530, 534, 535])

/** Statuses of HTTP by which a server does not let an account send. */
const restricted: ReadonlySet<number> = new Set([402, 403])

function causeOf({ status, permanent }: FailureDetails): FailureCause {
  if (status != null && unauthorized.has(status)) return 'credentials_rejected'
  if (status != null && restricted.has(status)) return 'account_restricted'
  return permanent ? 'rejected' : 'unavailable'
}

/** The provider did not accept the message. The error message becomes part of the execution log: no secrets. */
export class DeliveryFailure extends Error implements Omit<Receipt, 'ticket' | 'providerMessageId'> {
  readonly permanent: boolean
  readonly status: number | null
  readonly answer: string | null
  readonly retryAfter: number | null
  readonly failureCause: FailureCause

  constructor(message: string, details: FailureDetails) {
    const { permanent, status = null, answer = null, retryAfter = null } = details
    super(message)
    this.name = 'DeliveryFailure'
    this.permanent = permanent
    this.status = status
    this.answer = answer
    this.retryAfter = retryAfter
    this.failureCause = details.failureCause ?? causeOf(details)
  }
}

/** The provider did not accept the access token. A new one may be accepted. */
export class RejectedToken extends DeliveryFailure {
  constructor(message: string, details: Omit<FailureDetails, 'permanent' | 'failureCause'>) {
    super(message, { ...details, permanent: true, failureCause: 'credentials_rejected' })
    this.name = 'RejectedToken'
  }
}

/** A message as providers send it. */
export interface OutgoingMessage extends Message {
  /** The plain text that was created from an HTML email. Null for every other message. */
  readonly plainText: string | null
}

export interface Provider extends ProviderFacts {
  /** Sends one message. @throws DeliveryFailure if it was not accepted. */
  readonly send: (message: OutgoingMessage, outbound: Outbound) => Promise<Receipt>
  /** Reads what the provider reports about accepted messages. Absent if it reports nothing. */
  readonly readReports?: ReadReports | undefined
  /** Reads the requests in which the provider reports. Absent if it sends none. */
  readonly receiver?: ReportReceiver | undefined
}

/**
 * Reads the reports of messages, by their tickets.
 *
 * @param integration its credentials are those that are stored. @returns the available reports.
 * @throws DeliveryFailure or Unreachable, without secrets, if the provider does not answer.
 */
export type ReadReports = (
  integration: Parameters<ProviderDirectory['readReports']>[0],
  tickets: readonly string[],
  outbound: Outbound,
) => ReturnType<ProviderDirectory['readReports']>
