// Routes of notifications: the in-app feed.
import { z } from 'zod'
import { Severity } from '../../data/prisma/enums.ts'
import {
  deleteNotification,
  deleteNotifications,
  markNotification,
  markNotifications,
  notificationCounts,
  type NotificationMark,
  notifications,
} from '../../domain/notification.ts'
import { notificationFilter } from '../../domain/notification-filter.ts'
import { cursorQuery, pageOfCursors, pageSchema, showPage } from '../page.ts'
import { route, type Route } from '../route.ts'
import { bySubscriberId, dateOf, flag, timestamp } from '../views.ts'
import { byNotificationId, dataText, notificationView, showNotification } from './notification-view.ts'

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
  snoozed: flag
    .optional()
    .meta({ description: 'True matches snoozed notifications, false all others. Default: false.' }),
  severity: z
    .array(z.enum(Severity))
    .optional()
    .meta({ description: 'Filter by severity. Matches any of the severities.' }),
  tags: z.array(z.string()).optional().meta({ description: 'Filter by tag. Matches any of the tags.' }),
  data: dataText.optional(),
  createdGte: timestamp.optional().meta({ description: 'Created at this time or later.' }),
  createdLte: timestamp.optional().meta({ description: 'Created at this time or earlier.' }),
})

const { ids } = markNotifications.definition.input.shape
const selection = notificationFilter
  .pick({ severity: true, tags: true, tagGroups: true, data: true })
  .extend({ ids, contextKeys })

const marksOfOne = { read: 'read', unread: 'unread', archive: 'archived', unarchive: 'unarchived' } as const
const marksOfMany = { read: 'read', archive: 'archived', seen: 'seen' } as const

function markOne(verb: keyof typeof marksOfOne): Route {
  const as: NotificationMark = marksOfOne[verb]
  return route({
    method: 'patch',
    path: `/v2/subscribers/{subscriberId}/notifications/{id}/${verb}`,
    operationId: `notification.mark.${verb}`,
    summary: `Mark a notification as ${as}`,
    params: byNotificationId,
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
    input: ({
      params,
      query: { contextKeys, read, seen, archived, snoozed, severity, tags, data, createdGte, createdLte, ...query },
    }) => ({
      ...params,
      contextKeys,
      filter: {
        ...{ read, seen, archived, snoozed, severity, tags, data },
        ...{ createdGte: dateOf(createdGte), createdLte: dateOf(createdLte) },
      },
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
      description: 'Numbers of notifications without archived and snoozed notifications, each at most 50000.',
    }),
    view: ({ unseen, unread, total }) => ({ unseen, unread, total }),
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
    body: selection.extend(notificationFilter.pick({ seen: true, read: true, archived: true, snoozed: true }).shape),
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
    params: byNotificationId,
    resolver: deleteNotification,
    statuses: [204],
  }),
]
