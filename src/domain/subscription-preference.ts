// Preferences of a topic subscription: the workflows that it includes or excludes, and under which conditions.
import { z } from 'zod'
import { keepWorkflows } from '../data/lock.ts'
import type { Prisma, TopicSubscriptionPreference } from '../data/prisma/client.ts'
import { type NewPreference, preferencesBySubscription, subscriptionsById } from '../data/topic-subscription.ts'
import { workflowsById } from '../data/workflow.ts'
import { condition } from '../evaluation/condition.ts'
import { text } from '../lib/validation.ts'
import { query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import type { Workflow } from './workflow.ts'
import { conditionOf } from './channel/stored-json.ts'
import { tags } from './channel/workflow-fields.ts'

/** Maximum entries of one subscription, and maximum workflows in one group. */
export const MAX_PREFERENCES = 100

/** The id or identifier of a workflow. */
export const workflowName = text(255, 1)

export const entrySettings = { condition: condition.nullish(), enabled: z.boolean().nullish() }

const group = z
  .object({ workflowIds: z.array(workflowName).max(MAX_PREFERENCES).nullish(), tags: tags.nullish(), ...entrySettings })
  .refine(
    ({ workflowIds, tags }) => (workflowIds?.length ?? 0) + (tags?.length ?? 0) > 0,
    'must name at least one workflow or tag',
  )

/** The input schema of one entry, which has exactly one of three forms (SPEC: Topic subscription). */
const preferenceEntry = z
  .object({
    workflowId: workflowName.nullish(),
    workflow: z.object({ workflowId: workflowName, ...entrySettings }).nullish(),
    group: group.nullish(),
  })
  .refine(
    ({ workflowId, workflow, group }) => [workflowId, workflow, group].filter((form) => form != null).length === 1,
    'must have exactly one of workflowId, workflow and group',
  )
export type PreferenceEntry = z.output<typeof preferenceEntry>

/** The input schema of the entries of a subscription. `enabled` defaults to true. */
export const preferenceEntries = z.array(preferenceEntry).max(MAX_PREFERENCES)

/** An entry for one workflow. */
export interface WorkflowEntry {
  readonly kind: 'workflow'
  readonly workflow: Workflow
  readonly enabled: boolean
  /** Null if the entry always applies. */
  readonly condition: Prisma.JsonValue
}

/** An entry for every workflow that is listed or has one of the tags. */
export interface GroupEntry {
  readonly kind: 'group'
  readonly workflows: readonly Workflow[]
  readonly tags: readonly string[]
  readonly enabled: boolean
  /** Null if the entry always applies. */
  readonly condition: Prisma.JsonValue
}

async function workflowsOf({ load }: Scope, ids: readonly string[]): Promise<Workflow[]> {
  const found = await Promise.all(ids.map((id) => load(workflowsById, id)))
  return found.filter((row) => row !== null)
}

/** Lists the preferences of a subscription, in order. Deleted workflows are left out. Batched. */
export const preferencesOf = query({
  name: 'topicSubscription.listPreferences',
  permission: 'topicSubscription:read',
  input: z.object({ subscriptionId: z.uuid() }),
  owner: ({ subscriptionId }, { load }) => load(subscriptionsById, subscriptionId),
  async run(scope, { subscriptionId }): Promise<(WorkflowEntry | GroupEntry)[]> {
    const shown = (await scope.load(preferencesBySubscription, subscriptionId)).map(
      async ({ workflowId, filterWorkflowIds, filterTags, enabled, condition }) => {
        if (workflowId === null) {
          const workflows = await workflowsOf(scope, filterWorkflowIds)
          return { kind: 'group' as const, workflows, tags: filterTags, enabled, condition }
        }
        const [workflow] = await workflowsOf(scope, [workflowId])
        return workflow && { kind: 'workflow' as const, workflow, enabled, condition }
      },
    )
    return (await Promise.all(shown)).filter((entry) => entry !== undefined)
  },
})

/** Returns the workflows of an entry. */
function namesIn({ workflowId, workflow, group }: PreferenceEntry): readonly string[] {
  return group ? (group.workflowIds ?? []) : [workflow?.workflowId ?? workflowId ?? []].flat()
}

/**
 * Returns the rows to store. Ignores workflows that do not exist, and entries that are then empty. Locks the other
 * workflows against deletion until the transaction ends.
 */
export async function newPreferences(scope: Scope, entries: readonly PreferenceEntry[]): Promise<NewPreference[]> {
  const names = entries.flatMap(namesIn)
  const kept = names.length > 0 ? await keepWorkflows(scope, names) : []
  const ids = new Map(kept.map(({ id, identifier }) => [identifier, id]))
  for (const { id } of kept) ids.set(id, id)

  return entries.flatMap((entry): NewPreference[] => {
    const { group, workflow } = entry
    const found = [...new Set(namesIn(entry).flatMap((name) => ids.get(name) ?? []))]
    const { condition, enabled } = group ?? workflow ?? {}
    const row = { filterWorkflowIds: [], filterTags: [], enabled: enabled ?? true, condition: condition ?? null }
    if (!group) return found.map((workflowId) => ({ ...row, workflowId }))
    const filterTags = group.tags ?? []
    if (found.length + filterTags.length === 0) return []
    return [{ ...row, workflowId: null, filterWorkflowIds: found, filterTags }]
  })
}

/** Returns stored entries in the form in which they are given, with the ids of their workflows. */
export const asGiven = (stored: readonly TopicSubscriptionPreference[]): PreferenceEntry[] =>
  stored.map(({ workflowId, filterWorkflowIds, filterTags, enabled, condition }) => {
    const settings = { enabled, condition: conditionOf(condition) }
    return workflowId === null
      ? { group: { workflowIds: filterWorkflowIds, tags: filterTags, ...settings } }
      : { workflow: { workflowId, ...settings } }
  })

/**
 * Returns the entries with a change for one workflow. Absent settings keep their values. The workflow leaves the groups
 * that list it, because one that turns it off would outweigh its own entry.
 */
export function withEntryFor(
  entries: readonly PreferenceEntry[],
  workflowId: string,
  { enabled, condition }: Partial<z.output<z.ZodObject<typeof entrySettings>>>,
): PreferenceEntry[] {
  const isOwn = ({ workflow }: PreferenceEntry) => workflow?.workflowId === workflowId
  const isListing = ({ group }: PreferenceEntry) => group?.workflowIds?.includes(workflowId) === true
  const before = entries.find(isOwn)?.workflow ?? entries.find(isListing)?.group
  const settings = {
    enabled: enabled ?? before?.enabled,
    condition: condition === undefined ? before?.condition : condition,
  }
  const changed: PreferenceEntry = { workflow: { workflowId, ...settings } }
  const place = entries.find((entry) => isOwn(entry) || isListing(entry))
  if (place === undefined) return [...entries, changed]
  return entries.flatMap((entry) => {
    const kept = isOwn(entry) ? [] : [isListing(entry) ? withoutWorkflow(entry, workflowId) : entry].flat()
    return entry === place ? [...kept, changed] : kept
  })
}

/** Returns a group without one of its workflows. Empty if nothing is left of it. */
function withoutWorkflow({ group }: PreferenceEntry, workflowId: string): PreferenceEntry[] {
  const workflowIds = group?.workflowIds?.filter((id) => id !== workflowId) ?? []
  return workflowIds.length + (group?.tags?.length ?? 0) > 0 ? [{ group: { ...group, workflowIds } }] : []
}
