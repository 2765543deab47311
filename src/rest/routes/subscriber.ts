// Routes of subscribers and their credentials.
import { z } from 'zod'
import { credentialsOf } from '../../domain/credential.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import {
  appendSubscriberCredentials,
  deleteSubscriberCredentials,
  setSubscriberCredentials,
} from '../../domain/subscriber-credential.ts'
import {
  createSubscribers,
  type Subscriber,
  subscriber,
  subscriberOf,
  subscribers,
  updateSubscriber,
  upsertSubscriber,
} from '../../domain/subscriber.ts'
import { deleteSubscriber } from '../../engine/erasure/delete-subscriber.ts'
import { present } from '../../lib/present.ts'
import { errorObject } from '../errors.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { bulkItem, bySubscriberId, flag, found, ownData, timestamp } from '../views.ts'
import { showSubscriberChannel, subscriberChannelView } from './subscriber-channel.ts'

/** A field of the profile. Absent if it has no value. */
const profileField = (description: string, example: string) =>
  z
    .string()
    .optional()
    .meta({ description, examples: [example] })

export const subscriberView = z
  .object({
    _id: z.string().meta({ description: 'Unique id.' }),
    subscriberId: z.string().meta({ description: 'Id chosen by the client.', examples: ['user-1'] }),
    _organizationId: z.string().meta({ description: 'Organization of the environment.' }),
    _environmentId: z.string().meta({ description: 'Environment of the object.' }),
    firstName: profileField('First name.', 'Ada'),
    lastName: profileField('Last name.', 'Lovelace'),
    email: profileField('Email address.', 'ada@example.com'),
    phone: profileField('Phone number, as it was given.', '+4915123456789'),
    avatar: profileField('URL of an image.', 'https://example.com/ada.png'),
    locale: profileField('Locale: BCP 47, or the same with underscores.', 'en_US'),
    timezone: profileField('IANA time zone.', 'Europe/London'),
    data: ownData.optional().meta({ description: 'Custom data.', examples: [{ plan: 'pro' }] }),
    channels: z.array(subscriberChannelView).meta({ description: 'Credentials for push and chat providers.' }),
    isOnline: z.boolean().meta({ description: 'True if the subscriber is online.' }),
    lastOnlineAt: timestamp.optional().meta({ description: 'When the subscriber last became offline.' }),
    deleted: z.literal(false).meta({ description: 'Always false: deleted subscribers are not returned.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Subscriber', description: 'A recipient of notifications.' })

const existingSubscriber = errorObject
  .extend(subscriberView.shape)
  .meta({ id: 'ExistingSubscriber', description: 'A conflict, with the existing subscriber.' })

export async function showSubscriber(row: Subscriber, scope: DoorScope): Promise<z.input<typeof subscriberView>> {
  const { organizationId } = scope.caller
  const credentials = await credentialsOf(scope, row)
  return {
    ...present({
      firstName: row.firstName,
      lastName: row.lastName,
      email: row.email,
      phone: row.phone,
      avatar: row.avatar,
      locale: row.locale,
      timezone: row.timezone,
      lastOnlineAt: row.lastOnlineAt?.toISOString(),
    }),
    isOnline: row.isOnline,
    _id: row.id,
    subscriberId: row.subscriberId,
    _organizationId: organizationId,
    _environmentId: row.environmentId,
    data: asObject(row.data),
    channels: await Promise.all(credentials.map((credential) => showSubscriberChannel(scope, credential))),
    deleted: false,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const { input: upsertInput } = upsertSubscriber.definition

const newSubscriber = upsertInput.omit({ failIfExists: true }).meta({
  id: 'NewSubscriber',
  description: 'Fields of a subscriber. On update, absent fields keep their values and null clears a field.',
})

const ada = {
  subscriberId: 'user-1',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  data: { plan: 'pro' },
}

const { providerId, integrationIdentifier } = deleteSubscriberCredentials.definition.input.shape
const credentialsInput = setSubscriberCredentials.definition.input.omit({ subscriberId: true, id: true })

const { subscribers: subscribersInput, dryRun } = createSubscribers.definition.input.shape

const named = z.object({ subscriberId: z.string() })

export const subscriberRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers',
    summary: 'List subscribers',
    query: pageQuery.extend({
      subscriberId: z.string().optional().meta({ description: 'Filter by `subscriberId`. Exact match.' }),
      email: z.string().optional().meta({ description: 'Filter by email address. Exact match.' }),
      phone: z.string().optional().meta({ description: 'Filter by phone number. Exact match.' }),
      name: z.string().optional().meta({ description: 'Filter by full name, `<first> <last>`. Exact match.' }),
    }),
    resolver: subscribers,
    input: ({ query: { subscriberId, email, phone, name, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { subscriberId, email, phone, name },
    }),
    statuses: [200],
    response: pageSchema(subscriberView),
    view: (page, scope) => showPage(scope, page, (row) => showSubscriber(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v2/subscribers',
    summary: 'Create a subscriber, or update it if the subscriberId exists',
    example: ada,
    query: z.object({
      failIfExists: flag
        .optional()
        .meta({ description: 'True to return 409 with the existing subscriber instead of updating it.' }),
    }),
    body: newSubscriber,
    resolver: upsertSubscriber,
    input: ({ query, body }) => ({ ...body, failIfExists: query.failIfExists }),
    statuses: [201],
    response: subscriberView,
    refusals: { 409: existingSubscriber },
    view: ({ subscriber }, scope) => showSubscriber(subscriber, scope),
    viewExisting: async (scope, { body }) => showSubscriber(await subscriberOf(scope, body), scope),
  }),
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}',
    summary: 'Read a subscriber',
    params: bySubscriberId,
    resolver: subscriber,
    statuses: [200],
    version: (row) => row?.version,
    response: subscriberView,
    view: (row, scope, { params }) => showSubscriber(found(row, 'Subscriber', params.subscriberId), scope),
  }),
  route({
    method: 'patch',
    path: '/v2/subscribers/{subscriberId}',
    summary: 'Update a subscriber; absent fields keep their values and null clears a field',
    example: { lastName: 'King', phone: null },
    params: bySubscriberId,
    body: updateSubscriber.definition.input.omit({ subscriberId: true, id: true }),
    conditional: true,
    resolver: updateSubscriber,
    statuses: [200],
    version: ({ version }) => version,
    response: subscriberView,
    view: showSubscriber,
  }),
  route({
    method: 'delete',
    path: '/v2/subscribers/{subscriberId}',
    summary: 'Delete a subscriber and everything that belongs to it',
    params: bySubscriberId,
    resolver: deleteSubscriber,
    statuses: [200],
    response: z.object({ acknowledged: z.boolean(), status: z.string() }),
    view: () => ({ acknowledged: true, status: 'deleted' }),
  }),
  route({
    method: 'post',
    path: '/v1/subscribers/bulk',
    summary: 'Create or update up to 500 subscribers; each succeeds or fails on its own',
    example: { subscribers: [ada] },
    // The resolver validates each item separately.
    body: z.object({
      subscribers: subscribersInput.meta({ items: bulkItem('NewSubscriber') }),
      dryRun: dryRun.meta({ description: 'True checks the items as a write does, and writes nothing.' }),
    }),
    resolver: createSubscribers,
    statuses: [201, 200],
    status: ({ isDryRun }) => (isDryRun ? 200 : 201),
    response: z.object({
      created: z.array(named),
      updated: z.array(named),
      failed: z.array(z.object({ subscriberId: z.string().optional(), message: z.string() })),
    }),
    view: ({ created, updated, failed }) => ({
      created: created.map((subscriberId) => ({ subscriberId })),
      updated: updated.map((subscriberId) => ({ subscriberId })),
      failed: failed.map(({ subscriberId, message }) => ({ ...present({ subscriberId }), message })),
    }),
  }),
  route({
    method: 'put',
    path: '/v1/subscribers/{subscriberId}/credentials',
    summary: 'Replace the credentials of a subscriber for one provider',
    example: { providerId: 'fcm', credentials: { deviceTokens: ['token-1'] } },
    params: bySubscriberId,
    body: credentialsInput,
    resolver: setSubscriberCredentials,
    statuses: [200],
    response: subscriberView,
    view: showSubscriber,
  }),
  route({
    method: 'patch',
    path: '/v1/subscribers/{subscriberId}/credentials',
    summary: 'Add device tokens to the credentials of a subscriber for one provider',
    example: { providerId: 'fcm', credentials: { deviceTokens: ['token-2'] } },
    params: bySubscriberId,
    body: credentialsInput,
    resolver: appendSubscriberCredentials,
    statuses: [200],
    response: subscriberView,
    view: showSubscriber,
  }),
  route({
    method: 'delete',
    path: '/v1/subscribers/{subscriberId}/credentials/{providerId}',
    summary: 'Delete the credentials of a subscriber for one provider',
    params: bySubscriberId.extend({ providerId: providerId.meta({ description: 'Chat or push provider.' }) }),
    query: z.object({
      integrationIdentifier: integrationIdentifier.meta({
        description: 'Integration of the credentials. Default: the credentials for all integrations of the provider.',
      }),
    }),
    resolver: deleteSubscriberCredentials,
    statuses: [204],
  }),
]
