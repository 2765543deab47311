// The feeds that live connections of this process follow: one stream, one count and one view for each change of a feed,
// however many connections follow it.
import type { SessionCaller } from '../../../../domain/resolver/caller.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { type FeedUpdate, feedUpdated } from '../../../../domain/notification-stream.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { Traced } from '../../../../lib/trace.ts'
import { frameOf } from '../words/frame.ts'
import { showItem } from '../words/item.ts'

/** An event of the client, with its data as JSON. */
export interface LiveEvent {
  readonly name: 'notification_received' | 'unread_count_changed' | 'unseen_count_changed'
  readonly json: string
}

/** A connection that follows a feed. */
interface Member {
  put(event: LiveEvent): void
  /** The feed has ended. The connection has left it. */
  close(reason: Refusal): void
}

type RefusalOf = (error: unknown, trace: Traced) => Refusal

async function eventsOf(update: FeedUpdate, scope: DoorScope): Promise<LiveEvent[]> {
  if (update.kind === 'received') {
    const message = frameOf(await showItem(update.notification, scope))
    return [{ name: 'notification_received', json: JSON.stringify({ message }) }]
  }
  const { unread, unseen, unreadBySeverity } = update.counts
  return [
    { name: 'unread_count_changed', json: JSON.stringify({ counts: { total: unread, severity: unreadBySeverity } }) },
    { name: 'unseen_count_changed', json: JSON.stringify({ unseenCount: unseen }) },
  ]
}

type Feed = Pick<SessionCaller, 'subscriberId' | 'contextKeys'>

interface LiveFeedOptions {
  /** Called when there are no more members. */
  readonly onEmpty: () => void
  readonly refusalOf: RefusalOf
}

/** A feed with at least one member. */
class LiveFeed {
  readonly #members = new Set<Member>()
  /** The events of the last counts. */
  #counts: readonly LiveEvent[] = []
  readonly #onEmpty: () => void
  /** Resolves with the stream. */
  readonly #opened: Promise<AsyncIterableIterator<FeedUpdate>>

  constructor(scope: DoorScope, { subscriberId, contextKeys }: Feed, { onEmpty, refusalOf }: LiveFeedOptions) {
    this.#onEmpty = onEmpty
    this.#opened = feedUpdated(scope, { subscriberId, contextKeys: [...contextKeys] })
    void this.#read(scope, refusalOf)
  }

  /**
   * The member receives the counts at once. Otherwise, a page that reconnects would show stale ones.
   *
   * @throws Refusal if the feed cannot be followed.
   */
  async join(member: Member): Promise<void> {
    this.#members.add(member)
    for (const event of this.#counts) member.put(event)
    await this.#opened
  }

  leave(member: Member): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return
    this.#onEmpty()
    // Those that wait for the stream get the error.
    this.#opened.then((stream) => stream.return?.()).catch(() => {})
  }

  async #read(scope: DoorScope, refusalOf: RefusalOf): Promise<void> {
    let reason = new Refusal('UNAVAILABLE', 'The stream has ended')
    try {
      for await (const update of await this.#opened) {
        const events = await eventsOf(update, scope)
        if (update.kind === 'counted') this.#counts = events
        for (const event of events) for (const member of [...this.#members]) member.put(event)
      }
    } catch (error) {
      reason = refusalOf(error, scope.trace)
    }
    const members = [...this.#members]
    this.#members.clear()
    if (members.length > 0) this.#onEmpty()
    for (const member of members) member.close(reason)
  }
}

export class LiveFeeds {
  readonly #feeds = new Map<string, LiveFeed>()
  readonly #refusalOf: RefusalOf

  /** @param refusalOf returns the error that members get, and logs it: once for all of them. */
  constructor(refusalOf: RefusalOf) {
    this.#refusalOf = refusalOf
  }

  /**
   * Lets a connection follow the feed of its session.
   *
   * @param scope of the session. The first member's is used for all: they may read the same feed. @returns a function
   *   that ends it. @throws Refusal if the feed cannot be followed.
   */
  async join(scope: DoorScope, caller: SessionCaller, member: Member): Promise<() => void> {
    const { environmentId, subscriberId, contextKeys } = caller
    const key = JSON.stringify([environmentId, subscriberId, contextKeys])
    const onEmpty = () => {
      if (this.#feeds.get(key) === feed) this.#feeds.delete(key)
    }
    const feed: LiveFeed =
      this.#feeds.get(key) ??
      new LiveFeed(scope, { subscriberId, contextKeys }, { onEmpty, refusalOf: this.#refusalOf })
    this.#feeds.set(key, feed)
    await feed.join(member)
    return () => feed.leave(member)
  }
}
