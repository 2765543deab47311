// Routes of subscribers and their credentials, with providers in the client's words.
import { z } from 'zod'
import {
  appendSubscriberCredentials,
  deleteSubscriberCredentials,
  setSubscriberCredentials,
} from '../../../../domain/subscriber-credential.ts'
import { setSubscriberOnline } from '../../../../domain/online/online-state.ts'
import type { Subscriber } from '../../../../domain/subscriber.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { pageSchema } from '../../../page.ts'
import { showSubscriber, subscriberRoutes, subscriberView } from '../../../routes/subscriber.ts'
import { bySubscriberId } from '../../../views.ts'
import { route } from '../../../route.ts'
import { reuse, withView } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { unsupported } from '../words/unsupported.ts'
import { credentialProviderInWords, wordOfProvider } from '../words/names.ts'

const { channels } = subscriberView.shape

const view = subscriberView
  .extend({
    channels: z.array(channels.element.extend({ providerId: z.string() })).meta({
      description: "Credentials for push and chat providers, which are in the client's words.",
    }),
  })
  .meta({ id: 'NovuSubscriber', description: 'A recipient of notifications.' })

/** A subscriber of the documented paths, in the client's words. */
function inWords({ channels, ...shown }: z.input<typeof subscriberView>): z.input<typeof view> {
  const named = channels.map(({ providerId, ...channel }) => ({ ...channel, providerId: wordOfProvider(providerId) }))
  return { ...shown, channels: named }
}

const show = async (row: Subscriber, scope: DoorScope) => inWords(await showSubscriber(row, scope))

const { shape } = setSubscriberCredentials.definition.input

const body = z.object({
  providerId: credentialProviderInWords.meta({ description: 'Chat or push provider.' }),
  integrationIdentifier: shape.integrationIdentifier,
  credentials: shape.credentials.extend({
    channel: unsupported('a channel of a workspace is a channel endpoint'),
    alertUid: unsupported('it belongs to a channel endpoint'),
    title: unsupported('it belongs to a workflow'),
    imageUrl: unsupported('it belongs to a workflow'),
    state: unsupported('it belongs to a workflow'),
    externalUrl: unsupported('it belongs to a workflow'),
  }),
})

const one = (names: readonly string[]) =>
  reuse(prefix, subscriberRoutes, names).map((found) =>
    withView(found, view, (shown) => inWords(subscriberView.parse(shown))),
  )

const page = pageSchema(subscriberView)

export const novuSubscriberRoutes = [
  ...one(['POST /v2/subscribers', 'GET /v2/subscribers/{subscriberId}', 'PATCH /v2/subscribers/{subscriberId}']),
  ...reuse(prefix, subscriberRoutes, ['GET /v2/subscribers']).map((found) =>
    withView(found, pageSchema(view), (shown) => {
      const { data, ...position } = page.parse(shown)
      return { ...position, data: data.map(inWords) }
    }),
  ),
  ...reuse(prefix, subscriberRoutes, ['DELETE /v2/subscribers/{subscriberId}', 'POST /v1/subscribers/bulk']),
  route({
    method: 'patch',
    path: `${prefix}/v1/subscribers/{subscriberId}/online-status`,
    summary: 'Make a subscriber online or offline',
    example: { isOnline: true },
    params: bySubscriberId,
    body: setSubscriberOnline.definition.input.pick({ isOnline: true }),
    resolver: setSubscriberOnline,
    statuses: [200],
    response: view,
    view: show,
  }),
  route({
    method: 'put',
    path: `${prefix}/v1/subscribers/{subscriberId}/credentials`,
    summary: 'Replace the credentials of a subscriber for one provider',
    example: { providerId: 'fcm', credentials: { deviceTokens: ['token-1'] } },
    params: bySubscriberId,
    body,
    resolver: setSubscriberCredentials,
    statuses: [200],
    response: view,
    view: show,
  }),
  route({
    method: 'patch',
    path: `${prefix}/v1/subscribers/{subscriberId}/credentials`,
    summary: 'Add device tokens to the credentials of a subscriber for one provider',
    example: { providerId: 'fcm', credentials: { deviceTokens: ['token-2'] } },
    params: bySubscriberId,
    body,
    resolver: appendSubscriberCredentials,
    statuses: [200],
    response: view,
    view: show,
  }),
  route({
    method: 'delete',
    path: `${prefix}/v1/subscribers/{subscriberId}/credentials/{providerId}`,
    summary: 'Delete the credentials of a subscriber for one provider',
    params: bySubscriberId.extend({
      providerId: credentialProviderInWords.meta({ description: 'Chat or push provider.' }),
    }),
    resolver: deleteSubscriberCredentials,
    statuses: [204],
  }),
]
