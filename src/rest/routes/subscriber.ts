// Subscribers at the REST door.
import { z } from 'zod'
import { credentialsOf } from '../../domain/credential.ts'
import type { Scope } from '../../domain/scope.ts'
import {
  appendSubscriberCredentials,
  deleteSubscriberCredentials,
  setSubscriberCredentials,
} from '../../domain/subscriber-credential.ts'
import {
  createSubscribers,
  deleteSubscriber,
  requireSubscriber,
  type Subscriber,
  subscriber,
  subscribers,
  updateSubscriber,
  upsertSubscriber,
} from '../../domain/subscriber.ts'
import { errorObject } from '../errors.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { bySubscriberId, flag, found, ownData, present, timestamp } from '../views.ts'
import { showSubscriberChannel, subscriberChannelView } from './subscriber-channel.ts'

/** A part of the profile; absent while it is not known. */
const known = (description: string, example: string) =>
  z
    .string()
    .optional()
    .meta({ description, examples: [example] })

const subscriberView = z
  .object({
    _id: z.string().meta({ description: 'Unique id.' }),
    subscriberId: z.string().meta({ description: "The client's own id.", examples: ['user-1'] }),
    _organizationId: z.string().meta({ description: 'The organization that it belongs to.' }),
    _environmentId: z.string().meta({ description: 'The environment that it belongs to.' }),
    firstName: known('First name.', 'Ada'),
    lastName: known('Last name.', 'Lovelace'),
    email: known('E-mail address.', 'ada@example.com'),
    phone: known('Phone number, in whichever form it was given.', '+4915123456789'),
    avatar: known('Address of a picture.', 'https://example.com/ada.png'),
    locale: known('BCP 47, or the same with underscores.', 'en_US'),
    timezone: known('IANA time zone.', 'Europe/London'),
    data: ownData.optional().meta({ description: 'Whatever the client keeps here.', examples: [{ plan: 'pro' }] }),
    channels: z.array(subscriberChannelView).meta({ description: 'Credentials of push and chat providers.' }),
    deleted: z.literal(false).meta({ description: 'Always false: what was deleted is not found.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Subscriber', description: 'A recipient of notifications.' })

const existingSubscriber = errorObject
  .extend(subscriberView.shape)
  .meta({ id: 'ExistingSubscriber', description: 'A conflict, with the subscriber that it met.' })

async function showSubscriber(row: Subscriber, scope: Scope): Promise<z.input<typeof subscriberView>> {
  const { organizationId } = scope.caller
  const credentials = await credentialsOf(scope, row.subscriberId)
  return {
    ...present({
      firstName: row.firstName,
      lastName: row.lastName,
      email: row.email,
      phone: row.phone,
      avatar: row.avatar,
      locale: row.locale,
      timezone: row.timezone,
    }),
    _id: row.id,
    subscriberId: row.subscriberId,
    _organizationId: organizationId,
    _environmentId: row.environmentId,
    data: ownData.parse(row.data),
    channels: await Promise.all(credentials.map((credential) => showSubscriberChannel(scope, credential))),
    deleted: false,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const { input: upsertInput } = upsertSubscriber.definition

const { channels } = upsertInput.shape
const { providerId: channelProvider, credentials } = channels.unwrap().unwrap().element.shape

/** Credentials come as a list, or by provider, as older clients send them. */
function asList(channels: unknown): unknown {
  if (typeof channels !== 'object' || channels === null || Array.isArray(channels)) return channels
  return Object.entries(channels).map(([providerId, credentials]: [string, unknown]) => ({ providerId, credentials }))
}

const newSubscriber = upsertInput
  .omit({ failIfExists: true })
  .extend({
    channels: z
      .union([
        channels,
        z.partialRecord(channelProvider, credentials).transform((given) => channels.parse(asList(given))),
      ])
      .meta({ description: 'Credentials as a list, or as an object of credentials by providerId.' }),
  })
  .meta({ id: 'NewSubscriber', description: 'A subscriber as it is written. What is absent stays, null clears.' })

const ada = {
  subscriberId: 'user-1',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  data: { plan: 'pro' },
}

const { providerId, integrationIdentifier } = deleteSubscriberCredentials.definition.input.shape
const credentialsInput = setSubscriberCredentials.definition.input.omit({ subscriberId: true })

const { subscribers: subscribersInput } = createSubscribers.definition.input.shape

const bulkRow = z.object({ subscriberId: z.string() })

/** A row of a bulk with its channels as a list. What else is wrong with it is the resolver's to say. */
function withChannelList(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'channels' in row ? { ...row, channels: asList(row.channels) } : row
}

export const subscriberRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers',
    summary: 'Search subscribers',
    query: pageQuery.extend({
      subscriberId: z.string().optional().meta({ description: 'Exactly this subscriberId.' }),
      email: z.string().optional().meta({ description: 'Exactly this e-mail address.' }),
      phone: z.string().optional().meta({ description: 'Exactly this phone number.' }),
      name: z.string().optional().meta({ description: 'Exactly this first and last name.' }),
    }),
    resolver: subscribers,
    input: ({ query: { subscriberId, email, phone, name, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { subscriberId, email, phone, name },
    }),
    statuses: [200],
    answer: pageSchema(subscriberView),
    view: (page, scope) => showPage(page, (row) => showSubscriber(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v2/subscribers',
    summary: 'Create a subscriber, or update it when the subscriberId exists',
    example: ada,
    query: z.object({
      failIfExists: flag
        .optional()
        .meta({ description: 'Refuse with 409, and show the subscriber, when the subscriberId exists.' }),
    }),
    body: newSubscriber,
    resolver: upsertSubscriber,
    input: ({ query, body }) => ({ ...body, failIfExists: query.failIfExists }),
    statuses: [201],
    answer: subscriberView,
    refusals: { 409: existingSubscriber },
    view: ({ subscriber }, scope) => showSubscriber(subscriber, scope),
    viewExisting: async (scope, { body }) => showSubscriber(await requireSubscriber(scope, body.subscriberId), scope),
  }),
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}',
    summary: 'Read a subscriber',
    params: bySubscriberId,
    resolver: subscriber,
    input: ({ params }) => params,
    statuses: [200],
    answer: subscriberView,
    view: (row, scope, { params }) => showSubscriber(found(row, 'Subscriber', params.subscriberId), scope),
  }),
  route({
    method: 'patch',
    path: '/v2/subscribers/{subscriberId}',
    summary: 'Change the fields of a subscriber that are given; null clears',
    example: { lastName: 'King', phone: null },
    params: bySubscriberId,
    body: updateSubscriber.definition.input.omit({ subscriberId: true }),
    resolver: updateSubscriber,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    answer: subscriberView,
    view: showSubscriber,
  }),
  route({
    method: 'delete',
    path: '/v2/subscribers/{subscriberId}',
    summary: 'Delete a subscriber with all that belongs to it',
    params: bySubscriberId,
    resolver: deleteSubscriber,
    input: ({ params }) => params,
    statuses: [200],
    answer: z.object({ acknowledged: z.boolean(), status: z.string() }),
    view: () => ({ acknowledged: true, status: 'deleted' }),
  }),
  route({
    method: 'post',
    path: '/v1/subscribers/bulk',
    summary: 'Create or update up to 500 subscribers; a bad one fails alone',
    example: { subscribers: [ada] },
    // Each row is read by itself, because a bad one fails alone.
    body: z.object({ subscribers: subscribersInput.meta({ items: { $ref: '#/components/schemas/NewSubscriber' } }) }),
    resolver: createSubscribers,
    input: ({ body }) => ({ subscribers: body.subscribers.map(withChannelList) }),
    statuses: [201],
    answer: z.object({
      created: z.array(bulkRow),
      updated: z.array(bulkRow),
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
    summary: 'Set the credentials of one provider whole',
    example: { providerId: 'fcm', credentials: { deviceTokens: ['token-1'] } },
    params: bySubscriberId,
    body: credentialsInput,
    resolver: setSubscriberCredentials,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    answer: subscriberView,
    view: showSubscriber,
  }),
  route({
    method: 'patch',
    path: '/v1/subscribers/{subscriberId}/credentials',
    summary: 'Add device tokens to those of one provider',
    example: { providerId: 'fcm', credentials: { deviceTokens: ['token-2'] } },
    params: bySubscriberId,
    body: credentialsInput,
    resolver: appendSubscriberCredentials,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    answer: subscriberView,
    view: showSubscriber,
  }),
  route({
    method: 'delete',
    path: '/v1/subscribers/{subscriberId}/credentials/{providerId}',
    summary: 'Forget the credentials of one provider',
    params: bySubscriberId.extend({ providerId: providerId.meta({ description: 'The chat or push provider.' }) }),
    query: z.object({
      integrationIdentifier: integrationIdentifier.meta({ description: 'Those of this integration only.' }),
    }),
    resolver: deleteSubscriberCredentials,
    input: ({ params, query }) => ({ ...params, ...query }),
    statuses: [204],
  }),
]
