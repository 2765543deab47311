// Notifications: the in-app feed of a subscriber.
import { findStepRun } from '../../domain/execution/run.ts'
import { event } from '../../domain/trigger/event.ts'
import {
  creationOf,
  deleteNotification,
  deleteNotifications,
  type Feed,
  type FeedCounts,
  markNotification,
  markNotifications,
  MAX_IDS,
  notification,
  notificationCounts,
  notificationOfStep,
  type NotificationMark as NotificationMarkValue,
  type Notification as NotificationRow,
  notifications,
} from '../../domain/notification.ts'
import { workflow } from '../../domain/workflow.ts'
import { MAX_COUNT } from '../../lib/page.ts'
import { Session } from '../session.ts'
import { NotificationFilter } from './notification-filter.ts'
import { StepRun } from './run.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { connectionOf } from '../schema/connection.ts'
import { deletedId, mutationField, part, type PayloadFields } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { defineNode } from '../schema/node.ts'
import { edge, edgeList } from '../schema/query.ts'
import { Subscriber, subscriberIdField } from '../subscriber.ts'
import { Event } from './event.ts'
import { contentFields } from './notification-content.ts'
import { Severity, Workflow } from '../workflow.ts'
import { byDefault, createdAt, identifierOf, keysIn, nodeIdOf, nullIfFailed, updatedAt } from '../schema/wording.ts'

export const Notification = builder.objectRef<NotificationRow>('Notification')
defineNode(Notification, {
  description: "A notification in a subscriber's in-app feed, under one exact set of contexts.",
  resolver: notification,
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the notified subscriber.' }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: keysIn('feed'),
    }),
    event: edge(t, {
      description: 'The event of the notification. Null if the event was deleted. Not available to browser sessions.',
      type: Event,
      nullable: true,
      resolver: event,
      decode: ({ eventId }) => ({ id: eventId }),
    }),
    workflowIdentifier: t.exposeString('workflowIdentifier', {
      description: identifierOf('workflow of the notification'),
    }),
    workflow: edge(t, {
      description: 'The current version of the workflow. Null if it was deleted. Not available to browser sessions.',
      type: Workflow,
      nullable: true,
      resolver: workflow,
      decode: ({ workflowIdentifier }) => ({ identifier: workflowIdentifier }),
    }),
    step: edge(t, {
      description:
        'The step that wrote the notification. Null if its event was deleted. Not available to browser sessions.',
      type: StepRun,
      nullable: true,
      resolver: findStepRun,
      decode: ({ stepRunId }) => ({ id: stepRunId }),
    }),
    ...contentFields(t),
    severity: t.expose('severity', { type: Severity, description: 'The severity.' }),
    tags: t.exposeStringList('tags', { description: 'The tags of the workflow.' }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the notification was first seen. Null if it is unseen.',
    }),
    readAt: t.expose('readAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the notification was read. Null if it is unread.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the notification was archived. Null if it is not archived.',
    }),
    snoozedUntil: t.expose('snoozedUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the snoozed notification returns. Null if it is not snoozed.',
    }),
    deliveredAt: t.expose('deliveredAt', {
      type: t.listRef('DateTime'),
      description: 'The times the notification returned from a snooze, oldest first. At most the last 100.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: createdAt('notification'),
      resolve: creationOf,
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('notification') }),
  }),
})

builder.objectField(StepRun, 'notification', (t) =>
  edge(t, {
    description: 'The notification that an in-app step wrote. Null for other steps, and if it was deleted.',
    type: Notification,
    nullable: true,
    resolver: notificationOfStep,
    decode: ({ id }) => ({ stepRunId: id }),
  }),
)

const NotificationConnection = connectionOf(Notification, 'A page of notifications.')

const SeverityCounts = builder.objectRef<FeedCounts['unreadBySeverity']>('NotificationSeverityCounts').implement({
  description: 'The number of unread notifications by severity.',
  fields: (t) => ({
    high: t.exposeInt('high', { description: 'Notifications with the severity `HIGH`.' }),
    medium: t.exposeInt('medium', { description: 'Notifications with the severity `MEDIUM`.' }),
    low: t.exposeInt('low', { description: 'Notifications with the severity `LOW`.' }),
    none: t.exposeInt('none', { description: 'Notifications with the severity `NONE`.' }),
  }),
})

export const NotificationCounts = builder.objectRef<FeedCounts>('NotificationCounts').implement({
  description: `The number of notifications in a feed, without archived and snoozed ones. Each count stops at ${MAX_COUNT}.`,
  fields: (t) => ({
    unreadBySeverity: t.expose('unreadBySeverity', {
      type: SeverityCounts,
      description: 'Unread notifications by severity.',
    }),
    unseen: t.exposeInt('unseen', { description: 'Unseen notifications.' }),
    unread: t.exposeInt('unread', { description: 'Unread notifications.' }),
    total: t.exposeInt('total', { description: 'All notifications that are neither archived nor snoozed.' }),
  }),
})

/** A subscriber has a separate feed for each exact set of contexts. */
export const feedContexts = `The exact context keys of the feed, each \`<type>:<identifier>\`, in any order. ${byDefault('the feed without context')}`

const filterDescription = `Filters the list. All conditions must match. ${byDefault('all notifications that are neither archived nor snoozed')}`

