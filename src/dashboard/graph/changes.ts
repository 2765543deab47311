// Streams of changed events: one for all queries of a page that follow the same events.
import type { Client } from 'urql'
import { graphql, type VariablesOf } from './graphql.ts'
import { keepOpen } from './stream.ts'

/** A message changes its event, too. Without objects, which the query reads, a result costs the gateway nothing. */
const changesSubscription = graphql(`
  subscription EventChanges($filter: ChangedEventsFilter, $since: String) {
    eventsChanged(filter: $filter, since: $since) {
      hasMore
      count
    }
  }
`)

/** The events that concern a page. */
export type Followed = NonNullable<VariablesOf<typeof changesSubscription>['filter']>

/** A query that follows changes. */
export interface Follower {
  readonly onChange: () => void
  /** The `changePosition` of the data on the screen. Undefined while the query is in progress. */
  position: string | undefined
}

class Changes {
  readonly followers = new Set<Follower>()
  readonly #client: Client
  readonly #filter: Followed
  /** The followers whose query was in progress when the stream was opened: it may be from before. */
  #behind = new Set<Follower>()
  #close: (() => void) | undefined

  constructor(client: Client, filter: Followed) {
    this.#client = client
    this.#filter = filter
  }

  /** Opens the stream once the data of one query is known: the stream begins there. */
  open(): void {
    let since = [...this.followers].find(({ position }) => position !== undefined)?.position
    if (since === undefined || this.#close !== undefined) return
    this.#behind = new Set([...this.followers].filter(({ position }) => position === undefined))
    this.#close = keepOpen(this.#client, {
      document: changesSubscription,
      variablesOf: () => ({ filter: this.#filter, since: since ?? null }),
      onResult: ({ eventsChanged: { hasMore, count } }) => {
        // Opened again, the stream begins when it is open, and all queries are repeated.
        since = undefined
        const isChange = hasMore || count > 0
        for (const follower of isChange ? this.followers : this.#behind) follower.onChange()
        this.#behind.clear()
      },
    })
  }

  close(): void {
    this.#close?.()
    this.#close = undefined
  }
}

const known = new WeakMap<Client, Map<string, Changes>>()

/** Follows changes of events. @returns a function that says that the position has changed, and one that ends it. */
export function followChanges(client: Client, filter: Followed, follower: Follower) {
  const streams = known.get(client) ?? new Map<string, Changes>()
  known.set(client, streams)
  const key = JSON.stringify(filter)
  const changes = streams.get(key) ?? new Changes(client, filter)
  streams.set(key, changes)
  changes.followers.add(follower)
  changes.open()
  return {
    settle(position: string | undefined) {
      follower.position = position
      changes.open()
    },
    leave() {
      changes.followers.delete(follower)
      if (changes.followers.size > 0) return
      changes.close()
      streams.delete(key)
    },
  }
}
