// Unsigned sessions: whether an environment lets browsers open sessions that no API key signed.
import { z } from 'zod'
import { environmentsById } from '../../data/access/environment.ts'
import type { Environment } from '../../data/prisma/client.ts'
import { refuse } from '../../lib/errors.ts'
import { audit } from '../resolver/audit.ts'
import type { Scope } from '../resolver/scope.ts'

/** The fields of an input. Absent fields change nothing. */
export const unsignedSessionFields = {
  allowsUnsignedSessions: z.boolean().optional().meta({
    description:
      'True if browsers may open sessions without a hash. Anyone can then read and mark the notifications of any subscriber.',
  }),
  confirmUnsignedSessions: z.boolean().nullish().meta({
    description: 'Must be true to allow unsigned sessions in a production environment.',
  }),
}

type Given = {
  readonly [Field in keyof typeof unsignedSessionFields]?: z.output<(typeof unsignedSessionFields)[Field]>
}

/**
 * Checks a change of the setting, and logs it.
 *
 * @throws Refusal `INVALID` if it would allow unsigned sessions in production, and that is not confirmed.
 */
export function noteUnsignedSessionChange(
  scope: Scope,
  stored: Pick<Environment, 'id' | 'type' | 'allowsUnsignedSessions'>,
  { allowsUnsignedSessions: allowed, confirmUnsignedSessions: confirmed }: Given,
): void {
  if (allowed === undefined || allowed === stored.allowsUnsignedSessions) return
  if (allowed && stored.type === 'prod' && confirmed !== true) {
    const message =
      'allowsUnsignedSessions lets anyone read every feed of a production environment: set confirmUnsignedSessions to true as well'
    throw refuse('INVALID', message, 'allowsUnsignedSessions', allowed)
  }
  // This process need not wait until the database announces the change.
  scope.afterCommit(() => scope.callers.forget(stored.id))
  audit(scope, 'unsigned sessions changed', { environmentId: stored.id, allowed })
}

/** True if the scope's environment allows unsigned sessions. */
export const allowsUnsignedSessions = async ({ load, environmentId }: Scope): Promise<boolean> =>
  (await load(environmentsById, environmentId))?.allowsUnsignedSessions === true
