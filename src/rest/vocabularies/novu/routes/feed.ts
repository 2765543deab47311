// Routes of a subscriber's feed.
import { z } from 'zod'
import { notificationCountsByFilter } from '../../../../domain/feed/filter-count.ts'
import { completeNotificationAction, revertNotificationAction } from '../../../../domain/feed/notification-action.ts'
import { MAX_SNOOZE_DAYS, snoozeNotification, unsnoozeNotification } from '../../../../domain/feed/snooze.ts'
import {
  deleteNotification,
  deleteNotifications,
  markNotification,
  markNotifications,
  type NotificationMark,
  notifications,
} from '../../../../domain/notification.ts'
import type { Path } from '../../../../lib/errors.ts'
import { dataText } from '../../../routes/notification-view.ts'
import { route, type Route } from '../../../route.ts'
import { bySubscriberId } from '../../../views.ts'
import { filterFrom, filterPath, tagsInWords } from '../words/feed-filter.ts'
import {
  countQuery,
  countsOf,
  countView,
  feedPageOf,
  feedPageQuery,
  feedPageView,
  showCounts,
  showFeedPage,
} from '../words/feed-page.ts'
import { itemView, showItem } from '../words/item.ts'
import { prefix } from '../words/prefix.ts'

const path = `${prefix}/v2/subscribers/{subscriberId}/notifications` as const

const contextKeys = z.array(z.string()).optional()
const ofFeed = contextKeys.meta({
  description: 'Contexts of the feed, each as `<type>:<id>`. Default: the feed without contexts.',
})
const ofItem = z.object({
  contextKeys: contextKeys.meta({ description: 'Contexts that the notification must have. Default: any.' }),
})
const byId = bySubscriberId.extend({ id: z.string().meta({ description: '`id` of the notification.' }) })
const one = { params: byId, query: ofItem, statuses: [200], response: itemView, view: showItem } as const

const marksOfOne = { read: 'read', unread: 'unread', archive: 'archived', unarchive: 'unarchived' } as const

function markOne(verb: keyof typeof marksOfOne): Route {
  const as: NotificationMark = marksOfOne[verb]
  return route({
    ...one,
    method: 'patch',
    path: `${path}/{id}/${verb}`,
    operationId: `notification.mark.${verb}`,
    summary: `Mark a notification as ${as}`,
    resolver: markNotification,
    input: ({ params, query }) => ({ ...params, ...query, as }),
  })
}

/** What a request can do with an action, by the end of its path. */
export const actionChanges = {
  complete: { resolver: completeNotificationAction, summary: 'Complete' },
  revert: { resolver: revertNotificationAction, summary: 'Reopen' },
} as const

function changeAction(verb: keyof typeof actionChanges): Route {
  const { resolver, summary } = actionChanges[verb]
  return route({
    ...one,
    method: 'patch',
    path: `${path}/{id}/actions/{actionType}/${verb}`,
    summary: `${summary} an action of a notification`,
    params: byId.extend({ actionType: resolver.definition.input.shape.action.meta({ description: 'The button.' }) }),
    resolver,
    input: ({ params: { actionType: action, ...params }, query }) => ({ ...params, ...query, action }),
    nameOf: (path) => (path[0] === 'action' ? ['actionType'] : path),
  })
}

const selection = z.object({ tags: tagsInWords.optional(), data: dataText.optional(), contextKeys: ofFeed })
const all = { params: bySubscriberId, body: selection, nameOf: filterPath, statuses: [204] } as const

function markAll(verb: string, as: NotificationMark, only: { readonly read?: true } = {}): Route {
  return route({
    ...all,
    method: 'post',
    path: `${path}/${verb}`,
    operationId: `notification.markMany.${verb}`,
    summary: `Mark all ${only.read ? 'read ' : ''}notifications of a feed as ${as}, or those that match a filter`,
    resolver: markNotifications,
    input: ({ params, body: { contextKeys, ...filter } }) => ({
      ...params,
      contextKeys,
      filter: { ...filterFrom(filter), ...only },
      as,
    }),
  })
}

const namesOfSeen = (path: Path): Path => (path[0] === 'ids' ? ['notificationIds', ...path.slice(1)] : filterPath(path))

export const novuFeedRoutes = [
  route({
    method: 'get',
    path,
    summary: 'List the in-app feed of a subscriber, newest first',
    params: bySubscriberId,
    query: feedPageQuery.extend({ contextKeys: ofFeed }),
    resolver: notifications,
    input: ({ params, query: { contextKeys, ...query } }) => ({ ...params, contextKeys, ...feedPageOf(query) }),
    nameOf: filterPath,
    statuses: [200],
    response: feedPageView,
    view: (page, scope, { query: { contextKeys: _contexts, ...query } }) => showFeedPage(page, scope, query),
  }),
  route({
    method: 'get',
    path: `${path}/count`,
    summary: 'Count the notifications in the in-app feed of a subscriber by each of several filters',
    params: bySubscriberId,
    query: countQuery,
    resolver: notificationCountsByFilter,
    input: ({ params, query }) => ({ ...params, ...countsOf(query) }),
    nameOf: filterPath,
    statuses: [200],
    response: countView,
    view: (counts, _scope, { query }) => showCounts(counts, query),
  }),
  markOne('read'),
  markOne('unread'),
  markOne('archive'),
  markOne('unarchive'),
  route({
    ...one,
    method: 'patch',
    path: `${path}/{id}/snooze`,
    summary: 'Snooze a notification: it leaves its feed, and returns unread at the given time',
    example: { snoozeUntil: '2027-03-01T09:00:00.000Z' },
    body: z.object({
      snoozeUntil: z.iso
        .datetime({ offset: true })
        .meta({ description: `In the future, at most ${MAX_SNOOZE_DAYS} days ahead.` }),
    }),
    resolver: snoozeNotification,
    input: ({ params, query, body: { snoozeUntil } }) => ({ ...params, ...query, until: new Date(snoozeUntil) }),
    nameOf: (path) => (path[0] === 'until' ? ['snoozeUntil'] : path),
  }),
  route({
    ...one,
    method: 'patch',
    path: `${path}/{id}/unsnooze`,
    summary: 'End the snooze of a notification, which returns to its feed at once',
    resolver: unsnoozeNotification,
  }),
  changeAction('complete'),
  changeAction('revert'),
  markAll('read', 'read'),
  markAll('archive', 'archived'),
  markAll('read-archive', 'archived', { read: true }),
  route({
    ...all,
    method: 'post',
    path: `${path}/seen`,
    operationId: 'notification.markMany.seen',
    summary: 'Mark notifications of a feed as seen: all, those that match a filter, or those with the given ids',
    body: selection.extend({ notificationIds: markNotifications.definition.input.shape.ids }),
    resolver: markNotifications,
    input: ({ params, body: { contextKeys, notificationIds: ids, ...filter } }) => ({
      ...params,
      contextKeys,
      ids,
      filter: filterFrom(filter),
      as: 'seen',
    }),
    nameOf: namesOfSeen,
  }),
  route({
    ...all,
    method: 'post',
    path: `${path}/delete`,
    summary: 'Delete all notifications of a feed, or those that match a filter',
    resolver: deleteNotifications,
    input: ({ params, body: { contextKeys, ...filter } }) => ({ ...params, contextKeys, filter: filterFrom(filter) }),
  }),
  route({
    method: 'delete',
    path: `${path}/{id}`,
    summary: 'Delete a notification from the in-app feed of a subscriber',
    params: byId,
    query: ofItem,
    resolver: deleteNotification,
    statuses: [204],
  }),
]
