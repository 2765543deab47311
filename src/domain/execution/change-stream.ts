// Subscriptions to changes of events and messages.
import { z } from 'zod'
import { deliveriesById } from '../../data/delivery.ts'
import { eventsById } from '../../data/event.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { ChangeReader, type Changes } from '../../data/monitoring/recent-change.ts'
import { eventsWithRunOf } from '../../data/run.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { contextKeysFilter } from '../context.ts'
import type { ChangeFollowing } from '../resolver/change-watch.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { isCurrent, position, type Position } from './change-position.ts'
import { shown } from './delivery.ts'

/** Maximum objects in one result of a stream. */
export const MAX_CHANGED = 100

/** One result of a stream of changes. */
export interface Changed {
  /** In the order of their last changes. */
  readonly ids: readonly string[]
  /** True if more may have changed, also before the stream began. */
  readonly hasMore: boolean
}

type Select = (changes: Changes) => readonly string[] | Promise<readonly string[]>

/** The ids in several reads, each once, in the order of their last changes. */
async function changedIn(read: readonly Changes[], select: Select): Promise<Changed> {
  const ids = new Set<string>()
  for (const changes of read) {
    for (const id of await select(changes)) {
      ids.delete(id)
      ids.add(id)
    }
  }
  const hasMore = ids.size > MAX_CHANGED || read.some((changes) => changes.hasMore)
  return { ids: [...ids].slice(0, MAX_CHANGED), hasMore }
}

/** The first result of a stream, which says that it is open: the changes since a position, if it is known. */
async function firstResult(scope: Scope, since: Position | null | undefined, select: Select): Promise<Changed> {
  if (since == null || !isCurrent(scope, since)) return { ids: [], hasMore: true }
  const changes = await new ChangeReader(scope, scope.now, since).read()
  await scope.ensureRead()
  return changedIn([changes], select)
}

interface StreamOptions {
  readonly since: Position | null | undefined
  /** Returns the ids of the changes that match the stream's filter. */
  readonly select: Select
}

async function* results(
  scope: Scope,
  following: ChangeFollowing,
  { since, select }: StreamOptions,
): AsyncGenerator<Changed, void, undefined> {
  try {
    // Later changes are in the queue already.
    yield await firstResult(scope, since, select)
    // A client that reads slowly gets the changes of several reads in one result.
    for (let read = await following.take(); read !== undefined; read = await following.take()) {
      const changed = await changedIn(read, select)
      if (changed.ids.length === 0 && !changed.hasMore) continue
      // The client may read its list after this result.
      await scope.ensureRead()
      scope.forget()
      yield changed
    }
  } finally {
    following.close()
  }
}

const isOneOf = <Value>(value: Value, values: readonly Value[] | undefined): boolean => values?.includes(value) ?? true

const hasContexts = (contextKeys: readonly string[], wanted: readonly string[] | undefined): boolean =>
  wanted === undefined || contextKeys.join() === wanted.join()

/** Conditions that never change for an event or a message: those of a list that do would hide that they changed. */
const conditions = {
  transactionId: text(255),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  contextKeys: contextKeysFilter,
}

/**
 * Streams the events that changed, because they were accepted, a run or a message changed, or they were retried or
 * cancelled.
 *
 * @returns a stream. It ends with a Refusal `UNAVAILABLE` if it may have missed a change, and when the process stops.
 */
export const eventsChanged = query({
  name: 'event.followChanges',
  permission: 'event:read',
  input: z.object({ filter: filterOf(conditions), since: position.nullish() }),
  async run(scope, { filter, since }): Promise<AsyncIterableIterator<Changed>> {
    const { transactionId, contextKeys } = filter
    const workflows = valuesOf(filter.workflowIdentifier, filter.workflowIdentifiers)
    const subscribers = valuesOf(filter.subscriberId, filter.subscriberIds)
    const following = await scope.changes.follow(scope.environmentId)
    const select = ({ events }: Changes) => {
      const ids = events
        .filter((event) => transactionId === undefined || event.transactionId === transactionId)
        .filter((event) => isOneOf(event.workflowIdentifier, workflows) && hasContexts(event.contextKeys, contextKeys))
        .map(({ id }) => id)
      return subscribers === undefined || ids.length === 0 ? ids : eventsWithRunOf(scope, ids, subscribers)
    }
    return following.stream(results(scope, following, { since, select }))
  },
})

/** Streams the deliveries that changed. @returns a stream like that of `eventsChanged`. */
export const deliveriesChanged = query({
  name: 'delivery.followChanges',
  permission: 'event:read',
  input: z.object({
    filter: filterOf({
      ...conditions,
      channel: z.enum(Channel),
      channels: severalOf(z.enum(Channel)),
      integrationIdentifier: text(255),
      integrationIdentifiers: severalOf(text(255)),
    }),
    since: position.nullish(),
  }),
  async run(scope, { filter, since }): Promise<AsyncIterableIterator<Changed>> {
    const { transactionId, contextKeys } = filter
    const workflows = valuesOf(filter.workflowIdentifier, filter.workflowIdentifiers)
    const subscribers = valuesOf(filter.subscriberId, filter.subscriberIds)
    const channels = valuesOf(filter.channel, filter.channels)
    const integrations = valuesOf(filter.integrationIdentifier, filter.integrationIdentifiers)
    const following = await scope.changes.follow(scope.environmentId)
    const select = ({ deliveries }: Changes) =>
      deliveries
        .filter((one) => transactionId === undefined || one.transactionId === transactionId)
        .filter((one) => isOneOf(one.workflowIdentifier, workflows) && isOneOf(one.subscriberId, subscribers))
        .filter((one) => isOneOf(one.channel, channels) && isOneOf(one.integrationIdentifier, integrations))
        .filter((one) => hasContexts(one.contextKeys, contextKeys))
        .map(({ id }) => id)
    return following.stream(results(scope, following, { since, select }))
  },
})

const changed = z.object({ ids: z.array(z.uuid()) })
const isFound = <Row>(row: Row | null): row is Row => row !== null

/** Reads the events of a result. Batched. Leaves out those that were deleted. */
export const changedEvents = query({
  name: 'event.listChanged',
  permission: 'event:read',
  input: changed,
  run: async ({ load }, { ids }) => (await Promise.all(ids.map((id) => load(eventsById, id)))).filter(isFound),
})

/** Reads the deliveries of a result. Batched. Leaves out those that were deleted. */
export const changedDeliveries = query({
  name: 'delivery.listChanged',
  permission: 'event:read',
  input: changed,
  run: async ({ load }, { ids }) =>
    (await Promise.all(ids.map((id) => load(deliveriesById, id)))).filter(isFound).map(shown),
})
