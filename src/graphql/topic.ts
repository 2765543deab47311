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
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byIdentifier, byName, connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField, part } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { queryField, queryList } from './schema/query.ts'
import {
  clearsIt,
  createdAt,
  expectedVersionOf,
  incrementedVersion,
  keyOf,
  newestFirst,
  partOfEither,
  updatedAt,
} from './schema/wording.ts'

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
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const named = addressOf(Topic, { key: keyOf('topic') })

queryField('topic', {
  description: 'The topic with this key or node id. Null if it does not exist.',
  type: Topic,
  nullable: true,
  args: named.args,
  resolver: topic,
  decode: named.decode,
})

queryList('topics', {
  description: `The topics of the environment. ${newestFirst}`,
  connection: connectionOf(Topic, 'A page of topics.'),
  args: listArgs(
    'Topic',
    (t) => ({
      key: t.string({ description: 'The exact key.' }),
      name: t.string({ description: 'The exact name.' }),
      search: t.string({
        description: partOfEither('key', 'name'),
      }),
    }),
    { ...byName('key'), ...byIdentifier('KEY', 'The key.') },
  ),
  resolver: topics,
})

const detailFields = (t: InputFields) => ({
  name: t.string({ description: `The display name: at most 255 characters. ${clearsIt}` }),
  data: t.field({
    type: 'JSONObject',
    description: `Custom data: at most 64 KiB of JSON. Replaces the current data. ${clearsIt}`,
  }),
})

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
  input: (t) => ({
    ...named.fields(t),
    ...detailFields(t),
    expectedVersion: t.int({ description: expectedVersionOf('topic') }),
  }),
  resolver: updateTopic,
  decode: named.decode,
  payload: { topic: Topic },
})

mutationField('deleteTopic', {
  description: 'Deletes a topic and its subscriptions.',
  input: named.fields,
  resolver: deleteTopic,
  decode: named.decode,
  payload: { deletedId: deletedId(Topic) },
})
