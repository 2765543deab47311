// The state of the inbox: the feed of one subscriber and its counts.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Counts, FeedNotification, FollowedCounts } from './documents.ts'
import { asError } from './errors.ts'
import { type Filter, listToShow, PAGE, readNewest, sizeToRead } from './feed-pages.ts'
import { type Mark, markAllRead, markOne } from './marks.ts'
import { Persistence } from './persistence.ts'
import { SeenMarker } from './seen.ts'
import type { Session } from './session.ts'
import { snoozeOne, unsnoozeOne } from './snooze.ts'

/** What has happened, by the name of its text. */
export type Occurrence = Mark | 'arrived' | 'allRead' | 'snoozed' | 'returned'

export interface FeedListener {
  readonly onError: (error: Error) => void
  readonly onOccurrence: (occurrence: Occurrence) => void
}

export class Feed implements ReactiveController {
  counts: Counts = { unread: 0, unseen: 0 }
  notifications: readonly FeedNotification[] | undefined
  hasMore = false
  filter: Filter = 'all'
  /** The error of the last request for notifications. Undefined after a success. */
  error: Error | undefined
  /** True if the last change was not saved. */
  isUnsaved = false

  readonly #host: ReactiveControllerHost
  readonly #listener: FeedListener
  #session: Session | undefined
  #persistence: Persistence | undefined
  #isShown = false
  /** The number of notifications that were asked for. */
  #wanted = PAGE
  #reading: Promise<void> | undefined
  #isOutdated = false
  /** The counts of the stream, in the order of the changes. */
  #followed: FollowedCounts | undefined
  #seen: SeenMarker | undefined

  constructor(host: ReactiveControllerHost, listener: FeedListener) {
    this.#host = host
    this.#listener = listener
    host.addController(this)
  }

  /** Shows the feed of another subscriber, or of none. */
  identify(session: Session | undefined): void {
    this.hostDisconnected()
    this.#session = session
    this.#forget()
    this.counts = { unread: 0, unseen: 0 }
    this.#followed = undefined
    this.#seen = session && new SeenMarker(session)
    this.#reading = undefined
    this.error = undefined
    this.isUnsaved = false
    this.hostConnected()
  }

  hostConnected(): void {
    const session = this.#session
    if (session === undefined || this.#persistence !== undefined) return
    this.#persistence = new Persistence(async (signal) => {
      await this.reload()
      if (signal.aborted || this.error !== undefined) return
      await session
        .follow((counts) => this.#onCounts(counts), signal)
        .catch((error: unknown) => {
          // Without the stream, only live updates are missing until the next attempt.
          if (!signal.aborted) this.#listener.onError(asError(error))
        })
    })
  }

  hostDisconnected(): void {
    this.#persistence?.stop()
    this.#persistence = undefined
  }

  /** Tells whether the list is on the screen: only then it follows the feed, and what it contains becomes seen. */
  show(isShown: boolean): void {
    if (this.#isShown === isShown) return
    this.#isShown = isShown
    this.isUnsaved = false
    this.#seen?.reset()
    // After an error, the next attempt reads the list.
    if (isShown && this.error === undefined) void this.reload()
  }

  /** Makes the next attempt at once. */
  retry(): void {
    this.#persistence?.now()
  }

  /** Reads as many notifications as are shown, and what is new. Concurrent callers share one read, and one after it. */
  reload(): Promise<void> {
    this.#isOutdated = true
    if (this.#reading !== undefined) return this.#reading
    const reading = this.#readUntilCurrent().finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    return reading
  }

  loadMore(): Promise<void> {
    this.#wanted = (this.notifications?.length ?? 0) + PAGE
    return this.reload()
  }

  select(filter: Filter): Promise<void> {
    this.filter = filter
    this.#forget()
    return this.reload()
  }

  mark({ id }: Pick<FeedNotification, 'id'>, as: Mark): Promise<void> {
    return this.#change(as, (session) => markOne(session, id, as))
  }

  snooze({ id }: Pick<FeedNotification, 'id'>, until: Date): Promise<void> {
    return this.#change('snoozed', (session) => snoozeOne(session, id, until))
  }

  /** Ends a snooze. */
  unsnooze({ id }: Pick<FeedNotification, 'id'>): Promise<void> {
    return this.#change('returned', (session) => unsnoozeOne(session, id))
  }

  markAllRead(): Promise<void> {
    return this.#change('allRead', markAllRead)
  }

  #forget(): void {
    this.notifications = undefined
    this.#wanted = PAGE
  }

  #onCounts(followed: FollowedCounts): void {
    const before = this.#followed
    this.#followed = followed
    this.counts = { unread: followed.unread, unseen: followed.unseen }
    this.#host.requestUpdate()
    if (before !== undefined && hasArrived(before, followed)) this.#listener.onOccurrence('arrived')
    if (this.#isShown) void this.reload()
  }

  async #readUntilCurrent(): Promise<void> {
    const session = this.#session
    while (session !== undefined && session === this.#session && this.#isOutdated) {
      this.#isOutdated = false
      await this.#read(session)
    }
  }

  async #read(session: Session): Promise<void> {
    const { filter } = this
    const shown = this.notifications ?? []
    const settle = await readNewest(session, filter, sizeToRead(shown, this.#wanted)).then(
      (found) => () => {
        this.error = undefined
        // The session has ended, or another list was chosen.
        if (found === undefined || filter !== this.filter) return
        const { counts, nodes, hasMore } = found
        this.counts = counts
        this.notifications = listToShow(nodes, shown, this.#wanted)
        this.hasMore = hasMore || this.notifications.length < nodes.length
        void this.#markSeen(session, this.notifications)
      },
      (error: unknown) => () => {
        this.error = asError(error)
        this.#listener.onError(this.error)
        this.#persistence?.fail()
      },
    )
    // The inbox may belong to another subscriber by now.
    if (session !== this.#session) return
    settle()
    this.#host.requestUpdate()
  }

  async #markSeen(session: Session, notifications: readonly FeedNotification[]): Promise<void> {
    if (!this.#isShown) return
    const counts = await this.#seen?.mark(notifications).catch((error: unknown) => {
      if (session === this.#session) this.#listener.onError(asError(error))
    })
    if (!counts || session !== this.#session) return
    this.counts = counts
    this.#host.requestUpdate()
  }

  async #change(occurrence: Occurrence, send: (session: Session) => Promise<void>): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    const error = await send(session).then(() => undefined, asError)
    if (session !== this.#session) return
    this.isUnsaved = error !== undefined
    if (error === undefined) this.#listener.onOccurrence(occurrence)
    else this.#listener.onError(error)
    await this.reload()
  }
}

/** True if a notification arrived. The one before it may have become seen meanwhile. */
const hasArrived = (before: FollowedCounts, after: FollowedCounts): boolean =>
  after.unseen > before.unseen || (after.unread > before.unread && after.total > before.total)
