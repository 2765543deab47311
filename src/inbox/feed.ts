// The state of the inbox: the feed of one subscriber, its counts and its preferences.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import {
  type Counts,
  type FeedNotification,
  mark,
  markAll,
  type Preferences,
  readFeed,
  readPreferences,
  updatePreferences,
} from './documents.ts'
import { type Identity, Session } from './session.ts'

export type Filter = 'all' | 'unread' | 'archived'
export type Mark = 'READ' | 'UNREAD' | 'ARCHIVED' | 'UNARCHIVED'
export type ChannelName = Preferences['channels'][number]['channel']

const filters = { all: {}, unread: { read: false }, archived: { archived: true } } as const

export class Feed implements ReactiveController {
  counts: Counts = { unread: 0, unseen: 0 }
  notifications: readonly FeedNotification[] | undefined
  hasMore = false
  preferences: Preferences | undefined
  filter: Filter = 'all'
  /** The error of the last request. */
  error: Error | undefined

  readonly #host: ReactiveControllerHost
  readonly #onError: (error: Error) => void
  #session: Session | undefined
  #cursor: string | null = null
  #end: (() => void) | undefined

  constructor(host: ReactiveControllerHost, onError: (error: Error) => void) {
    this.#host = host
    this.#onError = onError
    host.addController(this)
  }

  /** Shows the feed of someone else, or of nobody. */
  identify(identity: Identity | undefined): void {
    this.hostDisconnected()
    this.#session = identity === undefined ? undefined : new Session(identity)
    this.notifications = undefined
    this.preferences = undefined
    this.counts = { unread: 0, unseen: 0 }
    this.hostConnected()
  }

  hostConnected(): void {
    const session = this.#session
    if (session === undefined) return
    void this.load()
    this.#end = session.follow((counts) => {
      this.counts = counts
      this.#host.requestUpdate()
      void this.load()
    })
  }

  hostDisconnected(): void {
    this.#end?.()
    this.#end = undefined
  }

  /** Reads the first page. */
  load(): Promise<void> {
    return this.#try(async (session) => {
      const filter = this.filter
      const { session: found } = await session.send(readFeed, { filter: filters[filter], after: null })
      // The reader has changed the filter meanwhile, or the session belongs to nobody any more.
      if (found === null || filter !== this.filter) return
      this.counts = found.notificationCounts
      this.#show(found.notifications.nodes, found.notifications.pageInfo)
    })
  }

  loadMore(): Promise<void> {
    return this.#try(async (session) => {
      const variables = { filter: filters[this.filter], after: this.#cursor }
      const { session: found } = await session.send(readFeed, variables)
      if (found === null) return
      this.#show([...(this.notifications ?? []), ...found.notifications.nodes], found.notifications.pageInfo)
    })
  }

  select(filter: Filter): Promise<void> {
    this.filter = filter
    this.notifications = undefined
    return this.load()
  }

  mark({ id }: Pick<FeedNotification, 'id'>, as: Mark): Promise<void> {
    return this.#change((session) => session.send(mark, { input: { id, as } }).then((data) => data.markNotification))
  }

  markAllRead(): Promise<void> {
    return this.#change(async (session) => {
      const { subscriberId, contextKeys } = await session.open()
      const input = { subscriberId, contextKeys: [...contextKeys], as: 'READ' as const, filter: { archived: false } }
      return (await session.send(markAll, { input })).markNotifications
    })
  }

  loadPreferences(): Promise<void> {
    return this.#try(async (session) => {
      const data = await session.send(readPreferences, {})
      this.preferences = data.session?.preferences
    })
  }

  /** Turns one channel on or off, for one workflow or for all. */
  async setPreference(workflowId: string | null, channel: ChannelName, enabled: boolean): Promise<void> {
    await this.#try(async (session) => {
      const { subscriberId, contextKeys } = await session.open()
      const contexts = contextKeys.map((key) => {
        const [type = '', ...identifier] = key.split(':')
        return { type, identifier: identifier.join(':') }
      })
      const input = { subscriberId, contexts, workflowId, channels: [{ channel, enabled }] }
      const { updateSubscriberPreferences: payload } = await session.send(updatePreferences, { input })
      assertDone(payload)
    })
    await this.loadPreferences()
  }

  #show(
    nodes: readonly FeedNotification[],
    page: { readonly endCursor: string | null; readonly hasNextPage: boolean },
  ) {
    this.notifications = nodes
    this.#cursor = page.endCursor
    this.hasMore = page.hasNextPage
  }

  async #change(send: (session: Session) => Promise<Payload>): Promise<void> {
    await this.#try(async (session) => assertDone(await send(session)))
    await this.load()
  }

  async #try(work: (session: Session) => Promise<void>): Promise<void> {
    if (this.#session === undefined) return
    try {
      await work(this.#session)
      this.error = undefined
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error))
      this.#onError(this.error)
    }
    this.#host.requestUpdate()
  }
}

interface Payload {
  readonly userErrors: readonly { readonly message: string }[]
}

function assertDone({ userErrors }: Payload): void {
  if (userErrors.length > 0) throw new Error(userErrors.map(({ message }) => message).join(' '))
}
