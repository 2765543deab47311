// What a failed attempt means for the integrations of a message: whether the next one is tried, and whether the failure
// counts for the circuit of the integration.
import type { RouteReason } from '../../data/queue/delivery-route.ts'
import type { FailureCause } from './failure-cause.ts'

interface FailureRule {
  /**
   * When the next integration is tried: never, at once, after the second attempt, or after the second attempt if the
   * integration allows it, because the provider may have accepted the message.
   */
  readonly next: 'never' | 'at_once' | 'after_second' | 'if_allowed'
  /** Why the integration was left. */
  readonly reason: RouteReason
  /** Whether the failure is one of the provider or its account, or shows that both work. */
  readonly circuit: 'fails' | 'works' | 'none'
}

const recipient = { next: 'never', reason: 'unusable', circuit: 'none' } as const
const provider = { next: 'never', reason: 'unusable', circuit: 'works' } as const
const setup = { next: 'at_once', reason: 'unusable', circuit: 'none' } as const
const account = { next: 'at_once', reason: 'account', circuit: 'fails' } as const
const unknown = { next: 'if_allowed', reason: 'unconfirmed', circuit: 'none' } as const

export const failureRules: Readonly<Record<FailureCause, FailureRule>> = {
  provider_not_implemented: setup,
  credentials_invalid: setup,
  credentials_unreadable: setup,
  credentials_rejected: account,
  account_restricted: account,
  destination_not_supported: setup,
  address_blocked: setup,
  integration_unusable: setup,
  connection_unusable: recipient,
  attachment_unavailable: recipient,
  destination_gone: recipient,
  suppressed: recipient,
  device_unregistered: provider,
  rejected: provider,
  unavailable: { next: 'after_second', reason: 'unavailable', circuit: 'fails' },
  unconfirmed: unknown,
  expired: recipient,
  time_limit: recipient,
  interrupted: unknown,
}

/** The attempts through an integration after which the next one is tried, if it is unavailable. */
export const ATTEMPTS_BEFORE_NEXT = 2
