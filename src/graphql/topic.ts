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
import { builder, type InputFields } from './schema/builder.ts'
import { connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField, part } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { queryField, queryList } from './schema/query.ts'
import { clearsIt, createdAt, keyOf, newestFirst, updatedAt } from './schema/wording.ts'

export const Topic = builder.objectRef<TopicRow>('Topic')
defineNode(Topic, {
  description: 'A named group of subscribers that a workflow can be triggered for.',
  resolver: topic,
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key, unique in the environment. Never changes.' }),
    name: t.exposeString('name', { nullable: true, description: 'The display name. Null if not set.' }),
    data: t.expose('data', { type: 'JSONObject', description: 'Custom data. Empty if not set.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('topic') }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: updatedAt('name or the data of the topic'),
    }),
  }),
})

queryField('topic', {
  description: 'The topic with this key. Null if it does not exist.',
  type: Topic,
  nullable: true,
  args: (arg) => ({ key: arg.string({ required: true, description: keyOf('topic') }) }),
  resolver: topic,
})

queryList('topics', {
  description: `The topics of the environment. ${newestFirst}`,
  connection: connectionOf(Topic, 'A page of topics.'),
  args: listArgs('Topic', (t) => ({
    key: t.string({ description: 'The exact key.' }),
    name: t.string({ description: 'The exact name.' }),
    search: t.string({
      description:
        'A part of the key or the name. Case-insensitive. Without three letters or digits in a row, it must be the beginning of the key or the name.',
    }),
  })),
  resolver: topics,
})

const detailFields = (t: InputFields) => ({
  name: t.string({ description: `The display name: at most 255 characters. ${clearsIt}` }),
  data: t.field({
    type: 'JSONObject',
    description: `Custom data: at most 64 KiB of JSON. Replaces the current data. ${clearsIt}`,
  }),
})

const topicKeyField = (t: InputFields) => t.string({ required: true, description: keyOf('topic') })

const newTopicFields = (t: InputFields) => ({
  key: t.string({
    required: true,
    description: 'The key: 1 to 255 letters, digits, `-`, `_` and `:`, or an email address.',
  }),
  ...detailFields(t),
})

mutationField('createTopic', {
  description: 'Creates a topic. Fails with `CONFLICT` if the key exists.',
  input: newTopicFields,
  resolver: createTopic,
  payload: { topic: Topic },
})

mutationField('upsertTopic', {
  description: 'Creates a topic, or updates the given fields if the key exists.',
  input: newTopicFields,
  resolver: upsertTopic,
  payload: {
    topic: (t) => part(t, Topic, 'The topic.', ({ topic }) => topic),
    created: (t) => part(t, 'Boolean', 'True if the topic was created, false if it existed.', ({ created }) => created),
  },
})

mutationField('updateTopic', {
  description: 'Updates the given fields of a topic. Null clears a field.',
  input: (t) => ({ key: topicKeyField(t), ...detailFields(t) }),
  resolver: updateTopic,
  payload: { topic: Topic },
})

mutationField('deleteTopic', {
  description: 'Deletes a topic and its subscriptions.',
  input: (t) => ({ key: topicKeyField(t) }),
  resolver: deleteTopic,
  payload: { deletedId: deletedId(Topic) },
})
