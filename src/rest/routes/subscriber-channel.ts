// A channel of a subscriber: the credentials for one provider and the integration that uses them.
import { z } from 'zod'
import type { ChannelCredential } from '../../domain/credential.ts'
import { integrationIdOf } from '../../domain/subscriber-channel.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { present } from '../../lib/present.ts'
import { knownProvider } from '../views.ts'

const credentials = z
  .object({
    webhookUrl: z.string().optional().meta({ description: 'Webhook URL for a chat provider.' }),
    deviceTokens: z.array(z.string()).optional().meta({ description: 'Device tokens for a push provider.' }),
  })
  .meta({ description: 'Credentials that the provider needs to reach the subscriber.' })

export const subscriberChannelView = z
  .object({
    _integrationId: z
      .string()
      .meta({ description: '`_id` of the integration of the credentials. Empty if there is none.' }),
    providerId: knownProvider.meta({ description: 'Chat or push provider.', examples: ['fcm'] }),
    integrationIdentifier: z.string().optional().meta({
      description:
        'Identifier of the integration. Absent if the credentials apply to all integrations of the provider.',
    }),
    credentials,
  })
  .meta({ id: 'SubscriberChannel', description: 'Credentials of a subscriber for one provider.' })

export async function showSubscriberChannel(
  scope: DoorScope,
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
