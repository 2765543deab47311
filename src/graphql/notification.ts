// The in-app feed in the graph, from its subscriber.
import { contextsOf } from '../domain/context.ts'
import { event } from '../domain/event.ts'
import { notificationCountsChanged, notificationReceived } from '../domain/notification-stream.ts'
import {
  actionsOf,
  type FeedCounts,
  markNotification,
  markNotifications,
  MAX_IDS,
  notification,
  type NotificationAction as NotificationActionRow,
  notificationCounts,
  type NotificationMark as NotificationMarkValue,
  type Notification as NotificationRow,
  notifications,
} from '../domain/notification.ts'
import { subscriberOf } from '../domain/subscriber.ts'
import { MAX_COUNT } from '../lib/page.ts'
import { Context } from './context.ts'
import { Event } from './event.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { rowIdOf } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'
import { Session } from './session.ts'
import { Subscriber, subscriberIdField } from './subscriber.ts'
import { Severity } from './workflow.ts'

const NotificationAction = builder.objectRef<NotificationActionRow>('NotificationAction').implement({
  description: 'A button of a notification.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'What is written on it.' }),
    url: t.exposeString('url', { description: 'Where it leads.' }),
  }),
})

export const Notification = builder.objectRef<NotificationRow>('Notification')
builder.node(Notification, {
  description: "An entry of a subscriber's in-app feed, under exactly one set of contexts.",
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => notification(scope, { id }))),
  fields: (t) => ({
    subscriber: t.field({
      type: Subscriber,
      description: 'Who was notified. Not for the session of a browser.',
      resolve: (row, _args, { scope }) => subscriberOf(scope, row),
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: 'The keys of the contexts of its feed, each `<type>:<identifier>`, sorted. Empty when it has none.',
    }),
    contexts: t.field({
      type: [Context],
      description: 'The contexts of its feed, without those that were deleted.',
      resolve: (row, _args, { scope }) => contextsOf(scope, row),
    }),
    event: t.field({
      type: Event,
      nullable: true,
      description: 'The trigger that it came of. Null when that was deleted.',
      resolve: ({ eventId }, _args, { scope }) => event(scope, { id: eventId }),
    }),
    workflowIdentifier: t.exposeString('workflowIdentifier', { description: 'The workflow that sent it.' }),
    subject: t.exposeString('subject', { nullable: true, description: 'Its heading. Null when it has none.' }),
    body: t.exposeString('body', { description: 'Its text.' }),
    avatar: t.exposeString('avatar', {
      nullable: true,
      description: 'The address of a picture. Null when it has none.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'Where a click leads. Null when it leads nowhere.' }),
    actions: t.field({
      type: [NotificationAction],
      description: 'Its buttons, in their order.',
      resolve: (row) => [...actionsOf(row)],
    }),
    data: t.expose('data', { type: 'JSONObject', description: 'What the workflow gave to the application.' }),
    severity: t.expose('severity', { type: Severity, description: 'How much it matters.' }),
    tags: t.exposeStringList('tags', { description: 'What the workflow is filed under.' }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was first shown. Null while it was not.',
    }),
    readAt: t.expose('readAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was read. Null while it is unread.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was archived. Null while it is not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sent.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last marked, or else sent.' }),
  }),
})

const NotificationConnection = connectionOf(Notification, 'A page of notifications.')

export const NotificationCounts = builder.objectRef<FeedCounts>('NotificationCounts').implement({
  description: `How many notifications of a feed are not archived, each counted up to ${MAX_COUNT}.`,
  fields: (t) => ({
    unseen: t.exposeInt('unseen', { description: 'Those that were not shown yet.' }),
    unread: t.exposeInt('unread', { description: 'Those that are unread.' }),
    total: t.exposeInt('total', { description: 'All that are not archived.' }),
  }),
})

const NotificationFilter = builder.inputType('NotificationFilter', {
  description: 'Which notifications of a feed: those that meet all that is given. Null is the same as absent.',
  fields: (t) => ({
    seen: t.boolean({ description: 'Those that were shown, or those that were not.' }),
    read: t.boolean({ description: 'Those that are read, or those that are unread.' }),
    archived: t.boolean({ description: 'Those that are archived, or those that are not. Absent means both.' }),
    severity: t.field({ type: [Severity], description: 'Those of one of these severities: at least 1.' }),
    tags: t.stringList({ description: 'Those with at least one of these tags: 1 to 50.' }),
  }),
})

/** What names a feed beside its subscriber. */
const feedContexts =
  'The contexts of the feed, exactly these, each `<type>:<identifier>`, in whichever order. Absent or empty means the feed of what was sent without context.'

