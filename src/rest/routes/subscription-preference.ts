// Preferences of topic subscriptions: in requests, in responses, and from one to the other.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { Severity } from '../../data/prisma/enums.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { MAX_PREFERENCES, preferencesOf } from '../../domain/subscription-preference.ts'
import { type TopicSubscription, updateTopicSubscription } from '../../domain/topic-subscription.ts'
import type { Workflow } from '../../domain/workflow.ts'
import type { Path } from '../../lib/errors.ts'
import { ownData } from '../views.ts'

export const preferenceView = z.object({
  subscriptionId: z.string().meta({ description: 'Identifier of the subscription.' }),
  enabled: z.boolean(),
  workflow: z
    .object({
      id: z.string(),
      identifier: z.string(),
      name: z.string(),
      critical: z.boolean(),
      severity: z.enum(Severity),
      tags: z.array(z.string()),
      data: ownData,
    })
    .optional()
    .meta({ description: 'Absent if the entry only has tags.' }),
  filter: z
    .object({ workflowIds: z.array(z.string()).optional(), tags: z.array(z.string()).optional() })
    .optional()
    .meta({
      description:
        'The workflow and the tags of a group entry. Absent if the entry is for one workflow. A group of several workflows is one entry for each.',
    }),
  condition: ownData.optional().meta({ description: 'JSON Logic rule. Absent if the entry always applies.' }),
})

function showWorkflow({ id, identifier, name, critical, severity, tags, data }: Workflow) {
  return { id, identifier, name, critical, severity, tags, data: asObject(data) }
}

/**
 * Returns the entries, which a request can contain as they are. A group becomes one entry per workflow, each with the
 * tags of the group, because clients read one workflow per entry. A group whose workflows were all deleted selects
 * nothing and is left out.
 */
export async function showPreferences(scope: DoorScope, { id, identifier }: TopicSubscription) {
  return (await preferencesOf(scope, { subscriptionId: id })).flatMap((entry) => {
    const shown = {
      subscriptionId: identifier,
      enabled: entry.enabled,
      ...(entry.condition === null ? {} : { condition: asObject(entry.condition) }),
    }
    if (entry.kind === 'workflow') return { ...shown, workflow: showWorkflow(entry.workflow) }
    const tags = entry.tags.length === 0 ? {} : { tags: [...entry.tags] }
    if (entry.workflows.length === 0) return entry.tags.length === 0 ? [] : { ...shown, filter: tags }
    return entry.workflows.map((row) => {
      return { ...shown, workflow: showWorkflow(row), filter: { workflowIds: [row.identifier], ...tags } }
    })
  })
}

const entries = updateTopicSubscription.definition.input.shape.preferences.unwrap()
const { workflowId, workflow, group } = entries.unwrap().shape
const { workflowIds, tags, ...settings } = group.unwrap().unwrap().shape

/** What an entry of a response names besides its filter or workflow. A request may repeat it, without effect. */
const answered = { subscriptionId: z.string().nullish() }

/**
 * A preference in a request: a workflow id, a workflow with a condition, a filter (CALLERS), or an entry of a response.
 * Unknown fields are errors, because an entry without its condition, for example, would apply always.
 */
const preferenceEntry = z.union([
  workflowId
    .unwrap()
    .unwrap()
    .transform((workflowId) => ({ workflowId })),
  workflow
    .unwrap()
    .unwrap()
    .strict()
    .transform((named) => ({ workflow: named })),
  z
    .strictObject({
      filter: z.strictObject({ workflowIds, tags }),
      workflow: z.looseObject({}).nullish(),
      ...settings,
      ...answered,
    })
    .transform(({ filter, condition, enabled }) => ({ group: { ...filter, condition, enabled } })),
  z
    .strictObject({ workflow: z.looseObject({ identifier: workflowId.unwrap().unwrap() }), ...settings, ...answered })
    .transform(({ workflow: { identifier }, condition, enabled }) => ({
      workflow: { workflowId: identifier, condition, enabled },
    })),
])
type PreferenceEntry = z.output<typeof preferenceEntry>

/**
 * Puts consecutive entries of one group together again. A response has one entry for each workflow of a group, so one
 * that is written back can have more entries than the subscription.
 */
function regrouped(entries: readonly PreferenceEntry[]): PreferenceEntry[] {
  const merged: PreferenceEntry[] = []
  for (const entry of entries) {
    const last = merged.at(-1)
    if (last === undefined || !('group' in last && 'group' in entry) || !isSameGroup(last.group, entry.group)) {
      merged.push(entry)
      continue
    }
    const workflowIds = [...(last.group.workflowIds ?? []), ...(entry.group.workflowIds ?? [])]
    merged.splice(-1, 1, { group: { ...last.group, workflowIds } })
  }
  return merged
}

type Group = Extract<PreferenceEntry, { readonly group: unknown }>['group']

/** True if both select workflows with the same tags, condition and effect, so that one group can have their workflows. */
function isSameGroup(one: Group, other: Group): boolean {
  const count = (one.workflowIds?.length ?? 0) + (other.workflowIds?.length ?? 0)
  return count <= MAX_PREFERENCES && isDeepStrictEqual({ ...one, workflowIds: null }, { ...other, workflowIds: null })
}

export const preferences = z
  .array(preferenceEntry)
  .transform((entries) => (entries.length > MAX_PREFERENCES ? regrouped(entries) : entries))

/** The paths of preferences in a request. */
export function preferencePath(path: Path): Path {
  const [list, index, form, field, ...rest] = path
  if (list !== 'preferences' || index === undefined) return path
  const isSetting = typeof field === 'string' && field in settings
  const own = field === undefined ? [] : [field, ...rest]
  if (form === 'group') return isSetting ? [list, index, ...own] : [list, index, 'filter', ...own]
  return form === 'workflow' ? [list, index, ...own] : path
}
