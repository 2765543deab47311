// Adoption: an environment takes over the public identifier and an API key of an application that moves here.
import { z } from 'zod'
import { whenTaken } from '../../data/driver/database-errors.ts'
import { Refusal, refuse, refuseTaken } from '../../lib/errors.ts'
import { trimmedText } from '../../lib/validation.ts'
import { audit } from '../resolver/audit.ts'
import { mutation } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { lockAdministration } from './administration.ts'
import { chosenKey, isWeakKey, keyWithSecret, loggedKey, type ShownApiKey, writeApiKey } from './api-key.ts'
import type { Environment } from './environment.ts'
import { copyEnvironment } from './placement.ts'

/** Characters that need no escape in a header or an address. */
const publicIdentifier = z.string().regex(/^[\w.~-]{1,255}$/, 'must be 1 to 255 letters, digits and . _ ~ -')

interface Adopted {
  readonly environment: Environment
  /** The identifier before the adoption. */
  readonly formerIdentifier: string
  /** Null if no key was given. */
  readonly apiKey: ShownApiKey | null
  /** True if the key can be guessed. */
  readonly isWeak: boolean
}

async function adoptIdentifier({ db, environmentId: id, now }: Scope, identifier: string): Promise<Environment> {
  const message = `Another environment has the identifier "${identifier}"`
  return db.environment
    .update({ where: { id }, data: { identifier, updatedAt: now() } })
    .catch(whenTaken(() => refuseTaken(message, 'applicationIdentifier', identifier)))
}

/** Writes the key, or returns it if the environment has it already. @throws Refusal `CONFLICT` if it is taken. */
async function adoptKey(scope: Scope, userId: string, key: string, name: string): Promise<ShownApiKey> {
  const { environmentId } = scope
  const existing = await keyWithSecret(scope, key)
  if (existing === null) {
    const { apiKey } = await writeApiKey(scope, { environmentId, userId, name, key })
    audit(scope, 'API key created', loggedKey(apiKey))
    return apiKey
  }
  // The value is a secret: no error contains it.
  const refuseKey = (reason: string) => refuse('CONFLICT', `secretKey ${reason}`, 'secretKey')
  if (existing.environmentId !== environmentId) throw refuseKey('belongs to another environment')
  if (existing.revokedAt !== null) throw refuseKey('was revoked, and a revoked key cannot be used again')
  return existing
}

/**
 * Gives the caller's environment an existing identifier and an existing API key, with the access FULL. Both or neither
 * are written. The former identifier ends at once; other keys stay. Idempotent.
 *
 * @throws Refusal `FORBIDDEN` if the caller is not the operator at the command line, `CONFLICT` if another environment
 *   has the identifier or the key, or if the key was revoked.
 */
export const adoptApplication = mutation({
  name: 'environment.adopt',
  permission: 'environment:write',
  main: true,
  input: z
    .strictObject({
      applicationIdentifier: publicIdentifier.optional(),
      secretKey: chosenKey.optional(),
      name: trimmedText(100),
    })
    .refine(({ applicationIdentifier, secretKey }) => applicationIdentifier !== undefined || secretKey !== undefined, {
      path: ['applicationIdentifier'],
      message: 'is required unless secretKey is given',
    }),
  async run(scope, { applicationIdentifier, secretKey, name }): Promise<Adopted> {
    const caller = await lockAdministration(scope)
    if (caller.kind !== 'operator') throw new Refusal('FORBIDDEN', 'Only the command line adopts applications')
    const { db, environmentId: id } = scope
    const present = await db.environment.findUniqueOrThrow({ where: { id } })
    const isNew = applicationIdentifier !== undefined && applicationIdentifier !== present.identifier
    const environment = isNew ? await adoptIdentifier(scope, applicationIdentifier) : present
    if (isNew) {
      await copyEnvironment(scope, environment)
      scope.callers.forget(id)
      audit(scope, 'environment updated', { environmentId: id, changes: { identifier: applicationIdentifier } })
    }
    const apiKey = secretKey === undefined ? null : await adoptKey(scope, caller.userId, secretKey, name)
    return {
      environment,
      formerIdentifier: present.identifier,
      apiKey,
      isWeak: secretKey !== undefined && isWeakKey(secretKey),
    }
  },
})
