// The in-app feed of a subscriber under exactly one set of contexts.
import { z } from 'zod'
import { countsOfFeeds, type FeedCounts } from '../data/feed/feed-count.ts'
import type { Feed } from '../data/feed/feed-filter.ts'
import {
  cursorOfNotification,
  type NotificationAction,
  notificationsById,
  notificationsByStepRun,
  pagesOfFeeds,
} from '../data/feed/notification.ts'
import { deleteRows, markRows, type NotificationMark, notificationMarks } from '../data/feed/notification-mark.ts'
import type { Notification } from '../data/prisma/client.ts'
import { refuse } from '../lib/errors.ts'
import { pageRequest } from '../lib/page.ts'
import { present } from '../lib/present.ts'
import { storableText } from '../lib/validation.ts'
import { contextKeys, contextKeysFilter } from './context.ts'
import { wantedAmong } from './outbox/webhook-message.ts'
import { mutation, ownRows, query, type Rate } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { type LinkTargetWord, linkTargets } from './channel/channel.ts'
import { jsonColumn } from './channel/stored-json.ts'
import { subscriberId } from './subscriber-id.ts'
import { loadSubscriber, requireSubscriber } from './subscriber.ts'
import { feedFilter, shownOnly } from './notification-filter.ts'

export type { Feed, FeedCounts, Notification, NotificationAction, NotificationMark }

/** Maximum ids in one write. */
export const MAX_IDS = 100

/** The feed counts as `global` (CALLERS: Rate limits). */
export const feedRate: Rate = { category: 'global', cost: 1 }

/** The input schema of a feed. Without contexts, it is the feed without contexts, never all feeds (SPEC: Context). */
export const feedOf = z.object({ subscriberId, contextKeys })

const storedActions = jsonColumn<readonly NotificationAction[]>()

/** Returns the buttons of a notification, in order. */
export const actionsOf = ({ actions }: Notification): readonly NotificationAction[] => storedActions(actions)

/** The time at which a notification was created. The column of that name moves with its place in the feed. */
export const creationOf = ({ createdAt, firstCreatedAt }: Notification): Date => firstCreatedAt ?? createdAt

/** Returns where a link of a notification opens. Null if its step does not say. */
export const linkTargetOf = ({ target }: { readonly target?: string | null }): LinkTargetWord | null =>
  linkTargets.find((known) => known === target) ?? null

/**
 * Ensures that a feed has a subscriber. Batched. A lasting session ends with its subscriber, so its requests need no
 * statement for this.
 *
 * @throws Refusal `NOT_FOUND`, which names the field.
 */
export async function assertFeed(scope: Scope, subscriberId: string): Promise<void> {
  const { caller } = scope
  const isKnown =
    caller.kind === 'session' && caller.subscriberRowId !== undefined && caller.subscriberId === subscriberId
  if (!isKnown) await loadSubscriber(scope, { subscriberId })
}

/** Returns the cursor of a notification of a feed. @throws Refusal `MALFORMED` if the feed has no such notification. */
async function cursorIn({ load }: Scope, { subscriberId, contextKeys }: Feed, id: string): Promise<string> {
  const found = z.uuid().safeParse(id).success ? await load(notificationsById, id) : null
  if (found?.subscriberId === subscriberId && found.contextKeys.join() === contextKeys.join()) {
    return cursorOfNotification(found)
  }
  throw refuse('MALFORMED', 'after must be the id of a notification of this feed', 'after', id)
}

/**
 * Lists a feed, newest first, without what is archived or snoozed unless the filter asks for it. Batched.
 *
 * `afterId` is the id of a notification of the feed, in place of a cursor.
 */
export const notifications = query({
  name: 'notification.list',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf.extend({ page: pageRequest, filter: feedFilter, afterId: storableText.nullish() }),
  owner: (feed) => feed,
  async run(scope, { subscriberId, contextKeys, page, filter, afterId }) {
    await assertFeed(scope, subscriberId)
    const isById = typeof afterId === 'string'
    return scope.load(pagesOfFeeds, {
      parent: subscriberId,
      orderBy: { field: 'createdAt', direction: 'desc' },
      page: isById ? { ...page, after: await cursorIn(scope, { subscriberId, contextKeys }, afterId) } : page,
      filter: { contextKeys, ...shownOnly, ...filter },
    })
  },
})

/** Counts the notifications of a feed that are neither archived nor snoozed: unseen, unread and total. Batched. */
export const notificationCounts = query({
  name: 'notification.count',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf,
  owner: (feed) => feed,
  async run(scope, feed) {
    await assertFeed(scope, feed.subscriberId)
    return scope.load(countsOfFeeds, feed)
  },
})

