// Changes the preferences of many subscribers, or many preferences of one, with a constant number of statements.
import { z } from 'zod'
import { insertContexts } from '../../data/context.ts'
import {
  keepCategories,
  type KeptCategory,
  keepWorkflows,
  type KeptWorkflow,
  lockSubscribers,
} from '../../data/lock.ts'
import { categoriesById } from '../../data/category.ts'
import type { PreferenceKey } from '../../data/preference/preference.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { subscribersById } from '../../data/subscriber.ts'
import { workflowsById } from '../../data/workflow.ts'
import { Refusal } from '../../lib/errors.ts'
import { parse, storableText } from '../../lib/validation.ts'
import { contextKeysOf, contextList, ensureContextKeys, newContexts } from '../context.ts'
import { categoryNotFound } from '../category.ts'
import { type CategoryPreference, categoryPreferenceFor } from './category-preference.ts'
import { changedChoices, originOf, type Subject, ownerText, writeChoices } from './change-preference.ts'
import {
  assertOneSubject,
  changedSubject,
  effectivePreferences,
  ignoredBy,
  type SubscriberPreferences,
} from './preference.ts'
import { categoryOfWorkflow, preferencesBySubscriber } from './preference-rule.ts'
import { referenceOf } from '../resolver/reference.ts'
import { mutation } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { subscriberReference } from '../subscriber-id.ts'
import { subscriberNotFound } from '../subscriber.ts'
import { preferenceFor, type WorkflowPreference } from './workflow-preference.ts'
import { workflowNotFound } from '../workflow.ts'

/** Maximum items of a call. */
export const MAX_CHANGES = 100

const channelNames = Object.values(Channel)

/** A change of one subscriber's preferences, for one workflow, for one category or for all workflows. */
export const preferenceChange = z.strictObject({
  ...subscriberReference,
  contexts: contextList,
  ...changedSubject,
  enabled: z.boolean().nullish(),
  channels: changedChoices.nullish(),
})
type PreferenceChange = z.output<typeof preferenceChange>

/** A change whose subscriber was found. */
type Found = PreferenceChange & { readonly subscriberId: string }

/** A valid item of a call. */
interface Item extends PreferenceKey {
  readonly index: number
  readonly change: Found
  readonly workflow: KeptWorkflow | undefined
  readonly category: KeptCategory | undefined
}

/** An item that was not written. */
export interface FailedChange {
  /** The index in the input. */
  readonly index: number
  /** Null if it is not valid. */
  readonly subscriberId: string | null
  readonly refusal: Refusal
}

/** The effective preferences after the call that an item changed: for its workflow, for its category or for all. */
export type ChangedPreference =
  | (WorkflowPreference & { readonly kind: 'workflow' })
  | (CategoryPreference & { readonly kind: 'category' })
  | (SubscriberPreferences & { readonly kind: 'global' })

interface ChangedPreferences {
  /** In the order of the items that were written. */
  readonly changed: readonly ChangedPreference[]
  /** The preferences of each subscriber under each set of contexts, in the order of the items. */
  readonly preferences: readonly SubscriberPreferences[]
  readonly failed: readonly FailedChange[]
  /** Sentences about what has no effect. */
  readonly notes: readonly string[]
}

const named = z.object({ subscriberId: storableText })

