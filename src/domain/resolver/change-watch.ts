// Notifies the followers of an environment in this process of changes to events and messages by any process. While
// someone follows an environment, its changes are read once a second. Otherwise they cost nothing.
import type { Logger } from 'pino'
import type { Connection } from '../../data/connection/database.ts'
import { loggable } from '../../data/driver/database-errors.ts'
import { ChangeReader, type Changes } from '../../data/monitoring/recent-change.ts'
import { BoundedQueue } from '../../lib/bounded-queue.ts'
import { databaseAway, Refusal } from '../../lib/errors.ts'
import type { OpenCount } from '../../lib/stream-limits.ts'

/** The changes for one follower. If it may have missed a change, the queue is closed with a Refusal `UNAVAILABLE`. */
export type ChangeFollowing = BoundedQueue<Changes>

export interface ChangeWatch {
  /**
   * Follows the changes of an environment from now on. The first ones may be up to a second older.
   *
   * @throws Refusal `TOO_MANY_STREAMS` over a limit, or an error of the database.
   */
  follow(environmentId: string): Promise<ChangeFollowing>
  /** Closes all queues and stops reading. */
  close(): Promise<void>
}

/** Calls `look` repeatedly. @returns a function that stops it. */
export type Repeat = (look: () => Promise<void>) => () => void

/** Milliseconds between two reads. */
const PAUSE = 1_000

const everySecond: Repeat = (look) => {
  const timer = setInterval(() => void look(), PAUSE)
  timer.unref()
  return () => clearInterval(timer)
}

/** Maximum reads with changes that may wait for one follower. A slower follower is disconnected. */
const MAX_WAITING = 100

const interrupted = () =>
  new Refusal('UNAVAILABLE', 'The stream was interrupted and may have missed changes. Subscribe again.', {
    retryAfter: 1,
  })

/** An environment with followers. */
interface Watched {
  readonly reader: ChangeReader
  /** Resolves when the point is known from which changes are read. */
  readonly begun: Promise<unknown>
  readonly followings: Set<ChangeFollowing>
}

export interface ChangeWatchOptions {
  readonly db: Connection
  readonly now: () => Date
  readonly logger: Pick<Logger, 'warn'>
  /** Counts the streams of this process. */
  readonly open: OpenCount
  /** Default: every second. */
  readonly repeat?: Repeat | undefined
}

export function createChangeWatch({ db, now, logger, open, repeat = everySecond }: ChangeWatchOptions): ChangeWatch {
  const environments = new Map<string, Watched>()
  let stop: (() => void) | undefined
  let looking: Promise<void> | undefined
  let isClosed = false

  const interruptAll = () => {
    for (const { followings } of [...environments.values()])
      for (const following of [...followings]) following.close(interrupted())
  }

  /** Reads the environments one after the other, so that streams take one connection at most. */
  async function readAll(): Promise<void> {
    for (const { reader, begun, followings } of [...environments.values()]) {
      if (followings.size === 0) continue
      await begun
      const changes = await reader.read()
      if (changes.events.length === 0 && changes.deliveries.length === 0 && !changes.hasMore) continue
      for (const following of [...followings]) following.put(changes)
    }
  }

  const look = () =>
    (looking ??= readAll()
      .catch((error: unknown) => {
        logger.warn({ err: loggable(error) }, 'changes not read: change streams closed')
        interruptAll()
      })
      .finally(() => (looking = undefined)))

  function watch(environmentId: string): Watched {
    const known = environments.get(environmentId)
    if (known !== undefined) return known
    const reader = new ChangeReader({ db, environmentId }, now)
    const begun = reader.read()
    // Each follower awaits it too.
    begun.catch(() => {})
    const watched = { reader, begun, followings: new Set<ChangeFollowing>() }
    environments.set(environmentId, watched)
    stop ??= repeat(look)
    return watched
  }

  function leave(environmentId: string, { followings }: Watched): void {
    if (followings.size > 0) return
    environments.delete(environmentId)
    if (environments.size > 0) return
    stop?.()
    stop = undefined
  }

  return {
    async follow(environmentId) {
      if (isClosed) throw databaseAway()
      const end = open.add(environmentId)
      const watched = watch(environmentId)
      const following: ChangeFollowing = new BoundedQueue({
        limit: MAX_WAITING,
        overflow: interrupted,
        onClose() {
          end()
          watched.followings.delete(following)
          leave(environmentId, watched)
        },
      })
      watched.followings.add(following)
      try {
        await watched.begun
      } catch (error) {
        following.close()
        throw error
      }
      return following
    },
    async close() {
      isClosed = true
      interruptAll()
      await looking
    },
  }
}
