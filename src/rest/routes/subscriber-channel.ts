// A channel in a subscriber's document: credentials, and the integration that they are for. Of two nouns, as callers know it.
import { z } from 'zod'
import type { ChannelCredential } from '../../domain/credential.ts'
import { integrationIdOf } from '../../domain/integration.ts'
import type { Scope } from '../../domain/scope.ts'
import { knownProvider, present } from '../views.ts'

const credentials = z
  .object({
    webhookUrl: z.string().optional().meta({ description: 'Where a chat provider is called.' }),
    deviceTokens: z.array(z.string()).optional().meta({ description: 'Where a push provider delivers.' }),
  })
  .meta({ description: 'What the provider needs to reach the subscriber.' })

export const subscriberChannelView = z
  .object({
    _integrationId: z.string().meta({ description: 'The integration that serves them; empty while there is none.' }),
    providerId: knownProvider.meta({ description: 'The chat or push provider.', examples: ['fcm'] }),
    integrationIdentifier: z
      .string()
      .optional()
      .meta({ description: 'The integration that they are for; absent when they are for all of the provider.' }),
    credentials,
  })
  .meta({ id: 'SubscriberChannel', description: 'Credentials of one provider.' })

export async function showSubscriberChannel(
  scope: Scope,
  credential: ChannelCredential,
): Promise<z.input<typeof subscriberChannelView>> {
  const { providerId, integrationIdentifier, webhookUrl, deviceTokens } = credential
  return {
    _integrationId: (await integrationIdOf(scope, credential)) ?? '',
    providerId,
    ...present({ integrationIdentifier }),
    credentials: { ...present({ webhookUrl }), deviceTokens: [...deviceTokens] },
  }
}
