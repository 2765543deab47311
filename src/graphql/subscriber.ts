// Subscribers in the graph.
import { credentialsOf } from '../domain/credential.ts'
import {
  type BulkFailure as BulkFailureRow,
  createSubscriber,
  createSubscribers,
  deleteSubscriber,
  MAX_BULK,
  subscriber,
  type Subscriber as SubscriberRow,
  subscribers,
  updateSubscriber,
  upsertSubscriber,
} from '../domain/subscriber.ts'
import { ChannelCredential, ChannelCredentialInput } from './credential.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField, type PayloadFields } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'

export const Subscriber = builder.objectRef<SubscriberRow>('Subscriber')
builder.node(Subscriber, {
  description: 'A recipient of notifications, identified by a subscriberId that the client application defines.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => subscriber(scope, { id }))),
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', {
      description:
        "The client's own id, unique in the environment and never changed: typically the application's user id.",
    }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'First name. Null when not known.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'Last name. Null when not known.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'E-mail address; several subscribers may share one. Null when not known.',
    }),
    phone: t.exposeString('phone', {
      nullable: true,
      description:
        'Phone number, in whichever form it was given; several subscribers may share one. Null when not known.',
    }),
    avatar: t.exposeString('avatar', {
      nullable: true,
      description: 'Where a picture is to be found. Null when not known.',
    }),
    locale: t.exposeString('locale', {
      nullable: true,
      description: 'Language and region, such as `en-US`. Null when not known.',
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description: 'IANA time zone, such as `Europe/Berlin`. Null when not known.',
    }),
    data: t.expose('data', {
      type: 'JSONObject',
      description: "The client's own data, such as an address or a membership level. Empty when there is none.",
    }),
    channels: t.field({
      type: [ChannelCredential],
      description: 'Credentials of push and chat providers, by provider.',
      resolve: (row, _args, { scope }) => credentialsOf(scope, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its profile was last changed.' }),
  }),
})

const SubscriberConnection = connectionOf(Subscriber, 'A page of subscribers.')

const SubscriberFilter = builder.inputType('SubscriberFilter', {
  description: 'Which subscribers: those that meet all that is given. Null is the same as absent.',
  fields: (t) => ({
    subscriberId: t.string({ description: 'Exactly this subscriberId.' }),
    email: t.string({ description: 'Exactly this e-mail address.' }),
    phone: t.string({ description: 'Exactly this phone number, as it was given.' }),
    name: t.string({ description: 'Exactly this first and last name, with one space between.' }),
    search: t.string({
      description: 'A part of the subscriberId, e-mail address, phone number or name, in whichever case.',
    }),
  }),
})
const SubscriberOrder = orderInput('Subscriber')

