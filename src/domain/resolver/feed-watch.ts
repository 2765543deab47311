// Notifies the followers of a feed in this process of changes made by any process.
import type { Logger } from 'pino'
import type { Database } from '../../data/connection/database.ts'
import { FEED_CHANNEL, readFeedEvent } from '../../data/feed/feed-event.ts'
import type { Feed } from '../../data/feed/feed-filter.ts'
import { receivedBy } from '../../data/feed/notification.ts'
import type { Notification } from '../../data/prisma/client.ts'
import { BoundedQueue } from '../../lib/bounded-queue.ts'
import { databaseAway, Refusal } from '../../lib/errors.ts'
import type { OpenCount } from '../../lib/stream-limits.ts'

type FeedChange = { readonly kind: 'received'; readonly notification: Notification } | { readonly kind: 'marked' }

/** The changes for one follower. If it may have missed a change, the queue is closed with a Refusal `UNAVAILABLE`. */
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

/** Maximum changes that may wait for one follower. A slower follower is disconnected. */
const MAX_WAITING = 1000

const interrupted = () =>
  new Refusal(
    'UNAVAILABLE',
    'The stream was interrupted and may have missed notifications. Subscribe again, then read the feed.',
    { retryAfter: 1 },
  )

/** A following of one feed of a subscriber. */
interface Follower {
  readonly contexts: string
  readonly number: number
}

const nameOf = (contextKeys: readonly string[]) => JSON.stringify(contextKeys)

/** The followers of one environment. */
class Followers {
  readonly #bySubscriber = new Map<string, Map<Following, Follower>>()

  get isEmpty(): boolean {
    return this.#bySubscriber.size === 0
  }

  get subscriberIds(): readonly string[] {
    return [...this.#bySubscriber.keys()]
  }

  add({ subscriberId, contextKeys }: Feed, following: Following, number: number): void {
    const followings = this.#bySubscriber.get(subscriberId) ?? new Map<Following, Follower>()
    this.#bySubscriber.set(subscriberId, followings.set(following, { contexts: nameOf(contextKeys), number }))
  }

  remove({ subscriberId }: Feed, following: Following): void {
    const followings = this.#bySubscriber.get(subscriberId)
    followings?.delete(following)
    if (followings?.size === 0) this.#bySubscriber.delete(subscriberId)
  }

  /** Sends a change to all followings of the feed up to number `last`. */
  send({ subscriberId, contextKeys }: Feed, change: FeedChange, last: number): void {
    const changed = nameOf(contextKeys)
    for (const [following, { contexts, number }] of [...(this.#bySubscriber.get(subscriberId) ?? [])]) {
      if (contexts === changed && number <= last) following.put(change)
    }
  }

  interrupt(): void {
    for (const following of [...this.#bySubscriber.values()].flatMap((all) => [...all.keys()]))
      following.close(interrupted())
  }
}

/** Starts to listen. @param open counts the streams of this process. @throws if LISTEN fails. */
export async function openFeedWatch(
  { client, listen }: Pick<Database, 'client' | 'listen'>,
  logger: Pick<Logger, 'warn'>,
  open: OpenCount,
): Promise<FeedWatch> {
  const environments = new Map<string, Followers>()
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
      // A later follower did not exist when the rows were written.
      const last = followings
      // One at a time, to keep the changes in order.
      publishing = publishing
        .then(() => publish(payload, last))
        .catch((error: unknown) => {
          logger.warn({ err: error }, 'feed changes not read: feed streams closed')
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