builder.objectFields(Subscriber, (t) => ({
  notifications: t.connection(
    {
      ...calls(notifications),
      type: Notification,
      description: 'What it was notified of in the application under exactly these contexts, newest first.',
      args: {
        contextKeys: t.arg.stringList({ description: feedContexts }),
        filter: t.arg({ type: NotificationFilter, description: 'Which ones. Absent means all, archived ones too.' }),
      },
      resolve: async ({ subscriberId }, { contextKeys, filter, ...args }, { scope }) =>
        toConnection(await notifications(scope, { subscriberId, contextKeys, filter, page: pageRequestOf(args) })),
    },
    NotificationConnection,
  ),
  notificationCounts: t.field({
    ...calls(notificationCounts),
    type: NotificationCounts,
    description: 'How many notifications it has in the application under exactly these contexts.',
    args: { contextKeys: t.arg.stringList({ description: feedContexts }) },
    resolve: ({ subscriberId }, { contextKeys }, { scope }) => notificationCounts(scope, { subscriberId, contextKeys }),
  }),
}))

builder.objectFields(Session, (t) => ({
  notifications: t.connection(
    {
      ...calls(notifications),
      type: Notification,
      description: 'What its subscriber was notified of in the application under its contexts, newest first.',
      args: {
        filter: t.arg({ type: NotificationFilter, description: 'Which ones. Absent means all, archived ones too.' }),
      },
      resolve: async ({ subscriberId, contextKeys }, { filter, ...args }, { scope }) => {
        const feed = { subscriberId, contextKeys: [...contextKeys] }
        return toConnection(await notifications(scope, { ...feed, filter, page: pageRequestOf(args) }))
      },
    },
    NotificationConnection,
  ),
  notificationCounts: t.field({
    ...calls(notificationCounts),
    type: NotificationCounts,
    description: 'How many notifications its subscriber has in the application under its contexts.',
    resolve: ({ subscriberId, contextKeys }, _args, { scope }) =>
      notificationCounts(scope, { subscriberId, contextKeys: [...contextKeys] }),
  }),
}))

const NotificationMark = builder.enumType('NotificationMark', {
  description: 'What can be told of a notification. Told again, it keeps the time at which it was told first.',
  values: {
    SEEN: { value: 'seen', description: 'It was shown.' },
    READ: { value: 'read', description: 'It was read, and so seen too.' },
    UNREAD: { value: 'unread', description: 'It counts as unread again. It stays seen.' },
    ARCHIVED: { value: 'archived', description: 'It was put away, and so read and seen too.' },
    UNARCHIVED: { value: 'unarchived', description: 'It was brought back. It stays read.' },
  } as const satisfies Record<Uppercase<NotificationMarkValue>, { value: NotificationMarkValue; description: string }>,
})

mutationField('markNotification', {
  description: 'Marks one notification as seen, read or archived, or takes that back.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The notification.' }),
    as: t.field({ type: NotificationMark, required: true, description: 'What to mark it as.' }),
  }),
  resolver: markNotification,
  decode: ({ id, as }) => ({ id: rowIdOf(Notification, id, 'id'), as }),
  payload: (t) => ({
    notification: t.field({
      type: Notification,
      nullable: true,
      description: 'The notification as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('markNotifications', {
  description:
    'Marks the notifications of a feed as seen, read or archived, or takes that back: all that meet the filter, or those of them that are named.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    contextKeys: t.stringList({ description: feedContexts }),
    ids: t.idList({
      description: `1 to ${MAX_IDS} notifications. One that is not of the feed is passed over. Absent means all.`,
    }),
    filter: t.field({ type: NotificationFilter, description: 'Which ones. Absent means all.' }),
    as: t.field({ type: NotificationMark, required: true, description: 'What to mark them as.' }),
  }),
  resolver: markNotifications,
  decode: ({ ids, ...given }) => ({ ...given, ids: ids?.map((id) => rowIdOf(Notification, id, 'ids')) }),
  payload: (t) => ({
    updated: t.int({
      nullable: true,
      description: 'How many had not been so before. Null when refused.',
      resolve: ({ result }) => result?.updated,
    }),
    counts: t.field({
      type: NotificationCounts,
      nullable: true,
      description: 'How many there are in the feed now. Null when refused.',
      resolve: ({ result }, _args, { scope }) => result && notificationCounts(scope, result.feed),
    }),
  }),
})

builder.subscriptionFields((t) => {
  const args = {
    subscriberId: t.arg.string({ required: true, description: "The client's own id of the subscriber." }),
    contextKeys: t.arg.stringList({ description: feedContexts }),
  }
  return {
    notificationReceived: t.field({
      ...calls(notificationReceived),
      type: Notification,
      description: 'Every notification that comes into a feed, as it comes.',
      args,
      subscribe: (_root, args, { scope }) => notificationReceived(scope, args),
      resolve: (row) => row,
    }),
    notificationCountsChanged: t.field({
      ...calls(notificationCountsChanged),
      type: NotificationCounts,
      description: 'How many notifications there are in a feed: at once, and whenever that has changed.',
      args,
      subscribe: (_root, args, { scope }) => notificationCountsChanged(scope, args),
      resolve: (counts) => counts,
    }),
  }
})