builder.queryFields((t) => ({
  subscriber: t.field({
    ...calls(subscriber),
    type: Subscriber,
    nullable: true,
    description: 'The subscriber of this id. Null when it does not exist.',
    args: { subscriberId: t.arg.string({ required: true, description: "The client's own id." }) },
    resolve: (_root, args, { scope }) => subscriber(scope, args),
  }),
  subscribers: t.connection(
    {
      ...calls(subscribers),
      type: Subscriber,
      description: 'The subscribers of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: SubscriberFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: SubscriberOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await subscribers(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    SubscriberConnection,
  ),
}))

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

/** The input field that names a subscriber. */
export const subscriberIdField = (t: InputFields) =>
  t.string({
    required: true,
    description: "The client's own id: 1 to 255 characters, of any pattern. Space around it is cut off.",
  })

/** The input fields of a subscriber's profile. */
export const profileFields = (t: InputFields) => ({
  firstName: t.string({ description: 'At most 255 characters. Null clears it.' }),
  lastName: t.string({ description: 'At most 255 characters. Null clears it.' }),
  email: t.string({ description: 'An e-mail address. Null clears it.' }),
  phone: t.string({ description: 'In any form, at most 255 characters. Null clears it.' }),
  avatar: t.string({ description: 'At most 2048 characters. Null clears it.' }),
  locale: t.string({ description: 'BCP 47, such as `en-US`; `en_US` is taken too. Null clears it.' }),
  timezone: t.string({ description: 'An IANA time zone, such as `Europe/Berlin`. Null clears it.' }),
  data: t.field({
    type: 'JSONObject',
    description: "The client's own data: at most 64 KiB of JSON, replaced whole. Null clears it.",
  }),
})

const newSubscriberFields = (t: InputFields) => ({
  subscriberId: subscriberIdField(t),
  ...profileFields(t),
  channels: t.field({
    type: [ChannelCredentialInput],
    description:
      'Credentials of push and chat providers, each channel at most once. A channel that is given is set whole; the others stay.',
  }),
})

/** The payload field that shows a subscriber. */
export const subscriberField = (t: PayloadFields<SubscriberRow>) =>
  t.field({
    type: Subscriber,
    nullable: true,
    description: 'The subscriber as it is now. Null when refused.',
    resolve: ({ result }) => result,
  })

mutationField('createSubscriber', {
  description: 'Creates a subscriber. Refused when the subscriberId exists.',
  input: newSubscriberFields,
  resolver: createSubscriber,
  decode: (input) => input,
  payload: (t) => ({ subscriber: subscriberField(t) }),
})

mutationField('upsertSubscriber', {
  description: 'Creates a subscriber, or changes the fields that are given when the subscriberId exists; null clears.',
  input: newSubscriberFields,
  resolver: upsertSubscriber,
  decode: (input) => input,
  payload: (t) => ({
    subscriber: t.field({
      type: Subscriber,
      nullable: true,
      description: 'The subscriber as it is now. Null when refused.',
      resolve: ({ result }) => result?.subscriber,
    }),
    created: t.boolean({
      nullable: true,
      description: 'Whether it is new. Null when refused.',
      resolve: ({ result }) => result?.created,
    }),
  }),
})

mutationField('updateSubscriber', {
  description: 'Changes the fields that are given; null clears. Without any, nothing changes and `updatedAt` stays.',
  input: (t) => ({ subscriberId: subscriberIdField(t), ...profileFields(t) }),
  resolver: updateSubscriber,
  decode: (input) => input,
  payload: (t) => ({ subscriber: subscriberField(t) }),
})

mutationField('deleteSubscriber', {
  description: 'Deletes a subscriber with its credentials, channel endpoints and topic subscriptions.',
  input: (t) => ({ subscriberId: subscriberIdField(t) }),
  resolver: deleteSubscriber,
  decode: (input) => input,
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(Subscriber.name, result.id),
    }),
  }),
})

const NewSubscriberInput = builder.inputType('NewSubscriberInput', {
  description: 'One subscriber of many.',
  fields: newSubscriberFields,
})

const BulkFailure = builder.objectRef<BulkFailureRow>('CreateSubscribersFailure').implement({
  description: 'A row of `createSubscribers` that could not be written. The others were.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the input, from 0.' }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'Its subscriberId. Null when it has none that can be read.',
    }),
    message: t.exposeString('message', { description: 'Which field was wrong, and what is allowed.' }),
  }),
})

mutationField('createSubscribers', {
  description: `Creates or updates 1 to ${MAX_BULK} subscribers. A bad row fails alone. Of an id that is given twice, the first row creates and the second updates.`,
  input: (t) => ({
    subscribers: t.field({ type: [NewSubscriberInput], required: true, description: `1 to ${MAX_BULK} subscribers.` }),
  }),
  resolver: createSubscribers,
  decode: (input) => input,
  payload: (t) => ({
    created: t.stringList({
      nullable: true,
      description: 'The subscriberIds that are new. Null when the whole was refused.',
      resolve: ({ result }) => result && [...result.created],
    }),
    updated: t.stringList({
      nullable: true,
      description: 'The subscriberIds that existed and were changed. Null when the whole was refused.',
      resolve: ({ result }) => result && [...result.updated],
    }),
    failed: t.field({
      type: [BulkFailure],
      nullable: true,
      description: 'The rows that could not be written. Null when the whole was refused.',
      resolve: ({ result }) => result && [...result.failed],
    }),
  }),
})
