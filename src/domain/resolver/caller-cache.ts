// Caches callers that the process has identified, so that further requests from them read nothing for authentication, and
// what their environments do with messages.
import { LRUCache } from 'lru-cache'
import { CALLER_CHANNEL, type DashboardOwner, type KeyOwner } from '../../data/access/caller.ts'
import type { Database } from '../../data/connection/database.ts'
import type { StopListening } from '../../data/connection/listen.ts'
import type { SendingRules } from '../../data/access/sending.ts'
import { Freshness } from './freshness.ts'

/** Maximum entries of each kind. An entry takes about 500 bytes. */
const MAX_ENTRIES = 10_000

/** Sending rules of an environment. */
type RulesEntry = SendingRules & OfEnvironment

/** A caller of an environment. */
interface OfEnvironment {
  readonly environmentId: string
  /** Another environment whose changes affect the caller, if there is one. */
  readonly homeId?: string
  /** The row id of the subscriber whose deletion affects the caller, if there is one. */
  readonly subscriberRowId?: string | undefined
}

/** What has changed: an environment with its keys, or only one of its subscribers. */
interface Change {
  readonly environmentId: string
  readonly subscriberRowId?: string | undefined
}

/** True if a change may affect the caller. */
const concerns = (changed: Change, { environmentId, homeId, subscriberRowId }: OfEnvironment) =>
  changed.subscriberRowId === undefined
    ? changed.environmentId === environmentId || changed.environmentId === homeId
    : changed.subscriberRowId === subscriberRowId

/** Entries of one kind. Only existing callers are cached, so unknown credentials take no memory. */
class Entries<Entry extends OfEnvironment> {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES })
  readonly #freshness: Freshness

  constructor(freshness: Freshness) {
    this.#freshness = freshness
  }

  /** Returns a cached entry, or reads it. */
  async get(name: string, read: () => Promise<Entry | undefined>): Promise<Entry | undefined> {
    if (this.#entries.has(name) && (this.#freshness.isCertain || (await this.#freshness.ascertain()))) {
      // A change received meanwhile may have dropped the entry.
      const kept = this.#entries.get(name)
      if (kept !== undefined) return kept
    }
    const isFresh = this.#freshness.begin()
    const found = await read()
    if (found !== undefined && isFresh()) this.#entries.set(name, found)
    return found
  }

  forget(changed: Change): void {
    for (const [name, entry] of this.#entries.entries()) {
      if (concerns(changed, entry)) this.#entries.delete(name)
    }
  }

  drop(name: string): void {
    this.#entries.delete(name)
  }

  clear(): void {
    this.#entries.clear()
  }
}

export interface CallerCache {
  /** Callers by the hash of an API key. */
  readonly keys: Entries<KeyOwner>
  /** The common access of the API keys that signed a session, or of an environment that allows unsigned sessions. */
  readonly signers: Entries<Pick<KeyOwner, 'environmentId' | 'organizationId' | 'database' | 'access'>>
  /** The subscribers with whom sessions end, by row id. */
  readonly subscribers: Entries<OfEnvironment>
  /** Callers by the hash of a dashboard session's token. */
  readonly dashboards: Entries<DashboardOwner>
  /** Callers by the public identifier of an environment. */
  readonly environments: Entries<Pick<KeyOwner, 'environmentId' | 'organizationId' | 'database'>>
  /** What environments do with messages, by environment id. */
  readonly sending: Entries<RulesEntry>
  /** The databases with the rows of environments, by environment id. */
  readonly placements: Entries<Pick<KeyOwner, 'environmentId' | 'database'>>
  /** Drops the callers of an environment. All processes do so automatically when a change is committed. */
  readonly forget: (environmentId: string) => void
  /**
   * Calls `onChange` when the caller may have changed, including when the LISTEN connection was lost for a while. For
   * streams, which authenticate their caller only once. @returns a function that stops it.
   */
  readonly watch: (caller: OfEnvironment, onChange: () => void) => () => void
  /** Stops listening. */
  readonly close: StopListening
}

/**
 * Opens an empty cache. Database triggers announce each change of a key or an environment. While the LISTEN connection
 * is lost, nothing is cached. While it is silent, callers are read for each request.
 *
 * @param stopwatch milliseconds from an arbitrary start.
 * @throws if LISTEN fails.
 */
export async function openCallerCache(
  { listen, catchUp }: Pick<Database, 'listen' | 'catchUp'>,
  stopwatch: () => number,
): Promise<CallerCache> {
  const freshness = new Freshness(catchUp, stopwatch)
  const cache = {
    keys: new Entries<KeyOwner>(freshness),
    signers: new Entries<Pick<KeyOwner, 'environmentId' | 'organizationId' | 'database' | 'access'>>(freshness),
    subscribers: new Entries<OfEnvironment>(freshness),
    dashboards: new Entries<DashboardOwner>(freshness),
    environments: new Entries<Pick<KeyOwner, 'environmentId' | 'organizationId' | 'database'>>(freshness),
    sending: new Entries<RulesEntry>(freshness),
    placements: new Entries<Pick<KeyOwner, 'environmentId' | 'database'>>(freshness),
  }
  const kinds = Object.values(cache)
  const watchers = new Set<{ readonly caller: OfEnvironment; readonly onChange: () => void }>()
  const tellWatchers = (changed: Change) => {
    for (const watcher of watchers) if (concerns(changed, watcher.caller)) watcher.onChange()
  }
  const forget = (environmentId: string) => {
    freshness.change()
    for (const entries of kinds) entries.forget({ environmentId })
    tellWatchers({ environmentId })
  }
  /** @param message the id of an environment or, after a space, the row id of its subscriber that was deleted. */
  const onMessage = (message: string) => {
    const [environmentId = '', subscriberRowId] = message.split(' ')
    if (subscriberRowId === undefined) {
      forget(environmentId)
      return
    }
    freshness.change()
    cache.subscribers.drop(subscriberRowId)
    tellWatchers({ environmentId, subscriberRowId })
  }
  const setListening = (isListening: boolean) => {
    freshness.isListening = isListening
    freshness.change()
    for (const entries of kinds) entries.clear()
    if (isListening) for (const { onChange } of watchers) onChange()
  }
  const close = await listen(CALLER_CHANNEL, {
    onMessage,
    onDisconnect: () => setListening(false),
    onReconnect: () => setListening(true),
  })
  return {
    ...cache,
    forget,
    watch(caller, onChange) {
      const watcher = { caller, onChange }
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    close,
  }
}
