// Routes of the export and the erasure of persons.
import { z } from 'zod'
import { type Erasure, erasure, MAX_MENTIONS, mentionsOf, mentionTypes } from '../../domain/erasure/erasure.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { exportSubscriber } from '../../domain/erasure/subscriber-export.ts'
import { eraseSubscriber, eraseSubscribers } from '../../engine/erasure/erase-person.ts'
import { present } from '../../lib/present.ts'
import { route } from '../route.ts'
import { bySubscriberId, found, timestamp } from '../views.ts'

const erasureView = z
  .object({
    _id: z.string(),
    createdAt: timestamp,
    finishedAt: timestamp.optional().meta({ description: 'Time the last trace was erased. Absent before that.' }),
    mentionCount: z.int().meta({
      description:
        'Number of contexts, topics, channel endpoints and other subscribers that name the persons. Complete when the erasure has finished.',
    }),
    mentions: z
      .array(
        z.object({
          type: z.enum(mentionTypes),
          key: z.string().meta({
            description:
              'Key of the context or the topic, the subscriberId, or the identifier of the channel endpoint.',
          }),
        }),
      )
      .meta({
        description: `The first ${MAX_MENTIONS} objects that name the person. Correct or delete them yourself.`,
      }),
  })
  .meta({ id: 'Erasure', description: 'The erasure of one or more persons. Jobs execute it in the background.' })

async function showErasure(shown: Erasure, scope: DoorScope): Promise<z.input<typeof erasureView>> {
  const { id, createdAt, finishedAt, mentionCount } = shown
  return {
    _id: id,
    createdAt: createdAt.toISOString(),
    ...present({ finishedAt: finishedAt?.toISOString() }),
    mentionCount,
    mentions: (await mentionsOf(scope, shown)).map(({ type, key }) => ({ type, key })),
  }
}

const { also } = eraseSubscriber.definition.input.shape

export const erasureRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/export',
    summary: 'Export everything about a subscriber as one JSON document, without secrets',
    params: bySubscriberId,
    resolver: exportSubscriber,
    statuses: [200],
    response: z.record(z.string(), z.unknown()),
    view: (document) => document,
  }),
  route({
    method: 'post',
    path: '/v2/subscribers/{subscriberId}/erase',
    summary: 'Delete a subscriber and erase the person from events, messages, notifications and stored responses',
    example: { also: ['former@example.com'] },
    params: bySubscriberId,
    body: z.object({
      also: also.meta({ description: 'Other texts that name the person. These texts are replaced too.' }),
    }),
    resolver: eraseSubscriber,
    statuses: [202],
    response: erasureView,
    view: showErasure,
  }),
  route({
    method: 'post',
    path: '/v2/erasures',
    summary: 'Delete several subscribers and erase the persons in one pass',
    example: { subscribers: [{ subscriberId: 'ada', also: ['former@example.com'] }, { subscriberId: 'grace' }] },
    body: eraseSubscribers.definition.input,
    resolver: eraseSubscribers,
    statuses: [202],
    response: erasureView,
    view: showErasure,
  }),
  route({
    method: 'get',
    path: '/v2/erasures/{id}',
    summary: 'Read whether an erasure has finished',
    params: z.object({ id: z.string().meta({ description: '`_id` of the erasure.' }) }),
    resolver: erasure,
    statuses: [200],
    response: erasureView,
    view: (row, scope, { params }) => showErasure(found(row, 'Erasure', params.id), scope),
  }),
]
