// Topics at the REST door.
import { z } from 'zod'
import { deleteTopic, type Topic, topic, topics, updateTopic, upsertTopic } from '../../domain/topic.ts'
import { errorObject } from '../errors.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { byTopicKey, flag, found, ownData, present, timestamp } from '../views.ts'

const topicView = z
  .object({
    _id: z.string(),
    key: z.string(),
    name: z.string().optional(),
    data: ownData,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Topic', description: 'A group that subscribers subscribe to.' })

const existingTopic = errorObject
  .extend(topicView.shape)
  .meta({ id: 'ExistingTopic', description: 'A conflict, with the topic that it met.' })

function showTopic({ id, key, name, data, createdAt, updatedAt }: Topic): z.input<typeof topicView> {
  return {
    _id: id,
    key,
    ...present({ name }),
    data: ownData.parse(data),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

export const topicRoutes = [
  route({
    method: 'get',
    path: '/v2/topics',
    summary: 'List topics',
    query: pageQuery.extend({
      key: z.string().optional().meta({ description: 'Exactly this key.' }),
      name: z.string().optional().meta({ description: 'Exactly this name.' }),
    }),
    resolver: topics,
    input: ({ query: { key, name, ...query } }) => ({ ...pageOfQuery(query), filter: { key, name } }),
    statuses: [200],
    answer: pageSchema(topicView),
    view: (page) => showPage(page, showTopic),
  }),
  route({
    method: 'post',
    path: '/v2/topics',
    summary: 'Create a topic, or change it when the key exists',
    example: { key: 'orders:eu', name: 'Orders in Europe' },
    query: z.object({
      failIfExists: flag.optional().meta({ description: 'Refuse with 409, and show the topic, when the key exists.' }),
    }),
    body: upsertTopic.definition.input.omit({ failIfExists: true }),
    resolver: upsertTopic,
    input: ({ query, body }) => ({ ...body, failIfExists: query.failIfExists }),
    statuses: [201, 200],
    status: ({ created }) => (created ? 201 : 200),
    answer: topicView,
    refusals: { 409: existingTopic },
    view: ({ topic }) => showTopic(topic),
    viewExisting: async (scope, { body: { key } }) => showTopic(found(await topic(scope, { key }), 'Topic', key)),
  }),
  route({
    method: 'get',
    path: '/v2/topics/{topicKey}',
    summary: 'Read a topic',
    params: byTopicKey,
    resolver: topic,
    input: ({ params }) => ({ key: params.topicKey }),
    statuses: [200],
    answer: topicView,
    view: (row, _scope, { params }) => showTopic(found(row, 'Topic', params.topicKey)),
  }),
  route({
    method: 'patch',
    path: '/v2/topics/{topicKey}',
    summary: 'Change a topic; null clears the name',
    example: { name: 'Orders' },
    params: byTopicKey,
    body: updateTopic.definition.input.omit({ key: true }),
    resolver: updateTopic,
    input: ({ params, body }) => ({ ...body, key: params.topicKey }),
    statuses: [200],
    answer: topicView,
    view: showTopic,
  }),
  route({
    method: 'delete',
    path: '/v2/topics/{topicKey}',
    summary: 'Delete a topic with its subscriptions',
    params: byTopicKey,
    resolver: deleteTopic,
    input: ({ params }) => ({ key: params.topicKey }),
    statuses: [200],
    answer: z.object({ acknowledged: z.boolean() }),
    view: () => ({ acknowledged: true }),
  }),
]
