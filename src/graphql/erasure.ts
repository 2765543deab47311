// Export and erasure of persons in the graph.
import {
  type Erasure as ErasureValue,
  erasure,
  MAX_MENTIONS,
  type Mention,
  mentionsOf,
  type MentionType,
} from '../domain/erasure/erasure.ts'
import { eraseSubscriber, eraseSubscribers, MAX_MARKS, MAX_PERSONS } from '../engine/erasure/erase-person.ts'
import { exportSubscriber, MAX_EXPORTED } from '../domain/erasure/subscriber-export.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId, rowIdOf } from './schema/node-id.ts'
import { defineNode } from './schema/node.ts'
import { edge, queryField } from './schema/query.ts'
import { namedSubscriber, subscriberIdField } from './subscriber.ts'
import { byDefault, createdAt, nodeIdOf } from './schema/wording.ts'

const ErasureMentionType = builder.enumType('ErasureMentionType', {
  description: 'The type of an object that names an erased person.',
  values: {
    CONTEXT: { value: 'context', description: 'A context.' },
    TOPIC: { value: 'topic', description: 'A topic.' },
    SUBSCRIBER: { value: 'subscriber', description: 'Another subscriber.' },
    CHANNEL_ENDPOINT: { value: 'channel_endpoint', description: 'A channel endpoint of another subscriber.' },
    CHANNEL_CONNECTION: {
      value: 'channel_connection',
      description: 'A channel connection that is shared, or of another subscriber.',
    },
  } as const satisfies Record<string, { value: MentionType; description: string }>,
})

const typenames = {
  context: 'Context',
  topic: 'Topic',
  subscriber: 'Subscriber',
  channel_endpoint: 'ChannelEndpoint',
  channel_connection: 'ConnectedWorkspace',
} as const satisfies Record<MentionType, string>

const ErasureMention = builder.objectRef<Mention>('ErasureMention').implement({
  description: 'An object that names an erased person. The erasure does not change it, because it belongs to others.',
  fields: (t) => ({
    type: t.expose('type', { type: ErasureMentionType, description: 'The type of the object.' }),
    nodeId: t.id({
      description: nodeIdOf('object'),
      resolve: ({ type, id }) => encodeNodeId(typenames[type], id),
    }),
    key: t.exposeString('key', {
      description:
        'The key of the context or the topic, the subscriberId, or the identifier of the channel endpoint or the channel connection.',
    }),
  }),
})

const Erasure = builder.objectRef<ErasureValue>('Erasure')
defineNode(Erasure, {
  description:
    'The erasure of one or more persons. Jobs execute it in the background. Read the erasure by its id to see whether it has finished.',
  resolver: erasure,
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('erasure') }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the last trace was erased. Null before that.',
    }),
    mentionCount: t.exposeInt('mentionCount', {
      description:
        'The number of contexts, topics, channel endpoints, channel connections and other subscribers that name the persons. Complete when the erasure has finished.',
    }),
    mentions: edge(t, {
      type: [ErasureMention],
      description: `The first ${MAX_MENTIONS} objects that \`mentionCount\` counts. Objects that were deleted since are omitted. The erasure does not change these objects: correct or delete them yourself. An object that was corrected stays in the list.`,
      resolver: mentionsOf,
      decode: (row) => row,
    }),
  }),
})

queryField('erasure', {
  description: 'The erasure with this id. Null if it does not exist.',
  type: Erasure,
  nullable: true,
  args: (arg) => ({ id: arg.id({ required: true, description: nodeIdOf('erasure') }) }),
  resolver: erasure,
  decode: ({ id }) => ({ id: rowIdOf(Erasure, id, 'id') }),
})

queryField('subscriberExport', {
  description: `Everything about a subscriber as one JSON document: profile, credentials and endpoints without their secrets, subscriptions, preferences, notifications, triggers that created no event, and events with their attachments (name, type, size and SHA-256) and the runs of the subscriber, newest first. Lists end after ${MAX_EXPORTED} rows; \`truncated\` names the lists that are incomplete.`,
  type: 'JSONObject',
  args: namedSubscriber.args,
  resolver: exportSubscriber,
  decode: namedSubscriber.decode,
})

const alsoField = (t: InputFields) =>
  t.stringList({
    description: `At most ${MAX_MARKS} other texts that name the person, such as former email addresses, each of 3 to 320 characters. These texts are replaced too. ${byDefault('none')}`,
  })

const ErasedSubscriberInput = builder.inputType('ErasedSubscriberInput', {
  description: 'A person in a request that erases several persons.',
  fields: (t) => ({ subscriberId: subscriberIdField(t), also: alsoField(t) }),
})

mutationField('eraseSubscriber', {
  description:
    'Deletes a subscriber, as `deleteSubscriber` does, and erases the person. Jobs remove the payloads of events whose only recipient is the subscriber. In all other events, messages, notifications and stored responses of the environment, they replace the id, addresses and names of the subscriber. A subscriber that was deleted before can be erased too, by its subscriberId.',
  input: (t) => ({ ...namedSubscriber.fields(t), also: alsoField(t) }),
  resolver: eraseSubscriber,
  decode: namedSubscriber.decode,
  payload: { erasure: Erasure },
})

mutationField('eraseSubscribers', {
  description: `Deletes and erases 1 to ${MAX_PERSONS} subscribers, as \`eraseSubscriber\` does, in one pass over the events and messages of the environment. This takes little longer than the erasure of one subscriber.`,
  input: (t) => ({
    subscribers: t.field({
      type: [ErasedSubscriberInput],
      required: true,
      description: `1 to ${MAX_PERSONS} subscribers.`,
    }),
  }),
  resolver: eraseSubscribers,
  payload: { erasure: Erasure },
})
