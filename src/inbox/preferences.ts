// The state of the preferences of one subscriber.
import type { ReactiveControllerHost } from 'lit'
import { type PreferencePage, readPreferences, updatePreferences, type WorkflowPreference } from './documents.ts'
import { asError, assertDone } from './errors.ts'
import type { Session } from './session.ts'

export type ChannelName = PreferencePage['usedChannels'][number]['channel']

/** The pages of preferences that were read. */
export interface ReadPreferences {
  readonly usedChannels: PreferencePage['usedChannels']
  readonly workflows: readonly WorkflowPreference[]
  readonly hasMore: boolean
}

export class Preferences {
  read: ReadPreferences | undefined
  /** The error of the last read. Undefined after a success. */
  error: Error | undefined
  /** True if the last change was not saved. */
  isUnsaved = false

  readonly #host: ReactiveControllerHost
  readonly #onError: (error: Error) => void
  #session: Session | undefined
  #pages = 1

  constructor(host: ReactiveControllerHost, onError: (error: Error) => void) {
    this.#host = host
    this.#onError = onError
  }

  /** Takes the preferences of another subscriber, or of none. */
  identify(session: Session | undefined): void {
    this.#session = session
    this.read = undefined
    this.error = undefined
    this.isUnsaved = false
    this.#pages = 1
  }

  /** Reads as many pages as were shown, when the user opens them or tries again. */
  load(): Promise<void> {
    this.isUnsaved = false
    return this.#read()
  }

  async #read(): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    await this.#settle(session, readPages(session, this.#pages), (read, error) => {
      this.error = error
      if (error === undefined) this.read = read
    })
  }

  loadMore(): Promise<void> {
    this.#pages += 1
    return this.#read()
  }

  /** Turns one channel on or off, for one workflow or for all. */
  async set(workflowIdentifier: string | null, channel: ChannelName, enabled: boolean): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    const change = { workflowIdentifier, channels: [{ channel, enabled }] }
    await this.#settle(session, update(session, change), (_, error) => (this.isUnsaved = error !== undefined))
    await this.#read()
  }

  /** Shows a result, or reports its error, unless the inbox belongs to another subscriber by then. */
  async #settle<Result>(
    session: Session,
    request: Promise<Result>,
    show: (result: Result | undefined, error: Error | undefined) => void,
  ): Promise<void> {
    const settled = await request.then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error: asError(error) }),
    )
    if (session !== this.#session) return
    show(settled.result, settled.error)
    if (settled.error !== undefined) this.#onError(settled.error)
    this.#host.requestUpdate()
  }
}

interface Change {
  readonly workflowIdentifier: string | null
  readonly channels: {
    readonly channel: ChannelName
    readonly enabled: boolean
  }[]
}

async function update(session: Session, change: Change): Promise<void> {
  const { subscriberId, contextKeys } = await session.open()
  const contexts = contextKeys.map((key) => {
    const [type = '', ...identifier] = key.split(':')
    return { type, identifier: identifier.join(':') }
  })
  const input = { subscriberId, contexts, ...change }
  assertDone((await session.send(updatePreferences, { input })).updateSubscriberPreferences)
}

/** Reads so many pages of preferences. Undefined if the session has ended. */
async function readPages(
  session: Session,
  pages: number,
  after: string | null = null,
): Promise<ReadPreferences | undefined> {
  const { session: found } = await session.send(readPreferences, { after })
  if (found === null) return undefined
  const { usedChannels, workflowPreferences } = found.preferences
  const { nodes: workflows, pageInfo } = workflowPreferences
  if (pages === 1 || !pageInfo.hasNextPage) return { usedChannels, workflows, hasMore: pageInfo.hasNextPage }
  const rest = await readPages(session, pages - 1, pageInfo.endCursor)
  return rest && { ...rest, workflows: [...workflows, ...rest.workflows] }
}