/** Reads an item, and the subscriberId of a subscriber that it names by id. */
async function readItem({ load }: Scope, item: unknown): Promise<Found | Refusal> {
  if (item instanceof Refusal) return item
  try {
    const change = parse(preferenceChange, item)
    assertOneSubject(change)
    const subscriber = referenceOf({ subscriberId: change.subscriberId }, { id: change.id })
    if ('subscriberId' in subscriber) return { ...change, ...subscriber }
    const found = await load(subscribersById, subscriber.id)
    return found === null ? subscriberNotFound(subscriber) : { ...change, subscriberId: found.subscriberId }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Locks what the items name. Subscribers come last, as in every other transaction. */
async function readItems(scope: Scope, given: readonly unknown[]): Promise<readonly (Item | FailedChange)[]> {
  const parsed = await Promise.all(given.map((item) => readItem(scope, item)))
  const valid = parsed.flatMap((item) => (item instanceof Refusal ? [] : item))
  const categoryKeys = valid.flatMap(({ categoryKey }) => categoryKey ?? [])
  const categories = categoryKeys.length > 0 ? await keepCategories(scope, [...new Set(categoryKeys)]) : []
  const workflowNames = valid.flatMap(({ workflowId }) => workflowId ?? [])
  const workflows = workflowNames.length > 0 ? await keepWorkflows(scope, [...new Set(workflowNames)]) : []
  const byName = new Map(workflows.flatMap((workflow) => [[workflow.identifier, workflow] as const]))
  const byId = new Map(workflows.map((workflow) => [workflow.id, workflow]))
  const existing = await lockSubscribers(scope, [...new Set(valid.map((item) => item.subscriberId))])
  return parsed.map((change, index) => {
    const failed = (refusal: Refusal): FailedChange => {
      const subscriberId = named.safeParse(given[index]).data?.subscriberId ?? null
      return { index, subscriberId, refusal }
    }
    if (change instanceof Refusal) return failed(change)
    const { subscriberId, workflowId, categoryKey } = change
    if (!existing.has(subscriberId)) return failed(subscriberNotFound({ subscriberId }))
    const workflow = workflowId ? (byName.get(workflowId) ?? byId.get(workflowId)) : undefined
    if (workflowId && workflow === undefined) return failed(workflowNotFound(workflowId, 'workflowId'))
    const category = categoryKey ? categories.find(({ key }) => key === categoryKey) : undefined
    if (categoryKey && category === undefined) return failed(categoryNotFound(categoryKey, 'categoryKey'))
    return { index, subscriberId, contextKeys: contextKeysOf(change.contexts), change, workflow, category }
  })
}

function subjectOf({ workflow, category }: Item): Subject {
  if (workflow !== undefined) return { scope: 'workflow', id: workflow.id, identifier: workflow.identifier }
  return category === undefined ? { scope: 'all' } : { scope: 'category', ...category }
}

async function writeItems(scope: Scope, items: readonly Item[]): Promise<void> {
  // A browser cannot set the data of a context.
  if (scope.caller.kind === 'session') await ensureContextKeys(scope, scope.caller.contextKeys)
  else {
    await insertContexts(
      scope,
      items.flatMap(({ change }) => newContexts(scope, change.contexts)),
    )
  }
  const choices = items.map((item) => {
    const { subscriberId, contextKeys, change } = item
    return { subscriberId, contextKeys, subject: subjectOf(item), enabled: change.enabled, channels: change.channels }
  })
  await writeChoices(scope, choices, originOf(scope.caller))
}

async function changedBy(scope: Scope, item: Item): Promise<ChangedPreference> {
  const { subscriberId, contextKeys, workflow, category } = item
  const key = { subscriberId, contextKeys }
  if (category !== undefined) {
    const [stored, row] = await Promise.all([
      scope.load(preferencesBySubscriber, key),
      scope.load(categoriesById, category.id),
    ])
    if (row === null) throw new Error('the category is locked, and was not found')
    return { kind: 'category', ...categoryPreferenceFor(row, channelNames, stored) }
  }
  if (workflow === undefined) return { kind: 'global', ...(await effectivePreferences(scope, key)) }
  const [stored, row] = await Promise.all([
    scope.load(preferencesBySubscriber, key),
    scope.load(workflowsById, workflow.id),
  ])
  if (row === null) throw new Error('the workflow is locked, and was not found')
  const ofWorkflow = await categoryOfWorkflow(scope, row)
  return { kind: 'workflow', ...preferenceFor(row, ofWorkflow, channelNames, stored) }
}

const owned = z.object({ subscriberId: storableText, contexts: contextList })

/** Returns the owner of all items. Null if they have several, or if an item does not name its own. */
function ownerOfAll(items: readonly unknown[]): PreferenceKey | null {
  const owners = items.map((item): PreferenceKey | undefined => {
    const { data } = owned.safeParse(item)
    return data && { subscriberId: data.subscriberId, contextKeys: contextKeysOf(data.contexts) }
  })
  const [first] = owners
  if (first === undefined) return null
  return owners.every((owner) => owner !== undefined && ownerText(owner) === ownerText(first)) ? first : null
}

/** The refusal of a whole call because of an item. */
function refusalOfAll({ index, refusal }: FailedChange): Refusal {
  const issues = refusal.issues.map((issue) => ({ ...issue, path: ['preferences', index, ...issue.path] }))
  return new Refusal(refusal.kind, refusal.message, { issues })
}

/**
 * Changes preferences like `updateSubscriberPreferences`, one item after the other. Items that are invalid, or whose
 * subscriber or workflow does not exist, fail alone. A refusal stands for an item that a door could not decode.
 *
 * @throws Refusal of the first of them if `allOrNothing` is true. Nothing is written then.
 */
export const updatePreferences = mutation({
  name: 'preference.updateMany',
  permission: 'preference:write',
  owner: ({ preferences }) => ownerOfAll(preferences),
  rate: { category: 'configuration', cost: 100 },
  input: z.object({
    preferences: z.array(z.unknown()).min(1).max(MAX_CHANGES),
    allOrNothing: z.boolean().nullish(),
  }),
  async run(scope, { preferences, allOrNothing }): Promise<ChangedPreferences> {
    const read = await readItems(scope, preferences)
    const failed = read.flatMap((one) => ('refusal' in one ? one : []))
    const [first] = failed
    if (first !== undefined && allOrNothing === true) throw refusalOfAll(first)
    const items = read.flatMap((one) => ('refusal' in one ? [] : one))
    const keys = [
      ...new Map(
        items.map(({ subscriberId, contextKeys }) => {
          const key = { subscriberId, contextKeys }
          return [ownerText(key), key]
        }),
      ).values(),
    ]
    if (items.length > 0) await writeItems(scope, items)
    const ignored = items.flatMap(({ workflow }) => (workflow?.critical ? workflow.identifier : []))
    return {
      changed: await Promise.all(items.map((item) => changedBy(scope, item))),
      preferences: await Promise.all(keys.map((key) => effectivePreferences(scope, key))),
      failed,
      notes: [...new Set(ignored)].map(ignoredBy),
    }
  },
})
