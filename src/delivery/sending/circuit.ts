// Records what an attempt says about the circuit of its integration.
import { closeCircuit, recordCircuitFailure } from '../../data/queue/circuit.ts'
import type { Job } from '../../data/queue/job.ts'
import type { ResolvedTarget, SendResult } from '../../domain/channel/provider-directory.ts'
import { failureRules } from '../../domain/channel/failure-rule.ts'
import { recordWebhookMessages } from '../../domain/outbox/webhook-message.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import type { Message } from '../../engine/message.ts'
import type { ProviderHealth } from './provider-health.ts'

/** An endpoint has a host or credentials of its own, so its failures say nothing about the messages of others. */
const isShared = ({ kind }: ResolvedTarget) => kind === 'email' || kind === 'phone' || kind === 'device'

/** What an attempt says about the provider and the account of its integration. */
function verdictOf({ failure, status }: SendResult): 'fails' | 'works' | 'none' {
  if (failure === undefined) return 'works'
  const { circuit } = failureRules[failure.cause]
  // A message that was rejected before a request says nothing.
  return circuit === 'works' && status === null ? 'none' : circuit
}

/**
 * Counts a failure of the provider or the account, or forgets the earlier ones. Costs no statement if the message was
 * accepted and no failures are known. Call it at the end of the transaction that records the attempt.
 *
 * @param attempt undefined, or without a message, if nothing was sent.
 */
export async function recordCircuit(
  scope: EnvironmentScope,
  health: ProviderHealth,
  { circuit }: Pick<Job, 'circuit'>,
  attempt: { readonly message: Message | undefined; readonly result: SendResult } | undefined,
): Promise<void> {
  if (attempt?.message === undefined || !isShared(attempt.message.target)) return
  // A simulated failure says nothing. Another captured message closes the circuit: those that wait are captured, too.
  if (attempt.result.isCaptured && attempt.result.failure) return
  const { environmentId, log, now } = scope
  const { integration, channel, providerId } = attempt.message
  const verdict = verdictOf(attempt.result)
  const fields = { environmentId, integration: integration.identifier, channel, provider: providerId }
  const told = () => [{ data: { integrationIdentifier: integration.identifier, providerId, channel } }]
  if (verdict === 'fails') {
    const opened = await recordCircuitFailure(scope, integration.id, now())
    if (!opened) return
    scope.afterCommit(() => log.warn(fields, 'circuit opened'))
    await recordWebhookMessages(scope, 'integration.failing', told)
  } else if (verdict === 'works' && (circuit || health.hasFailures(integration.id))) {
    const closed = await closeCircuit(scope, integration.id, now())
    if (!closed) return
    scope.afterCommit(() => log.info(fields, 'circuit closed'))
    await recordWebhookMessages(scope, 'integration.recovered', told)
  }
}
