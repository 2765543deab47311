// The state of the inbox: the feed of one subscriber, its counts and its preferences.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import {
  type Counts,
  type FeedNotification,
  type FeedPage,
  mark,
  markAll,
  type PreferencePage,
  readFeed,
  readPreferences,
  updatePreferences,
  type WorkflowPreference,
} from './documents.ts'
import { type Identity, Session } from './session.ts'

export type Filter = 'all' | 'unread' | 'archived'
export type Mark = 'READ' | 'UNREAD' | 'ARCHIVED' | 'UNARCHIVED'
export type ChannelName = PreferencePage['usedChannels'][number]['channel']

/** The pages of preferences that were read. */
export interface Preferences {
  readonly usedChannels: PreferencePage['usedChannels']
  readonly workflows: readonly WorkflowPreference[]
  readonly hasMore: boolean
}

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
  #pagesRead = 0
  #preferencePages = 1
  #end: (() => void) | undefined

  constructor(host: ReactiveControllerHost, onError: (error: Error) => void) {
    this.#host = host
    this.#onError = onError
    host.addController(this)
  }

  /** Shows the feed of another subscriber, or of none. */
  identify(identity: Identity | undefined): void {
    this.hostDisconnected()
    this.#session = identity === undefined ? undefined : new Session(identity)
    this.notifications = undefined
    this.preferences = undefined
    this.#preferencePages = 1
    this.counts = { unread: 0, unseen: 0 }
    this.error = undefined
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
    return this.#readPage(null, ({ nodes }) => nodes)
  }

  loadMore(): Promise<void> {
    return this.#readPage(this.#cursor, ({ nodes }) => [...(this.notifications ?? []), ...nodes])
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

  /** Reads the preferences again, as many pages as were shown. */
  loadPreferences(): Promise<void> {
    return this.#try(
      (session) => readPreferencePages(session, this.#preferencePages),
      (preferences) => (this.preferences = preferences),
    )
  }

  loadMorePreferences(): Promise<void> {
    this.#preferencePages += 1
    return this.loadPreferences()
  }

  /** Turns one channel on or off, for one workflow or for all. */
  async setPreference(workflowIdentifier: string | null, channel: ChannelName, enabled: boolean): Promise<void> {
    await this.#try(async (session) => {
      const { subscriberId, contextKeys } = await session.open()
      const contexts = contextKeys.map((key) => {
        const [type = '', ...identifier] = key.split(':')
        return { type, identifier: identifier.join(':') }
      })
      const input = { subscriberId, contexts, workflowIdentifier, channels: [{ channel, enabled }] }
      const { updateSubscriberPreferences: payload } = await session.send(updatePreferences, { input })
      assertDone(payload)
    })
    await this.loadPreferences()
  }

  #readPage(after: string | null, shown: (page: FeedPage) => readonly FeedNotification[]): Promise<void> {
    this.#pagesRead += 1
    const page = this.#pagesRead
    return this.#try(
      (session) => session.send(readFeed, { filter: filters[this.filter], after }),
      ({ session: found }) => {
        // The session has ended, or this answer is older than one that is shown or on its way.
        if (found === null || page !== this.#pagesRead) return
        this.counts = found.notificationCounts
        this.notifications = shown(found.notifications)
        this.#cursor = found.notifications.pageInfo.endCursor
        this.hasMore = found.notifications.pageInfo.hasNextPage
      },
    )
  }

  async #change(send: (session: Session) => Promise<Payload>): Promise<void> {
    await this.#try(async (session) => assertDone(await send(session)))
    await this.load()
  }

  /** Sends a request and shows its result, or its error, unless the inbox belongs to another subscriber by then. */
  async #try<Result>(
    request: (session: Session) => Promise<Result>,
    show: (result: Result) => void = () => undefined,
  ): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    const settle = await request(session).then(
      (result) => () => {
        show(result)
        this.error = undefined
      },
      (error: unknown) => () => {
        this.error = error instanceof Error ? error : new Error(String(error))
        this.#onError(this.error)
      },
    )
    if (session !== this.#session) return
    settle()
    this.#host.requestUpdate()
  }
}

/** Reads so many pages of preferences. Undefined if the session has ended. */
async function readPreferencePages(
  session: Session,
  pages: number,
  after: string | null = null,
): Promise<Preferences | undefined> {
  const { session: found } = await session.send(readPreferences, { after })
  if (found === null) return undefined
  const { usedChannels, workflowPreferences } = found.preferences
  const { nodes: workflows, pageInfo } = workflowPreferences
  if (pages === 1 || !pageInfo.hasNextPage) return { usedChannels, workflows, hasMore: pageInfo.hasNextPage }
  const rest = await readPreferencePages(session, pages - 1, pageInfo.endCursor)
  return rest && { ...rest, workflows: [...workflows, ...rest.workflows] }
}

interface Payload {
  readonly userErrors: readonly { readonly message: string }[]
}

function assertDone({ userErrors }: Payload): void {
  if (userErrors.length > 0) throw new Error(userErrors.map(({ message }) => message).join(' '))
}
