// The audit log: one line for each administrative act, with the caller.
import type { Caller } from './caller.ts'
import type { Scope } from './scope.ts'

/** An administrative act, which is the message of its log line. */
type Act =
  | 'dashboard session opened'
  | 'dashboard session renewed'
  | 'dashboard sessions closed'
  | 'sign-in code created'
  | 'API key created'
  | 'API key revoked'
  | 'environment created'
  | 'environment updated'
  | 'environment deleted'
  | 'sending mode changed'
  | 'unsigned sessions changed'
  | 'erasure requested'
  | 'unused contexts deleted'
  | 'test message sent'
  | 'pause started'
  | 'pause ended'
  | 'messages retried'
  | 'runs retried'
  | 'events cancelled'
  | 'runs cancelled'
  | 'subscribers deleted'
  | 'text replies changed'
  | 'category created'
  | 'category updated'
  | 'category deleted'
  | 'categories reordered'
  | 'topic subscriptions deleted'
  | 'webhook subscription created'
  | 'webhook subscription deleted'
  | 'webhook secret rotated'
  | 'suppression created'
  | 'suppressions created'
  | 'suppression deleted'

/** Fields that identify the caller. */
function actor(caller: Caller) {
  if (caller.kind === 'apiKey') return { apiKeyId: caller.apiKeyId }
  if (caller.kind === 'dashboard') {
    const { sessionId, apiKeyId } = caller
    return { dashboardSessionId: sessionId, ...(apiKeyId === null ? { actor: 'sign-in code' } : { apiKeyId }) }
  }
  return { actor: caller.kind === 'operator' ? 'command line' : caller.kind }
}

/**
 * Logs an act of the caller at `info` once its transaction has committed.
 *
 * @param fields the ids and names of the affected objects. Never a secret.
 */
export function audit(
  { caller, log, afterCommit }: Pick<Scope, 'caller' | 'log' | 'afterCommit'>,
  act: Act,
  fields: Readonly<Record<string, unknown>>,
): void {
  afterCommit(() => log.info({ ...actor(caller), ...fields }, act))
}
