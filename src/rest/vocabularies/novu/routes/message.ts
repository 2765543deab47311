// Routes of messages in version 1.
import { z } from 'zod'
import { Channel } from '../../../../data/prisma/enums.ts'
import { delivery } from '../../../../domain/execution/delivery.ts'
import { deleteNotificationsOfEvent } from '../../../../domain/execution/event-notifications.ts'
import { notificationCountsByFilter } from '../../../../domain/feed/filter-count.ts'
import { messages } from '../../../../domain/execution/message.ts'
import { completeNotificationAction, revertNotificationAction } from '../../../../domain/feed/notification-action.ts'
import {
  deleteNotification,
  markNotifications,
  MAX_IDS,
  notification,
  type Notification,
  notifications,
} from '../../../../domain/notification.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { type Path, refuse } from '../../../../lib/errors.ts'
import { route, type Route } from '../../../route.ts'
import { eitherOf } from '../../../vocabulary.ts'
import { bySubscriberId, flag } from '../../../views.ts'
import { messageView, showMessage, showNotificationAsMessage } from '../words/message.ts'
import { numberedPage, numberedQuery, numberedSchema, showNumbered } from '../words/numbered-page.ts'
import { prefix } from '../words/prefix.ts'
import { unsupported } from '../words/unsupported.ts'

const ofSubscriber = `${prefix}/v1/subscribers/{subscriberId}` as const

const marks = z.enum(['read', 'seen', 'unread', 'unseen'])

const named = (id: unknown) => refuse('NOT_FOUND', `Message "${String(id)}" not found`, 'messageId', id)

/** Returns the notifications that a request names. @throws Refusal `NOT_FOUND` for one that the subscriber does not have. */
async function messagesNamed(
  scope: DoorScope,
  subscriberId: string,
  messageId: string | readonly string[],
): Promise<Notification[]> {
  const ids = typeof messageId === 'string' ? [messageId] : messageId
  return Promise.all(
    ids.map(async (id) => {
      const row = z.uuid().safeParse(id).success ? await notification(scope, { id }) : null
      if (row?.subscriberId !== subscriberId) throw named(id)
      return row
    }),
  )
}

const byMessageId = bySubscriberId.extend({ messageId: z.string().meta({ description: '`_id` of the message.' }) })

const states = z.object({ status: z.enum(['pending', 'done']).meta({ description: '`done` completes the action.' }) })

const actionBody = states.extend({
  payload: z.strictObject({}).optional().meta({ description: 'Always empty: the client sends nothing else.' }),
})

function changeTo(resolver: typeof completeNotificationAction): Route {
  return route({
    method: 'post',
    path: `${ofSubscriber}/messages/{messageId}/actions/{type}`,
    operationId: 'message.updateAction',
    summary: 'Complete or reopen an action of a message',
    example: { status: 'done' },
    params: byMessageId.extend({ type: resolver.definition.input.shape.action.meta({ description: 'The button.' }) }),
    body: actionBody,
    resolver,
    input: ({ params: { subscriberId, messageId: id, type: action } }) => ({ subscriberId, id, action }),
    nameOf: (path) => (path[0] === 'id' ? ['messageId'] : path[0] === 'action' ? ['type'] : path),
    statuses: [201],
    response: messageView,
    view: showNotificationAsMessage,
  })
}

const isPending = (body: unknown) => states.safeParse(body).data?.status === 'pending'

const inFeedOnly = z
  .literal('in_app', { error: 'must be in_app: messages of other channels are sent' })
  .optional()
  .meta({ description: 'Only `in_app`: messages of other channels are sent.' })

