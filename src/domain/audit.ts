// Administrative acts: each is one line in the log, which says who did it.
import type { Caller, Scope } from './scope.ts'

/** What was done, as the log says it. */
type Act =
  | 'API key created'
  | 'API key revoked'
  | 'environment created'
  | 'environment updated'
  | 'environment deleted'
  | 'erasure requested'
  | 'unused contexts deleted'
  | 'test message sent'

/** Fields that say who a caller is. */
function actor(caller: Caller) {
  if (caller.kind === 'apiKey') return { apiKeyId: caller.apiKeyId }
  return { actor: caller.kind === 'operator' ? 'command line' : caller.kind }
}

/**
 * Logs an act of the caller at `info` once its transaction has committed.
 *
 * @param fields what was acted on, by ids and names. Never a secret.
 */
export function audit({ caller, log, afterCommit }: Scope, act: Act, fields: Readonly<Record<string, unknown>>): void {
  afterCommit(() => log.info({ ...actor(caller), ...fields }, act))
}
