// Channels of a subscriber: the integrations that use its credentials.
import { z } from 'zod'
import { integrationsByIdentifier, integrationsByProvider } from '../data/integration.ts'
import type { ChannelCredential } from './credential.ts'
import { query } from './resolver/resolver.ts'

/**
 * Returns the id of the integration for a subscriber's credentials: the integration that they name, or else the
 * provider's oldest one that is active, or will be once its set-up is complete. Null if there is none. Batched.
 */
export const integrationIdOf = query({
  name: 'integration.getIdOfCredential',
  permission: 'integration:read',
  input: z.custom<Pick<ChannelCredential, 'providerId' | 'integrationIdentifier'>>(),
  async run({ load }, { providerId, integrationIdentifier }): Promise<string | null> {
    const found =
      integrationIdentifier === null
        ? (await load(integrationsByProvider, providerId)).find(({ active, awaitsSetup }) => active || awaitsSetup)
        : await load(integrationsByIdentifier, integrationIdentifier)
    return found?.id ?? null
  },
})