export const novuMessageRoutes = [
  route({
    method: 'get',
    path: `${ofSubscriber}/notifications/feed`,
    operationId: 'notification.listNumbered',
    summary: 'List the in-app feed of a subscriber without contexts, in numbered pages',
    params: bySubscriberId,
    query: numberedQuery.extend({
      read: flag.optional().meta({ description: 'True matches read notifications, false unread notifications.' }),
      seen: flag.optional().meta({ description: 'True matches seen notifications, false unseen notifications.' }),
      payload: unsupported('filter by data in version 2'),
      feedIdentifier: unsupported('a subscriber has one feed for each set of contexts'),
    }),
    resolver: notifications,
    input: ({ params, query: { read, seen, page, limit } }) => ({
      ...params,
      filter: { read, seen },
      page: numberedPage({ page, limit }),
    }),
    nameOf: (path) => (path[0] === 'skip' ? ['page'] : path),
    statuses: [200],
    response: numberedSchema(messageView).extend({ totalCount: z.int() }),
    async view(page, scope, { query }) {
      const [shown, total] = await Promise.all([
        showNumbered(page, query, (row) => showNotificationAsMessage(row, scope)),
        page.total(),
      ])
      return { ...shown, totalCount: total.count }
    },
  }),
  route({
    method: 'get',
    path: `${ofSubscriber}/notifications/unseen`,
    operationId: 'notification.countUnseen',
    summary: 'Count the unseen or seen notifications in the in-app feed of a subscriber without contexts',
    params: bySubscriberId,
    query: z.object({
      seen: flag.default(false).meta({ description: 'True counts seen notifications.' }),
      limit: z.coerce.number().int().min(1).default(100).meta({ description: 'Highest count.' }),
    }),
    resolver: notificationCountsByFilter,
    input: ({ params, query: { seen } }) => ({ ...params, filters: [{ seen }] }),
    statuses: [200],
    response: z.object({ count: z.int() }),
    view: ([count = 0], _scope, { query: { limit } }) => ({ count: Math.min(count, limit) }),
  }),
  route({
    method: 'post',
    path: `${ofSubscriber}/messages/mark-all`,
    operationId: 'notification.markAll',
    summary: 'Mark all notifications of the in-app feed without contexts',
    example: { markAs: 'read' },
    params: bySubscriberId,
    body: z.object({
      markAs: marks,
      feedIdentifier: unsupported('a subscriber has one feed for each set of contexts'),
    }),
    resolver: markNotifications,
    input: ({ params, body: { markAs } }) => ({ ...params, as: markAs }),
    statuses: [201],
    response: z.int().meta({ description: 'Number of changed notifications.' }),
    view: ({ updated }) => updated,
  }),
  route({
    method: 'post',
    path: `${ofSubscriber}/messages/mark-as`,
    operationId: 'notification.markAs',
    summary: `Mark up to ${MAX_IDS} notifications of a feed`,
    example: { messageId: ['0199b0a0-0000-7000-8000-000000000000'], markAs: 'read' },
    params: bySubscriberId,
    body: z.object({
      messageId: z
        .union([z.string(), z.array(z.string()).min(1).max(MAX_IDS)])
        .meta({ description: '`_id` of the message, or a list.' }),
      markAs: marks,
    }),
    resolver: markNotifications,
    async input({ params: { subscriberId }, body: { messageId, markAs } }, scope) {
      const rows = await messagesNamed(scope, subscriberId, messageId)
      const feeds = new Set(rows.map(({ contextKeys }) => contextKeys.join()))
      if (feeds.size > 1) {
        throw refuse('INVALID', 'messageId must name messages of one set of contexts', 'messageId', messageId)
      }
      return { subscriberId, contextKeys: rows[0]?.contextKeys, ids: rows.map(({ id }) => id), as: markAs }
    },
    statuses: [201],
    response: z.array(messageView),
    async view(_marked, scope, { params: { subscriberId }, body: { messageId } }) {
      const rows = await messagesNamed(scope, subscriberId, messageId)
      return Promise.all(rows.map((row) => showNotificationAsMessage(row, scope)))
    },
  }),
  route({
    method: 'get',
    path: `${prefix}/v1/messages`,
    summary: 'List the messages of all channels, newest first',
    query: numberedQuery.extend({
      channel: z.enum(Channel).optional().meta({ description: 'Filter by channel.' }),
      subscriberId: z.string().optional().meta({ description: 'Filter by recipient.' }),
      transactionId: z.array(z.string()).optional().meta({ description: 'Filter by events: any of them.' }),
      contextKeys: z.array(z.string()).optional().meta({ description: 'Exact contexts of the event.' }),
    }),
    resolver: messages,
    input: ({ query: { page, limit, transactionId, ...filter } }) => ({
      ...numberedPage({ page, limit }),
      filter: { ...filter, transactionIds: transactionId?.length === 0 ? undefined : transactionId },
    }),
    nameOf: ([field, ...rest]) =>
      field === 'skip' ? ['page'] : field === 'transactionIds' ? ['transactionId', ...rest] : [field ?? '', ...rest],
    statuses: [200],
    response: numberedSchema(messageView),
    view: (page, scope, { query }) => showNumbered(page, query, (row) => showMessage(row, scope)),
  }),
  eitherOf(changeTo(completeNotificationAction), changeTo(revertNotificationAction), isPending),
  route({
    method: 'delete',
    path: `${prefix}/v1/messages/{messageId}`,
    operationId: 'message.delete',
    summary: 'Delete a notification from its feed',
    params: z.object({ messageId: byMessageId.shape.messageId }),
    resolver: deleteNotification,
    async input({ params: { messageId: id } }, scope) {
      if (!z.uuid().safeParse(id).success) throw named(id)
      if ((await delivery(scope, { id })) !== null) {
        throw refuse('INVALID', 'messageId must be a notification of a feed: other messages are sent', 'messageId', id)
      }
      return { id }
    },
    nameOf: (path): Path => (path[0] === 'id' ? ['messageId'] : path),
    statuses: [200],
    response: z.object({ acknowledged: z.boolean(), status: z.literal('deleted') }),
    view: () => ({ acknowledged: true, status: 'deleted' as const }),
  }),
  route({
    method: 'delete',
    path: `${prefix}/v1/messages/transaction/{transactionId}`,
    summary: 'Delete the notifications of an event from all feeds',
    params: z.object({ transactionId: z.string().meta({ description: 'Transaction id of the event.' }) }),
    query: z.object({ channel: inFeedOnly }),
    resolver: deleteNotificationsOfEvent,
    statuses: [204],
  }),
]
