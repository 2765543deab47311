// The in-app feed at the REST door.
import { z } from 'zod'
import { Severity } from '../../data/prisma/enums.ts'
import {
  actionsOf,
  markNotification,
  markNotifications,
  type Notification,
  notificationCounts,
  notificationFilter,
  type NotificationMark,
  notifications,
} from '../../domain/notification.ts'
import { cursorQuery, pageOfCursors, pageSchema, showPage } from '../page.ts'
import { route, type Route } from '../route.ts'
import { bySubscriberId, flag, ownData, present, timestamp } from '../views.ts'

const notificationView = z
  .object({
    _id: z.string(),
    subscriberId: z.string(),
    contextKeys: z.array(z.string()).meta({ description: 'Each `<type>:<id>`, sorted.' }),
    workflowIdentifier: z.string(),
    subject: z.string().optional(),
    body: z.string(),
    avatar: z.string().optional().meta({ description: 'Address of a picture.' }),
    url: z.string().optional().meta({ description: 'Where a click leads.' }),
    actions: z
      .array(z.object({ label: z.string(), url: z.string() }))
      .meta({ description: 'Buttons, in their order.' }),
    data: ownData,
    severity: z.enum(Severity),
    tags: z.array(z.string()),
    seenAt: timestamp.optional(),
    readAt: timestamp.optional(),
    archivedAt: timestamp.optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Notification', description: "An entry of a subscriber's in-app feed." })

function showNotification(row: Notification): z.input<typeof notificationView> {
  const { id, subscriberId, contextKeys, workflowIdentifier, subject, body, avatar, url, data, severity, tags } = row
  return {
    _id: id,
    subscriberId,
    contextKeys,
    workflowIdentifier,
    ...present({ subject }),
    body,
    ...present({ avatar, url }),
    actions: [...actionsOf(row)],
    data: ownData.parse(data),
    severity,
    tags,
    ...present({
      seenAt: row.seenAt?.toISOString(),
      readAt: row.readAt?.toISOString(),
      archivedAt: row.archivedAt?.toISOString(),
    }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const contextKeys = z
  .array(z.string())
  .optional()
  .meta({ description: 'The contexts of the feed, exactly these, each `<type>:<id>`. Absent or empty means without.' })

/** Which notifications of a feed, as a query says it. */
const filter = z.object({
  read: flag.optional().meta({ description: 'Those that are read, or those that are unread.' }),
  seen: flag.optional().meta({ description: 'Those that were shown, or those that were not.' }),
  archived: flag.optional().meta({ description: 'Those that are archived, or those that are not.' }),
  severity: z.array(z.enum(Severity)).optional().meta({ description: 'Those of one of these severities.' }),
  tags: z.array(z.string()).optional().meta({ description: 'Those with at least one of these tags.' }),
})

const byId = bySubscriberId.extend({ id: z.string().meta({ description: 'The `_id` of the notification.' }) })

const { ids } = markNotifications.definition.input.shape
const choice = notificationFilter.pick({ severity: true, tags: true }).extend({ ids, contextKeys })

const ofOne = { read: 'read', unread: 'unread', archive: 'archived', unarchive: 'unarchived' } as const
const ofMany = { read: 'read', archive: 'archived', seen: 'seen' } as const

function rowOfOne(verb: keyof typeof ofOne): Route {
  const as: NotificationMark = ofOne[verb]
  return route({
    method: 'patch',
    path: `/v2/subscribers/{subscriberId}/notifications/{id}/${verb}`,
    operationId: `notification.mark.${verb}`,
    summary: `Mark a notification as ${as}`,
    params: byId,
    resolver: markNotification,
    input: ({ params }) => ({ ...params, as }),
    statuses: [200],
    answer: notificationView,
    view: showNotification,
  })
}

function rowOfMany(verb: keyof typeof ofMany): Route {
  const as: NotificationMark = ofMany[verb]
  return route({
    method: 'post',
    path: `/v2/subscribers/{subscriberId}/notifications/${verb}`,
    operationId: `notification.markMany.${verb}`,
    summary: `Mark the notifications of a feed as ${as}: all, those that a filter takes, or those that are named`,
    example: { tags: ['orders'] },
    params: bySubscriberId,
    query: z.object({ contextKeys }),
    body: choice,
    resolver: markNotifications,
    input: ({ params, query, body: { ids, contextKeys, ...filter } }) => ({
      ...params,
      contextKeys: contextKeys ?? query.contextKeys,
      ids,
      filter,
      as,
    }),
    statuses: [200],
    answer: z.object({
      updated: z.number().int().meta({ description: 'How many had not been so before.' }),
    }),
    view: ({ updated }) => ({ updated }),
  })
}

export const notificationRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/notifications',
    summary: 'List the in-app feed of a subscriber under exactly these contexts, newest first',
    params: bySubscriberId,
    query: cursorQuery.extend({ contextKeys, ...filter.shape }),
    resolver: notifications,
    input: ({ params, query: { contextKeys, read, seen, archived, severity, tags, ...query } }) => ({
      ...params,
      contextKeys,
      filter: { read, seen, archived, severity, tags },
      page: pageOfCursors(query),
    }),
    statuses: [200],
    answer: pageSchema(notificationView),
    view: (page) => showPage(page, showNotification),
  }),
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/notifications/count',
    summary: 'Count the in-app feed of a subscriber under exactly these contexts',
    params: bySubscriberId,
    query: z.object({ contextKeys }),
    resolver: notificationCounts,
    input: ({ params, query }) => ({ ...params, ...query }),
    statuses: [200],
    answer: z
      .object({ unseen: z.number().int(), unread: z.number().int(), total: z.number().int() })
      .meta({ id: 'NotificationCounts', description: 'How many are not archived, each counted up to 50000.' }),
    view: (counts) => counts,
  }),
  ...(['read', 'unread', 'archive', 'unarchive'] as const).map(rowOfOne),
  ...(['read', 'archive', 'seen'] as const).map(rowOfMany),
]
