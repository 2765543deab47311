// Subscribers in the graph.
import { credentialsOf } from '../domain/credential.ts'
import {
  type BulkFailure as BulkFailureRow,
  createSubscriber,
  createSubscribers,
  MAX_BULK,
  subscriber,
  type Subscriber as SubscriberRow,
  subscribers,
  updateSubscriber,
  upsertSubscriber,
} from '../domain/subscriber.ts'
import { setSubscriberOnline } from '../domain/online/online-state.ts'
import { deleteSubscriber } from '../engine/erasure/delete-subscriber.ts'
import { ChannelCredential, ChannelCredentialInput } from './credential.ts'
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byIdentifier, byName, connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField, part } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { edge, queryField, queryList } from './schema/query.ts'
import {
  byDefault,
  clearsIt,
  createdAt,
  expectedVersionOf,
  incrementedVersion,
  newestFirst,
  updatedAt,
} from './schema/wording.ts'

export const Subscriber = builder.objectRef<SubscriberRow>('Subscriber')
defineNode(Subscriber, {
  description: "A recipient of notifications, identified by the client's subscriberId.",
  resolver: subscriber,
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', {
      description: "The subscriberId, such as the application's user id. Unique in the environment. Never changes.",
    }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'The first name. Null if unknown.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'The last name. Null if unknown.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'The email address. Not unique. Null if unknown.',
    }),
    phone: t.exposeString('phone', {
      nullable: true,
      description: 'The phone number, in the format in which it was given. Not unique. Null if unknown.',
    }),
    avatar: t.exposeString('avatar', { nullable: true, description: 'The URL of a picture. Null if unknown.' }),
    locale: t.exposeString('locale', {
      nullable: true,
      description: 'The language and region, such as `en-US`. Null if unknown.',
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description: 'The IANA time zone, such as `Europe/Berlin`. Null if unknown.',
    }),
    data: t.expose('data', {
      type: 'JSONObject',
      description: 'Custom data, such as an address or a membership level. Empty if not set.',
    }),
    channels: edge(t, {
      description:
        'The credentials for push and chat providers, by provider. Null, with an error at its path, if they cannot be decrypted.',
      type: [ChannelCredential],
      nullable: true,
      resolver: credentialsOf,
      decode: ({ subscriberId, hasCredentials }) => ({ subscriberId, hasCredentials }),
    }),
    isOnline: t.exposeBoolean('isOnline', {
      description:
        'True if the subscriber is online: with a live connection of the inbox, or because the application said so. A change is visible after five seconds, and after two minutes if a process of the gateway died.',
    }),
    lastOnlineAt: t.expose('lastOnlineAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the subscriber last became offline. Null if that never happened.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('subscriber') }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: updatedAt('profile of the subscriber'),
    }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

export const namedSubscriber = addressOf(Subscriber, { subscriberId: 'The subscriberId of the subscriber.' })

queryField('subscriber', {
  description: 'The subscriber with this subscriberId or node id. Null if it does not exist.',
  type: Subscriber,
  nullable: true,
  args: namedSubscriber.args,
  resolver: subscriber,
  decode: namedSubscriber.decode,
})

/** The conditions of a filter. */
export const subscriberConditions = (t: InputFields) => ({
  subscriberId: t.string({ description: 'The exact subscriberId.' }),
  email: t.string({ description: 'The exact email address.' }),
  phone: t.string({ description: 'The exact phone number, in the format in which it was given.' }),
  name: t.string({ description: 'The exact first and last name, separated by one space.' }),
  search: t.string({
    description:
      'A part of the subscriberId, email address, phone number or name. Case-insensitive. Without three letters or digits in a row, it must be the beginning of one of these fields.',
  }),
})

queryList('subscribers', {
  description: `The subscribers of the environment. ${newestFirst}`,
  connection: connectionOf(Subscriber, 'A page of subscribers.'),
  args: listArgs('Subscriber', subscriberConditions, {
    ...byName('subscriberId'),
    ...byIdentifier('SUBSCRIBER_ID', 'The subscriberId.'),
  }),
  resolver: subscribers,
})

/** The input field that names a subscriber. */
export const subscriberIdField = (t: InputFields) =>
  t.string({
    required: true,
    description:
      'The subscriberId: 1 to 255 characters. A new subscriberId must not begin or end with white space, contain control or invisible characters, or be a JSON object.',
  })

