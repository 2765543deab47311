// Import and export of topic subscriptions.
import type { Scope } from '../../domain/resolver/scope.ts'
import { createTopicSubscriptions } from '../../domain/subscribe.ts'
import { type GroupEntry, preferencesOf, type WorkflowEntry } from '../../domain/subscription-preference.ts'
import { MAX_ROWS, type TopicSubscription, topicSubscriptions } from '../../domain/topic-subscription.ts'
import { Refusal } from '../../lib/errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { asContext, pagesOf } from './rows.ts'
import type { Item, ItemFailure, Transfer, Written } from './transfer.ts'

/** The shared fields of items that are written together, which the resolver validates. */
type Subscribing = Parameters<typeof createTopicSubscriptions>[1]

interface Entry {
  readonly index: number
  readonly item: Item
}

/** Items of one topic with the same contexts and preferences, up to the maximum of one call. */
function inGroups(items: readonly Item[]): readonly (readonly Entry[])[] {
  const entries = items.map((item, index): Entry => ({ index, item }))
  const alike = groupBy(entries, ({ item: { topicKey, context, preferences } }) =>
    JSON.stringify([topicKey, context, preferences]),
  )
  return [...alike.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / MAX_ROWS) }, (_, part) =>
      group.slice(part * MAX_ROWS, (part + 1) * MAX_ROWS),
    ),
  )
}

/** Writes a group. If the resolver rejects the whole group without naming an item, each item is written alone. */
async function writeGroup(scope: Scope, group: readonly Entry[]): Promise<Written> {
  const [first] = group
  if (first === undefined) return { created: 0, existing: 0, failed: [] }
  const { topicKey, context, preferences } = first.item
  const rows = group.map(({ item: { subscriberId, identifier, name } }) => ({ subscriberId, identifier, name }))
  const before = scope.now()
  try {
    const input = { topicKey, context, preferences, subscriptions: rows } as Subscribing
    const { subscriptions, failed } = await createTopicSubscriptions(scope, input)
    const created = subscriptions.filter(({ createdAt }) => createdAt >= before).length
    return {
      created,
      existing: subscriptions.length - created,
      failed: failed.map(({ index, message }) => ({ index: group[index]?.index ?? index, message })),
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind === 'UNAVAILABLE') throw error
    if (group.length > 1)
      return writeGroups(
        scope,
        group.map((entry) => [entry]),
      )
    // The group has only this item.
    const message = error.message.replaceAll('subscriptions[0].', '')
    return { created: 0, existing: 0, failed: [{ index: first.index, message }] }
  }
}

async function writeGroups(scope: Scope, groups: readonly (readonly Entry[])[]): Promise<Written> {
  let [created, existing] = [0, 0]
  const failed: ItemFailure[] = []
  for (const group of groups) {
    const written = await writeGroup(scope, group)
    created += written.created
    existing += written.existing
    failed.push(...written.failed)
  }
  return { created, existing, failed }
}

function asPreference(entry: WorkflowEntry | GroupEntry) {
  const { enabled, condition } = entry
  if (entry.kind === 'workflow') return { workflow: { workflowId: entry.workflow.identifier, enabled, condition } }
  const workflowIds = entry.workflows.map(({ identifier }) => identifier)
  return { group: { workflowIds, tags: entry.tags, enabled, condition } }
}

async function asItem(scope: Scope, row: TopicSubscription): Promise<Item> {
  const { id, topicKey, subscriberId, identifier, name, contextKeys } = row
  const preferences = (await preferencesOf(scope, { subscriptionId: id })).map(asPreference)
  return { topicKey, subscriberId, identifier, name, context: asContext(contextKeys), preferences }
}

export const subscriptionTransfer: Transfer = {
  unit: 'subscriptions',
  columns: {
    topicKey: { required: true },
    subscriberId: { required: true },
    identifier: {},
    name: {},
    context: { json: true },
    preferences: { json: true },
  },
  batch: 1_000,
  existing: 'unchanged',
  write: (scope, items) => writeGroups(scope, inGroups(items)),
  async *read(scope) {
    const orderBy = { field: 'createdAt', direction: 'asc' } as const
    for await (const rows of pagesOf(scope, (page) => topicSubscriptions(scope, { page, orderBy, filter: null }))) {
      yield await Promise.all(rows.map((row) => asItem(scope, row)))
    }
  },
}
