// Routes of notifications: the in-app feed.
import { z } from 'zod'
import { Severity } from '../../data/prisma/enums.ts'
import {
  actionsOf,
  deleteNotification,
  deleteNotifications,
  markNotification,
  markNotifications,
  type Notification,
  notificationCounts,
  notificationFilter,
  type NotificationMark,
  notifications,
} from '../../domain/notification.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { present } from '../../lib/present.ts'
import { cursorQuery, pageOfCursors, pageSchema, showPage } from '../page.ts'
import { route, type Route } from '../route.ts'
import { bySubscriberId, flag, ownData, timestamp } from '../views.ts'

const notificationView = z
  .object({
    _id: z.string(),
    subscriberId: z.string(),
    contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`, sorted.' }),
    workflowIdentifier: z.string(),
    subject: z.string().optional(),
    body: z.string(),
    avatar: z.string().optional().meta({ description: 'URL of an image.' }),
    url: z.string().optional().meta({ description: 'URL that a click opens.' }),
    actions: z
      .array(z.object({ label: z.string(), url: z.string() }))
      .meta({ description: 'Buttons, in display order.' }),
    data: ownData,
    payload: ownData.optional().meta({ description: 'Fields of the payload that the step names in `payloadFields`.' }),
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
    data: asObject(data),
    ...present({ payload: row.payload === null ? undefined : asObject(row.payload) }),
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
  .meta({ description: 'Contexts of the feed, each as `<type>:<id>`. Default: the feed without contexts.' })

/** Filter of a feed, as query parameters. */
const filter = z.object({
  read: flag.optional().meta({ description: 'True matches read notifications, false unread notifications.' }),
  seen: flag.optional().meta({ description: 'True matches seen notifications, false unseen notifications.' }),
  archived: flag
    .optional()
    .meta({ description: 'True matches archived notifications, false all others. Default: false.' }),
  severity: z
    .array(z.enum(Severity))
    .optional()
    .meta({ description: 'Filter by severity. Matches any of the severities.' }),
  tags: z.array(z.string()).optional().meta({ description: 'Filter by tag. Matches any of the tags.' }),
})

const byId = bySubscriberId.extend({ id: z.string().meta({ description: '`_id` of the notification.' }) })

const { ids } = markNotifications.definition.input.shape
const selection = notificationFilter.pick({ severity: true, tags: true }).extend({ ids, contextKeys })

const marksOfOne = { read: 'read', unread: 'unread', archive: 'archived', unarchive: 'unarchived' } as const
const marksOfMany = { read: 'read', archive: 'archived', seen: 'seen' } as const

function markOne(verb: keyof typeof marksOfOne): Route {
  const as: NotificationMark = marksOfOne[verb]
  return route({
    method: 'patch',
    path: `/v2/subscribers/{subscriberId}/notifications/{id}/${verb}`,
    operationId: `notification.mark.${verb}`,
    summary: `Mark a notification as ${as}`,
    params: byId,
    resolver: markNotification,
    input: ({ params }) => ({ ...params, as }),
    statuses: [200],
    response: notificationView,
    view: showNotification,
  })
}

function markMany(verb: keyof typeof marksOfMany): Route {
  const as: NotificationMark = marksOfMany[verb]
  return route({
    method: 'post',
    path: `/v2/subscribers/{subscriberId}/notifications/${verb}`,
    operationId: `notification.markMany.${verb}`,
    summary: `Mark the notifications of a feed as ${as}: all, those that match a filter, or those with the given ids`,
    example: { tags: ['orders'] },
    params: bySubscriberId,
    query: z.object({ contextKeys }),
    body: selection,
    resolver: markNotifications,
    input: ({ params, query, body: { ids, contextKeys, ...filter } }) => ({
      ...params,
      contextKeys: contextKeys ?? query.contextKeys,
      ids,
      filter,
      as,
    }),
    statuses: [200],
    response: z.object({
      updated: z.number().int().meta({ description: 'Number of changed notifications.' }),
    }),
    view: ({ updated }) => ({ updated }),
  })
}

export const notificationRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/notifications',
    summary: 'List the in-app feed of a subscriber, newest first',
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
    response: pageSchema(notificationView),
    view: (page, scope) => showPage(scope, page, showNotification),
  }),
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/notifications/count',
    summary: 'Count the notifications in the in-app feed of a subscriber',
    params: bySubscriberId,
    query: z.object({ contextKeys }),
    resolver: notificationCounts,
    statuses: [200],
    response: z.object({ unseen: z.number().int(), unread: z.number().int(), total: z.number().int() }).meta({
      id: 'NotificationCounts',
      description: 'Numbers of notifications without archived notifications, each at most 50000.',
    }),
    view: (counts) => counts,
  }),
  ...(['read', 'unread', 'archive', 'unarchive'] as const).map(markOne),
  ...(['read', 'archive', 'seen'] as const).map(markMany),
  route({
    method: 'post',
    path: '/v2/subscribers/{subscriberId}/notifications/delete',
    summary: 'Delete notifications of a feed: all, those that match a filter, or those with the given ids',
    example: { tags: ['orders'] },
    params: bySubscriberId,
    query: z.object({ contextKeys }),
    body: selection.extend(notificationFilter.pick({ seen: true, read: true, archived: true }).shape),
    resolver: deleteNotifications,
    input: ({ params, query, body: { ids, contextKeys, ...filter } }) => ({
      ...params,
      contextKeys: contextKeys ?? query.contextKeys,
      ids,
      filter,
    }),
    statuses: [200],
    response: z.object({
      deleted: z.number().int().meta({ description: 'Number of deleted notifications.' }),
    }),
    view: ({ deleted }) => ({ deleted }),
  }),
  route({
    method: 'delete',
    path: '/v2/subscribers/{subscriberId}/notifications/{id}',
    summary: 'Delete a notification from the in-app feed of a subscriber',
    params: byId,
    resolver: deleteNotification,
    statuses: [204],
  }),
]