/** The input fields of a subscriber's profile. */
export const profileFields = (t: InputFields) => ({
  firstName: t.string({ description: `The first name: at most 255 characters. ${clearsIt}` }),
  lastName: t.string({ description: `The last name: at most 255 characters. ${clearsIt}` }),
  email: t.string({ description: `The email address. ${clearsIt}` }),
  phone: t.string({ description: `The phone number, in any format: at most 255 characters. ${clearsIt}` }),
  avatar: t.string({ description: `The URL of a picture: at most 2048 characters. ${clearsIt}` }),
  locale: t.string({
    description: `A BCP 47 language tag, such as \`en-US\`. \`en_US\` is also accepted. ${clearsIt}`,
  }),
  timezone: t.string({ description: `An IANA time zone, such as \`Europe/Berlin\`. ${clearsIt}` }),
  data: t.field({
    type: 'JSONObject',
    description: `Custom data: at most 64 KiB of JSON. Replaces the current data. ${clearsIt}`,
  }),
})

/** The input fields of a subscriber: its id, profile and credentials. */
export const newSubscriberFields = (t: InputFields) => ({
  subscriberId: subscriberIdField(t),
  ...profileFields(t),
  channels: t.field({
    type: [ChannelCredentialInput],
    description:
      'Credentials for push and chat providers, at most one entry per channel. An entry replaces all credentials of its channel. Other channels are unchanged.',
  }),
})

mutationField('createSubscriber', {
  description: 'Creates a subscriber. Fails with `CONFLICT` if the subscriberId exists.',
  input: newSubscriberFields,
  resolver: createSubscriber,
  payload: { subscriber: Subscriber },
})

mutationField('upsertSubscriber', {
  description: 'Creates a subscriber, or updates the given fields if the subscriberId exists. Null clears a field.',
  input: newSubscriberFields,
  resolver: upsertSubscriber,
  payload: {
    subscriber: (t) => part(t, Subscriber, 'The subscriber.', ({ subscriber }) => subscriber),
    created: (t) =>
      part(t, 'Boolean', 'True if the subscriber was created, false if it existed.', ({ created }) => created),
  },
})

mutationField('updateSubscriber', {
  description:
    'Updates the given fields of a subscriber. Null clears a field. If no field is given, `updatedAt` stays unchanged.',
  input: (t) => ({
    ...namedSubscriber.fields(t),
    ...profileFields(t),
    expectedVersion: t.int({ description: expectedVersionOf('subscriber') }),
  }),
  resolver: updateSubscriber,
  decode: namedSubscriber.decode,
  payload: { subscriber: Subscriber },
})

mutationField('setSubscriberOnline', {
  description:
    'Makes a subscriber online or offline. Live connections of the inbox do so by themselves: an open one makes the subscriber online again within a minute, and the end of the last one makes it offline. `version` and `updatedAt` stay unchanged.',
  input: (t) => ({
    ...namedSubscriber.fields(t),
    isOnline: t.boolean({ required: true, description: 'True if the subscriber is online.' }),
  }),
  resolver: setSubscriberOnline,
  decode: namedSubscriber.decode,
  payload: { subscriber: Subscriber },
})

mutationField('deleteSubscriber', {
  description:
    'Deletes a subscriber with its feed, credentials, channel endpoints and topic subscriptions. The subscriber receives no further messages. A job then cancels the unfinished runs of the subscriber, and erases addresses and texts from all of its runs. The runs stay in the execution log.',
  input: namedSubscriber.fields,
  resolver: deleteSubscriber,
  decode: namedSubscriber.decode,
  payload: { deletedId: deletedId(Subscriber) },
})

const NewSubscriberInput = builder.inputType('NewSubscriberInput', {
  description: 'One subscriber in a bulk request.',
  fields: newSubscriberFields,
})

const BulkFailure = builder.objectRef<BulkFailureRow>('CreateSubscribersFailure').implement({
  description: 'An item of `createSubscribers` that could not be written. Other items are not affected.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'The position of the item in the input, starting at 0.' }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of the item. Null if the item has no valid subscriberId.',
    }),
    message: t.exposeString('message', { description: 'The invalid field, and the values it allows.' }),
  }),
})

mutationField('createSubscribers', {
  description: `Creates or updates 1 to ${MAX_BULK} subscribers. An invalid item does not affect the others. If a subscriberId occurs twice, the first item creates the subscriber and the second updates it.`,
  input: (t) => ({
    subscribers: t.field({ type: [NewSubscriberInput], required: true, description: `1 to ${MAX_BULK} subscribers.` }),
    dryRun: t.boolean({
      description: `True checks the items as a write does, and writes nothing. ${byDefault('false')}`,
    }),
  }),
  resolver: createSubscribers,
  payload: {
    created: (t) =>
      part(
        t,
        ['String'],
        'The subscriberIds of the created subscribers. In a dry run, the ids that would be created.',
        ({ created }) => created,
      ),
    updated: (t) =>
      part(
        t,
        ['String'],
        'The subscriberIds of the updated subscribers. In a dry run, the ids that would be updated.',
        ({ updated }) => updated,
      ),
    failed: (t) =>
      part(
        t,
        [BulkFailure],
        'The items that could not be written. In a dry run, the items that would be rejected.',
        ({ failed }) => failed,
      ),
  },
})
