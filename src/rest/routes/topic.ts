// Routes of topics.
import { z } from 'zod'
import { asObject } from '../../domain/channel/stored-json.ts'
import { deleteTopic, type Topic, topic, topics, updateTopic, upsertTopic } from '../../domain/topic.ts'
import { present } from '../../lib/present.ts'
import { errorObject } from '../errors.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { byTopicKey, flag, found, ownData, timestamp, topicPath } from '../views.ts'

const topicView = z
  .object({
    _id: z.string(),
    key: z.string(),
    name: z.string().optional(),
    data: ownData,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Topic', description: 'A named group of subscribers.' })

const existingTopic = errorObject
  .extend(topicView.shape)
  .meta({ id: 'ExistingTopic', description: 'A conflict, with the existing topic.' })

function showTopic({ id, key, name, data, createdAt, updatedAt }: Topic): z.input<typeof topicView> {
  return {
    _id: id,
    key,
    ...present({ name }),
    data: asObject(data),
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
      key: z.string().optional().meta({ description: 'Filter by key. Exact match.' }),
      name: z.string().optional().meta({ description: 'Filter by name. Exact match.' }),
    }),
    resolver: topics,
    input: ({ query: { key, name, ...query } }) => ({ ...pageOfQuery(query), filter: { key, name } }),
    statuses: [200],
    response: pageSchema(topicView),
    view: (page, scope) => showPage(scope, page, showTopic),
  }),
  route({
    method: 'post',
    path: '/v2/topics',
    summary: 'Create a topic, or update it if the key exists',
    example: { key: 'orders:eu', name: 'Orders in Europe' },
    query: z.object({
      failIfExists: flag
        .optional()
        .meta({ description: 'True to return 409 with the existing topic instead of updating it.' }),
    }),
    body: upsertTopic.definition.input.omit({ failIfExists: true }),
    resolver: upsertTopic,
    input: ({ query, body }) => ({ ...body, failIfExists: query.failIfExists }),
    statuses: [201, 200],
    status: ({ created }) => (created ? 201 : 200),
    response: topicView,
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
    nameOf: topicPath,
    input: ({ params }) => ({ key: params.topicKey }),
    statuses: [200],
    version: (row) => row?.version,
    response: topicView,
    view: (row, _scope, { params }) => showTopic(found(row, 'Topic', params.topicKey)),
  }),
  route({
    method: 'patch',
    path: '/v2/topics/{topicKey}',
    summary: 'Update a topic; null clears the name',
    example: { name: 'Orders' },
    params: byTopicKey,
    body: updateTopic.definition.input.omit({ key: true, id: true }),
    conditional: true,
    resolver: updateTopic,
    nameOf: topicPath,
    input: ({ params, body, condition }) => ({ ...body, ...condition, key: params.topicKey }),
    statuses: [200],
    version: ({ version }) => version,
    response: topicView,
    view: showTopic,
  }),
  route({
    method: 'delete',
    path: '/v2/topics/{topicKey}',
    summary: 'Delete a topic and its subscriptions',
    params: byTopicKey,
    resolver: deleteTopic,
    nameOf: topicPath,
    input: ({ params }) => ({ key: params.topicKey }),
    statuses: [200],
    response: z.object({ acknowledged: z.boolean() }),
    view: () => ({ acknowledged: true }),
  }),
]
