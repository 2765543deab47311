// Who in this process follows which feed: what any process writes to a feed, its followers here are told.
import type { Logger } from 'pino'
import type { Database } from '../data/database.ts'
import { type Feed, FEED_CHANNEL, readFeedEvent, receivedBy } from '../data/notification.ts'
import type { Notification } from '../data/prisma/client.ts'
import { BoundedQueue } from '../lib/bounded-queue.ts'
import { databaseAway, Refusal } from '../lib/errors.ts'

type FeedChange = { readonly kind: 'received'; readonly notification: Notification } | { readonly kind: 'marked' }

/**
 * What a follower is told. It is told everything or knows that it was not: where something may have been missed, the
 * queue is closed with a Refusal `UNAVAILABLE`.
 */
export type Following = BoundedQueue<FeedChange>

export interface FeedWatch {
  /** Follows a feed from now on. @throws Refusal `UNAVAILABLE` while nothing can be heard. */
  follow(environmentId: string, feed: Feed): Following
  /** Ends every following, and the listening. */
  close(): Promise<void>
}

/** Changes that may wait for one follower. Whoever is slower than that has fallen behind for good. */
const MAX_WAITING = 1000

const interrupted = () =>
  new Refusal(
    'UNAVAILABLE',
    'The stream was interrupted, and may have missed something. Subscribe again, and then read the feed.',
    { retryAfter: 1 },
  )

const nameOf = ({ subscriberId, contextKeys }: Feed) => JSON.stringify([subscriberId, contextKeys])

/** The followers of one environment. */
class Followers {
  readonly #byFeed = new Map<string, Set<Following>>()
  readonly #bySubscriber = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#byFeed.size === 0
  }

  get subscriberIds(): readonly string[] {
    return [...this.#bySubscriber.keys()]
  }

  add(feed: Feed, following: Following): void {
    const others = this.#byFeed.get(nameOf(feed))
    if (others) others.add(following)
    else this.#byFeed.set(nameOf(feed), new Set([following]))
    this.#bySubscriber.set(feed.subscriberId, (this.#bySubscriber.get(feed.subscriberId) ?? 0) + 1)
  }

  remove(feed: Feed, following: Following): void {
    const others = this.#byFeed.get(nameOf(feed))
    others?.delete(following)
    if (others?.size === 0) this.#byFeed.delete(nameOf(feed))
    const left = (this.#bySubscriber.get(feed.subscriberId) ?? 1) - 1
    if (left > 0) this.#bySubscriber.set(feed.subscriberId, left)
    else this.#bySubscriber.delete(feed.subscriberId)
  }

  tell(feed: Feed, change: FeedChange): void {
    for (const following of [...(this.#byFeed.get(nameOf(feed)) ?? [])]) following.put(change)
  }

  interrupt(): void {
    for (const following of [...this.#byFeed.values()].flatMap((all) => [...all])) following.close(interrupted())
  }
}

/** Listens for the process. @throws when the database cannot be listened to. */
export async function openFeedWatch(
  { client, listen }: Pick<Database, 'client' | 'listen'>,
  logger: Pick<Logger, 'warn'>,
): Promise<FeedWatch> {
  const environments = new Map<string, Followers>()
  let hears = true
  let telling = Promise.resolve()

  const interruptAll = () => {
    for (const followers of [...environments.values()]) followers.interrupt()
  }

  async function tell(payload: string): Promise<void> {
    const news = readFeedEvent(payload)
    const { environmentId } = news
    const followers = environments.get(environmentId)
    if (followers === undefined) return
    if ('marked' in news) {
      followers.tell(news.marked, { kind: 'marked' })
      return
    }
    const rows = await receivedBy({ db: client, environmentId }, followers.subscriberIds, news.received)
    for (const notification of rows) followers.tell(notification, { kind: 'received', notification })
  }

  const stop = await listen(FEED_CHANNEL, {
    onMessage(payload) {
      // One after the other: followers are told in the order in which things happened.
      telling = telling
        .then(() => tell(payload))
        .catch((error: unknown) => {
          logger.warn({ err: error }, 'what was written to a feed could not be told to those who follow it')
          interruptAll()
        })
    },
    onDisconnect() {
      hears = false
      logger.warn('the database cannot be listened to: those who follow a feed are told to come again')
      interruptAll()
    },
    onReconnect() {
      hears = true
    },
  })

  return {
    follow(environmentId, feed) {
      if (!hears) throw databaseAway()
      const followers = environments.get(environmentId) ?? new Followers()
      environments.set(environmentId, followers)
      const following: Following = new BoundedQueue({
        limit: MAX_WAITING,
        overflow: interrupted,
        onClose() {
          followers.remove(feed, following)
          if (followers.isEmpty) environments.delete(environmentId)
        },
      })
      followers.add(feed, following)
      return following
    },
    async close() {
      hears = false
      interruptAll()
      await stop()
      await telling
    },
  }
}
