// Subscriptions to a feed: new notifications, changed counts, and both in their order.
import { isDeepStrictEqual } from 'node:util'
import { countsOfFeeds } from '../data/feed/feed-count.ts'
import type { Following } from './resolver/feed-watch.ts'
import { type Feed, type FeedCounts, feedOf, feedRate, type Notification } from './notification.ts'
import { query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { loadSubscriber } from './subscriber.ts'

async function follow(scope: Scope, feed: Feed): Promise<Following> {
  await loadSubscriber(scope, { subscriberId: feed.subscriberId })
  return scope.feeds.follow(scope.environmentId, feed)
}

type Changes = NonNullable<Awaited<ReturnType<Following['take']>>>

/** The new notifications among changes. The scope may have older versions of other objects, so it forgets them. */
function* receivedAmong(scope: Scope, changes: Changes): Generator<Notification, void, undefined> {
  for (const change of changes) {
    if (change.kind !== 'received') continue
    scope.forget()
    yield change.notification
  }
}

async function* received(scope: Scope, following: Following): AsyncGenerator<Notification, void, undefined> {
  for (let changes = await following.take(); changes !== undefined; changes = await following.take()) {
    yield* receivedAmong(scope, changes)
  }
}

/**
 * Streams every new notification of a feed.
 *
 * @returns a stream. It ends with a Refusal `UNAVAILABLE` if it may have missed a notification, and when the process
 *   stops.
 */
export const notificationReceived = query({
  name: 'notification.receive',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf,
  owner: (feed) => feed,
  async run(scope, feed): Promise<AsyncIterableIterator<Notification>> {
    const following = await follow(scope, feed)
    return following.stream(received(scope, following))
  },
})

async function* counted(scope: Scope, feed: Feed, following: Following): AsyncGenerator<FeedCounts, void, undefined> {
  let last: FeedCounts | undefined
  // Changes that arrive during a count are included in the next one.
  do {
    scope.forget()
    const counts = await scope.load(countsOfFeeds, feed)
    if (!isDeepStrictEqual(counts, last)) yield (last = counts)
  } while ((await following.take()) !== undefined)
}

/**
 * Streams the counts of a feed, immediately and after each change. @returns a stream like that of
 * `notificationReceived`.
 */
export const notificationCountsChanged = query({
  name: 'notification.countChanges',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf,
  owner: (feed) => feed,
  async run(scope, feed): Promise<AsyncIterableIterator<FeedCounts>> {
    const following = await follow(scope, feed)
    return following.stream(counted(scope, feed, following))
  },
})

/** A change of a feed: a notification that is new or has returned from a snooze, or the counts. */
export type FeedUpdate =
  | { readonly kind: 'received'; readonly notification: Notification }
  | { readonly kind: 'counted'; readonly counts: FeedCounts }

async function* updated(scope: Scope, feed: Feed, following: Following): AsyncGenerator<FeedUpdate, void, undefined> {
  let last: FeedCounts | undefined
  for (let changes: Changes | undefined = []; changes !== undefined; changes = await following.take()) {
    for (const notification of receivedAmong(scope, changes)) yield { kind: 'received', notification }
    scope.forget()
    const counts = await scope.load(countsOfFeeds, feed)
    if (!isDeepStrictEqual(counts, last)) yield { kind: 'counted', counts: (last = counts) }
  }
}

/**
 * Streams the counts of a feed immediately, then every new notification, each followed by the counts, and the counts after
 * every other change. Counts once for all changes that arrive together. @returns a stream like that of
 * `notificationReceived`.
 */
export const feedUpdated = query({
  name: 'notification.follow',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf,
  owner: (feed) => feed,
  async run(scope, feed): Promise<AsyncIterableIterator<FeedUpdate>> {
    const following = await follow(scope, feed)
    return following.stream(updated(scope, feed, following))
  },
})
