// Topics in the graph.
import {
  createTopic,
  deleteTopic,
  topic,
  type Topic as TopicRow,
  topics,
  updateTopic,
  upsertTopic,
} from '../domain/topic.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField, type PayloadFields } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'

export const Topic = builder.objectRef<TopicRow>('Topic')
builder.node(Topic, {
  description: 'A group that subscribers subscribe to.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => topic(scope, { id }))),
  fields: (t) => ({
    key: t.exposeString('key', { description: "The client's own key: unique in the environment, and never changed." }),
    name: t.exposeString('name', { nullable: true, description: 'Its name, for people. Null when it has none.' }),
    data: t.expose('data', { type: 'JSONObject', description: "The client's own data. Empty when there is none." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its name or data was last changed.' }),
  }),
})

const TopicConnection = connectionOf(Topic, 'A page of topics.')

const TopicFilter = builder.inputType('TopicFilter', {
  description: 'Which topics: those that meet all that is given.',
  fields: (t) => ({
    key: t.string({ description: 'Exactly this key.' }),
    name: t.string({ description: 'Exactly this name.' }),
    search: t.string({ description: 'A part of the key or the name, in whichever case.' }),
  }),
})
const TopicOrder = orderInput('Topic')

builder.queryFields((t) => ({
  topic: t.field({
    ...calls(topic),
    type: Topic,
    nullable: true,
    description: 'The topic of this key. Null when it does not exist.',
    args: { key: t.arg.string({ required: true, description: "The client's own key." }) },
    resolve: (_root, args, { scope }) => topic(scope, args),
  }),
  topics: t.connection(
    {
      ...calls(topics),
      type: Topic,
      description: 'The topics of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: TopicFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: TopicOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await topics(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    TopicConnection,
  ),
}))

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

const detailFields = (t: InputFields) => ({
  name: t.string({ description: 'Its name, for people: at most 255 characters. Null clears it.' }),
  data: t.field({
    type: 'JSONObject',
    description: "The client's own data: at most 64 KiB of JSON, replaced whole. Null clears it.",
  }),
})

const topicKeyField = (t: InputFields) => t.string({ required: true, description: 'The topic.' })

const newTopicFields = (t: InputFields) => ({
  key: t.string({
    required: true,
    description: '1 to 255 letters, digits, `-`, `_` and `:`, or an e-mail address.',
  }),
  ...detailFields(t),
})

const topicField = (t: PayloadFields<TopicRow>) =>
  t.field({
    type: Topic,
    nullable: true,
    description: 'The topic as it is now. Null when refused.',
    resolve: ({ result }) => result,
  })

mutationField('createTopic', {
  description: 'Creates a topic. Refused when the key exists.',
  input: newTopicFields,
  resolver: createTopic,
  decode: (input) => input,
  payload: (t) => ({ topic: topicField(t) }),
})

mutationField('upsertTopic', {
  description: 'Creates a topic, or changes the fields that are given when the key exists.',
  input: newTopicFields,
  resolver: upsertTopic,
  decode: (input) => input,
  payload: (t) => ({
    topic: t.field({
      type: Topic,
      nullable: true,
      description: 'The topic as it is now. Null when refused.',
      resolve: ({ result }) => result?.topic,
    }),
    created: t.boolean({
      nullable: true,
      description: 'Whether it is new. Null when refused.',
      resolve: ({ result }) => result?.created,
    }),
  }),
})

mutationField('updateTopic', {
  description: 'Changes the fields that are given; null clears.',
  input: (t) => ({ key: topicKeyField(t), ...detailFields(t) }),
  resolver: updateTopic,
  decode: (input) => input,
  payload: (t) => ({ topic: topicField(t) }),
})

mutationField('deleteTopic', {
  description: 'Deletes a topic with its subscriptions.',
  input: (t) => ({ key: topicKeyField(t) }),
  resolver: deleteTopic,
  decode: (input) => input,
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(Topic.name, result.id),
    }),
  }),
})