builder.objectFields(Subscriber, (t) => ({
  notifications: edgeList(t, {
    description: 'The notifications of a feed, newest first.',
    connection: NotificationConnection,
    args: (arg) => ({
      contextKeys: arg.stringList({ description: feedContexts }),
      filter: arg({ type: NotificationFilter, description: filterDescription }),
    }),
    resolver: notifications,
    decode: ({ subscriberId }, args) => ({ ...args, subscriberId }),
  }),
  notificationCounts: edge(t, {
    description: 'The notification counts of a feed.',
    type: NotificationCounts,
    args: (arg) => ({ contextKeys: arg.stringList({ description: feedContexts }) }),
    resolver: notificationCounts,
    decode: ({ subscriberId }, { contextKeys }) => ({ subscriberId, contextKeys }),
  }),
}))

builder.objectFields(Session, (t) => ({
  notifications: edgeList(t, {
    description: "The notifications of the session's feed, newest first.",
    connection: NotificationConnection,
    args: (arg) => ({ filter: arg({ type: NotificationFilter, description: filterDescription }) }),
    resolver: notifications,
    decode: ({ subscriberId, contextKeys }, { filter, page }) => ({
      subscriberId,
      contextKeys: [...contextKeys],
      filter,
      page,
    }),
  }),
  notificationCounts: edge(t, {
    description: "The notification counts of the session's feed.",
    type: NotificationCounts,
    resolver: notificationCounts,
    decode: ({ subscriberId, contextKeys }) => ({ subscriberId, contextKeys: [...contextKeys] }),
  }),
}))

const NotificationMark = builder.enumType('NotificationMark', {
  description: 'A mark for notifications. Repeating a mark keeps the time of the first one.',
  values: {
    SEEN: { value: 'seen', description: 'Seen.' },
    UNSEEN: { value: 'unseen', description: 'Unseen again, and therefore unread.' },
    READ: { value: 'read', description: 'Read, and therefore seen.' },
    UNREAD: { value: 'unread', description: 'Unread again. Stays seen.' },
    ARCHIVED: { value: 'archived', description: 'Archived, and therefore read and seen.' },
    UNARCHIVED: { value: 'unarchived', description: 'No longer archived. Stays read.' },
  } as const satisfies Record<Uppercase<NotificationMarkValue>, { value: NotificationMarkValue; description: string }>,
})

mutationField('markNotification', {
  description: 'Marks a notification as seen, unseen, read, unread, archived or unarchived.',
  input: (t) => ({
    id: t.id({ required: true, description: nodeIdOf('notification') }),
    as: t.field({ type: NotificationMark, required: true, description: 'The mark.' }),
  }),
  resolver: markNotification,
  decode: ({ id, as }) => ({ id: rowIdOf(Notification, id, 'id'), as }),
  payload: { notification: Notification },
})

/** The input fields other than the filter that select notifications of one feed. */
const selectionFields = (t: InputFields) => ({
  subscriberId: subscriberIdField(t),
  contextKeys: t.stringList({ description: feedContexts }),
  ids: t.idList({
    description: `1 to ${MAX_IDS} node ids of notifications. Notifications of other feeds are ignored. ${byDefault('all')}`,
  }),
})

const selected = <Given extends { ids?: readonly string[] | null | undefined }>({ ids, ...given }: Given) => ({
  ...given,
  ids: ids?.map((id) => rowIdOf(Notification, id, 'ids')),
})

/** The payload field with the counts of the feed after a mutation. */
const countsAfter = (
  t: PayloadFields<{ readonly feed: Pick<Feed, 'subscriberId'> & { readonly contextKeys: string[] } }>,
) =>
  edge(t, {
    type: NotificationCounts,
    nullable: true,
    description: `The updated counts of the feed. ${nullIfFailed}`,
    resolver: notificationCounts,
    decode: ({ result }) => result && result.feed,
  })

mutationField('markNotifications', {
  description: 'Marks the notifications of a feed that match the filter. With `ids`, only those among them.',
  input: (t) => ({
    ...selectionFields(t),
    filter: t.field({
      type: NotificationFilter,
      description: `Filters the notifications to mark. All conditions must match. ${byDefault('all notifications, including archived and snoozed notifications')}`,
    }),
    as: t.field({ type: NotificationMark, required: true, description: 'The mark.' }),
  }),
  resolver: markNotifications,
  decode: (input) => selected(input),
  payload: (t) => ({
    updated: part(t, 'Int', 'The number of changed notifications.', ({ updated }) => updated),
    counts: countsAfter(t),
  }),
})

mutationField('deleteNotification', {
  description: 'Deletes a notification from its feed. The execution log keeps what was sent.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('notification') }) }),
  resolver: deleteNotification,
  decode: ({ id }) => ({ id: rowIdOf(Notification, id, 'id') }),
  payload: { deletedId: deletedId(Notification) },
})

mutationField('deleteNotifications', {
  description: 'Deletes the notifications of a feed that match the filter. With `ids`, only those among them.',
  input: (t) => ({
    ...selectionFields(t),
    filter: t.field({
      type: NotificationFilter,
      description: `Filters the notifications to delete. All conditions must match. ${byDefault('all notifications, including archived notifications')}`,
    }),
  }),
  resolver: deleteNotifications,
  decode: (input) => selected(input),
  payload: (t) => ({
    deleted: part(t, 'Int', 'The number of deleted notifications.', ({ deleted }) => deleted),
    counts: countsAfter(t),
  }),
})
