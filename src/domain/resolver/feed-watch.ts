// Notifies the followers of a feed in this process of changes made by any process.
import type { Logger } from 'pino'
import type { Database } from '../../data/connection/database.ts'
import { type Feed, FEED_CHANNEL, readFeedEvent, receivedBy } from '../../data/notification.ts'
import type { Notification } from '../../data/prisma/client.ts'
import { BoundedQueue } from '../../lib/bounded-queue.ts'
import { databaseAway, Refusal } from '../../lib/errors.ts'
import { defaultStreamLimits, OpenCount, type StreamLimits } from '../../lib/stream-limits.ts'

type FeedChange = { readonly kind: 'received'; readonly notification: Notification } | { readonly kind: 'marked' }

/**
 * The changes of one follower. If a change may have been missed, the queue is closed with a Refusal `UNAVAILABLE`, so that
 * the follower knows.
 */
export type Following = BoundedQueue<FeedChange>

export interface FeedWatch {
  /**
   * Follows a feed from now on.
   *
   * @throws Refusal `UNAVAILABLE` while the LISTEN connection is lost, `TOO_MANY_STREAMS` over a limit.
   */
  follow(environmentId: string, feed: Feed): Following
  /** Closes all queues and stops listening. */
  close(): Promise<void>
}

/** Changes that may wait for one follower. A slower follower is disconnected. */
const MAX_WAITING = 1000

const interrupted = () =>
  new Refusal(
    'UNAVAILABLE',
    'The stream was interrupted and may have missed notifications. Subscribe again, then read the feed.',
    { retryAfter: 1 },
  )

const nameOf = ({ subscriberId, contextKeys }: Feed) => JSON.stringify([subscriberId, contextKeys])

/** The followers of one environment. */
class Followers {
  /** By feed, each following with its number. */
  readonly #byFeed = new Map<string, Map<Following, number>>()
  readonly #bySubscriber = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#byFeed.size === 0
  }

  get subscriberIds(): readonly string[] {
    return [...this.#bySubscriber.keys()]
  }

  add(feed: Feed, following: Following, number: number): void {
    const others = this.#byFeed.get(nameOf(feed))
    if (others) others.set(following, number)
    else this.#byFeed.set(nameOf(feed), new Map([[following, number]]))
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

  /** Sends a change to the followings up to number `last`. */
  send(feed: Feed, change: FeedChange, last: number): void {
    for (const [following, number] of [...(this.#byFeed.get(nameOf(feed)) ?? [])]) {
      if (number <= last) following.put(change)
    }
  }

  interrupt(): void {
    for (const following of [...this.#byFeed.values()].flatMap((all) => [...all.keys()])) following.close(interrupted())
  }
}

/** Starts to listen. @throws if LISTEN fails. */
export async function openFeedWatch(
  { client, listen }: Pick<Database, 'client' | 'listen'>,
  logger: Pick<Logger, 'warn'>,
  limits: StreamLimits = defaultStreamLimits,
): Promise<FeedWatch> {
  const environments = new Map<string, Followers>()
  const open = new OpenCount(limits, 'streams')
  let connected = true
  let followings = 0
  let publishing = Promise.resolve()

  const interruptAll = () => {
    for (const followers of [...environments.values()]) followers.interrupt()
  }

  async function publish(payload: string, last: number): Promise<void> {
    const event = readFeedEvent(payload)
    const { environmentId } = event
    const followers = environments.get(environmentId)
    if (followers === undefined) return
    if ('marked' in event) {
      followers.send(event.marked, { kind: 'marked' }, last)
      return
    }
    const rows = await receivedBy({ db: client, environmentId }, followers.subscriberIds, event.received)
    for (const notification of rows) followers.send(notification, { kind: 'received', notification }, last)
  }

  const stop = await listen(FEED_CHANNEL, {
    onMessage(payload) {
      // A follower that comes while the rows are read did not exist when they were written.
      const last = followings
      // One after the other, to keep the order of the changes.
      publishing = publishing
        .then(() => publish(payload, last))
        .catch((error: unknown) => {
          logger.warn({ err: error }, 'could not read feed changes, closing feed streams')
          interruptAll()
        })
    },
    onDisconnect() {
      connected = false
      interruptAll()
    },
    onReconnect() {
      connected = true
    },
  })

  return {
    follow(environmentId, feed) {
      if (!connected) throw databaseAway()
      const end = open.add(environmentId)
      const followers = environments.get(environmentId) ?? new Followers()
      environments.set(environmentId, followers)
      const following: Following = new BoundedQueue({
        limit: MAX_WAITING,
        overflow: interrupted,
        onClose() {
          end()
          followers.remove(feed, following)
          if (followers.isEmpty) environments.delete(environmentId)
        },
      })
      followers.add(feed, following, (followings += 1))
      return following
    },
    async close() {
      connected = false
      interruptAll()
      stop()
      await publishing
    },
  }
}
