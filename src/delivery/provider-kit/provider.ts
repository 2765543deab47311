// The interface of a provider: what it needs and where it delivers, and a function that sends a message and returns a
// receipt or throws a DeliveryFailure.
import type { FailureCause } from '../../domain/channel/failure-cause.ts'
import type { ProviderFacts } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import type { Outbound } from '../network/outbound.ts'

/** The provider's response, for the execution log. Short and without secrets. */
export interface Receipt {
  /** The HTTP or SMTP status. Null if there was no response. */
  readonly status: number | null
  readonly answer: string | null
}

export interface FailureDetails extends Partial<Receipt> {
  /** True if a further attempt would fail in the same way. */
  readonly permanent: boolean
  /** The pause that the provider asked for, in seconds. */
  readonly retryAfter?: number | null
  /** Default: found from the status and from whether the failure is permanent. */
  readonly failureCause?: FailureCause | undefined
}

/** Statuses of HTTP and SMTP by which a server rejects credentials. */
const unauthorized: ReadonlySet<number> = new Set([401, 530, 534, 535])

function causeOf({ status, permanent }: FailureDetails): FailureCause {
  if (status != null && unauthorized.has(status)) return 'credentials_rejected'
  return permanent ? 'rejected' : 'unavailable'
}

/** The provider did not accept the message. The error message becomes part of the execution log: no secrets. */
export class DeliveryFailure extends Error implements Receipt {
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

/** A message as providers send it. */
export interface OutgoingMessage extends Message {
  /** The plain text of an HTML email. Null for every other message. */
  readonly plainText: string | null
}

export interface Provider extends ProviderFacts {
  /** Sends one message. @throws DeliveryFailure if it was not accepted. */
  readonly send: (message: OutgoingMessage, outbound: Outbound) => Promise<Receipt>
}
