// The integration that the input of another noun names, by its identifier or by its id.
import type { z } from 'zod'
import { integrationsById, integrationsByIdentifier } from '../data/integration.ts'
import type { Integration } from '../data/prisma/client.ts'
import { integrationIdentifier } from './integration.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import type { Scope } from './resolver/scope.ts'

/** The fields of an input. */
export const usedIntegration = { integrationIdentifier: integrationIdentifier.nullish(), integrationId: rowId }

type Given = z.output<z.ZodObject<typeof usedIntegration>>

/** Returns the stored integration. @throws Refusal `NOT_FOUND`, which names the field, or as `referenceOf`. */
export async function requireUsedIntegration(
  { load }: Pick<Scope, 'load'>,
  { integrationIdentifier, integrationId }: Given,
): Promise<Integration> {
  const named = referenceOf({ integrationIdentifier }, { integrationId })
  const found = await ('integrationId' in named
    ? load(integrationsById, named.integrationId)
    : load(integrationsByIdentifier, named.integrationIdentifier))
  if (found === null) throw notFound('Integration', named)
  return found
}