export const notification = query({
  name: 'notification.get',
  permission: 'notification:read',
  rate: feedRate,
  input: z.object({ id: z.uuid() }),
  owner: null,
  run: ({ load }, { id }) => load(notificationsById, id),
})

/** Returns the notification that a step run wrote, or null. Batched. */
export const notificationOfStep = query({
  name: 'notification.getOfStep',
  permission: 'event:read',
  input: z.object({ stepRunId: z.uuid() }),
  run: ({ load }, { stepRunId }) => load(notificationsByStepRun, stepRunId),
})

const mark = z.enum(notificationMarks)

/** The types of webhook messages about marks. */
const markTypes = notificationMarks.map((name) => `message.${name}` as const)

/** The input schema for one notification that the caller owns. */
export const ownNotification = z.object({
  subscriberId: subscriberId.nullish(),
  /** Exactly the contexts of its feed. Default: any. */
  contextKeys: contextKeysFilter.nullish(),
  id: z.uuid(),
})

/** Selects one notification that the caller owns. */
function whereOwn(scope: Scope, { subscriberId, contextKeys, id }: z.output<typeof ownNotification>) {
  const { environmentId } = scope
  return {
    environmentId_id: { environmentId, id },
    ...present({ subscriberId, contextKeys: contextKeys && { equals: contextKeys } }),
    AND: ownRows(scope),
  }
}

const notificationNotFound = (id: string) => refuse('NOT_FOUND', `Notification "${id}" not found`, 'id', id)

/** Returns one notification that the caller owns. @throws Refusal `NOT_FOUND` */
export async function requireOwn(scope: Scope, named: z.output<typeof ownNotification>): Promise<Notification> {
  const found = await scope.db.notification.findUnique({ where: whereOwn(scope, named) })
  if (found === null) throw notificationNotFound(named.id)
  return found
}

/** Marks one notification. Repeating a mark keeps the original time. */
export const markNotification = mutation({
  name: 'notification.mark',
  permission: 'notification:write',
  rate: feedRate,
  input: ownNotification.extend({ as: mark }),
  owner: 'caller',
  async run(scope, { as, ...named }): Promise<Notification> {
    const found = await requireOwn(scope, named)
    await markRows(scope, found, { ids: [named.id] }, as, scope.now(), await wantedAmong(scope, markTypes))
    return requireOwn(scope, named)
  },
})

/** Deletes one notification from its feed. The execution log keeps its step. */
export const deleteNotification = mutation({
  name: 'notification.delete',
  permission: 'notification:write',
  rate: feedRate,
  input: ownNotification,
  owner: 'caller',
  async run(scope, named): Promise<Notification> {
    const found = await requireOwn(scope, named)
    const deleted = await deleteRows(scope, found, { ids: [named.id] }, scope.now())
    if (deleted === 0) throw notificationNotFound(named.id)
    return found
  },
})

/** The input schema for notifications of one feed. */
const feedSelection = feedOf.extend({ ids: z.array(z.uuid()).min(1).max(MAX_IDS).nullish(), filter: feedFilter })

interface DeletedFrom {
  readonly feed: z.output<typeof feedOf>
  /** The number of deleted notifications. */
  readonly deleted: number
}

interface MarkedFeed {
  readonly feed: z.output<typeof feedOf>
  /** The number of changed notifications. */
  readonly updated: number
}

/** Marks the notifications of a feed that match the filter and, if given, the ids. */
export const markNotifications = mutation({
  name: 'notification.markMany',
  permission: 'notification:write',
  rate: feedRate,
  input: feedSelection.extend({ as: mark }),
  owner: (feed) => feed,
  async run(scope, { subscriberId, contextKeys, ids, filter, as }): Promise<MarkedFeed> {
    const feed = { subscriberId, contextKeys }
    await requireSubscriber(scope, { subscriberId })
    const webhooks = await wantedAmong(scope, markTypes)
    const updated = await markRows(scope, feed, { ...present({ ids }), filter }, as, scope.now(), webhooks)
    return { feed, updated }
  },
})

/** Deletes the notifications of a feed that match the filter and, if given, the ids. */
export const deleteNotifications = mutation({
  name: 'notification.deleteMany',
  permission: 'notification:write',
  rate: feedRate,
  input: feedSelection,
  owner: (feed) => feed,
  async run(scope, { subscriberId, contextKeys, ids, filter }): Promise<DeletedFrom> {
    const feed = { subscriberId, contextKeys }
    await requireSubscriber(scope, { subscriberId })
    return { feed, deleted: await deleteRows(scope, feed, { ...present({ ids }), filter }, scope.now()) }
  },
})
