// keys revoke: revokes an API key immediately.
import { z } from 'zod'
import { revokeApiKey } from '../../domain/access/api-key.ts'
import { environment as environmentOf } from '../../domain/access/environment.ts'
import { operators } from '../../domain/access/operator.ts'
import { apiKey } from '../../domain/access/api-key.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { refuse } from '../../lib/errors.ts'
import { argument, command, type GatewayContext } from '../command/command.ts'
import { keyResult } from '../output/shown-key.ts'

/** The scope of the organization that has the key. @throws Refusal `NOT_FOUND` */
async function scopeOfKey({ gateway }: GatewayContext, id: string) {
  for (const operator of await operators(gateway.db)) {
    const scope = createScope(gateway, operator)
    if ((await apiKey(scope, { id })) !== null) return scope
  }
  throw refuse('NOT_FOUND', `API key "${id}" not found: see the ids in keys list`, 'id', id)
}

export const revokeKey = command({
  place: 'gateway',
  description: 'Revokes an API key at once, in every running process.',
  examples: [['keys revoke 01981f6e-5f7a-7c1e-9d0e-0a3c5b8f2d41', 'the id is in the list of keys']],
  parameters: { id: argument('ID', 'id of the key', z.uuid()) },
  async run(context, { id }) {
    const scope = await scopeOfKey(context, id)
    const revoked = await revokeApiKey(scope, { id })
    const environment = await environmentOf(scope, { id: revoked.environmentId })
    const name = environment?.name ?? revoked.environmentId
    return {
      text: `Revoked the API key "${revoked.name}" of ${name}, which ends in ${revoked.hint}.`,
      result: keyResult(revoked, { id: revoked.environmentId, name }),
    }
  },
})
