// Preferences of topic subscriptions.
import { type GroupEntry, MAX_PREFERENCES, type WorkflowEntry } from '../domain/subscription-preference.ts'
import { MAX_TAGS } from '../domain/channel/workflow-fields.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../evaluation/condition.ts'
import type { Path } from '../lib/errors.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { eitherName, formerNameOf, locateNames, replacedBy, requiredName } from './schema/former-name.ts'
import { readNodeId } from './schema/node-id.ts'
import { Workflow } from './workflow.ts'
import { byDefault } from './schema/wording.ts'

export const enabledDescription = 'True if the workflows are delivered to the subscription.'
export const conditionDescription = 'The JSON-logic condition under which the entry applies. Null means always.'

const WorkflowPreference = builder.objectRef<WorkflowEntry>('TopicSubscriptionWorkflowPreference').implement({
  description: 'A preference for one workflow.',
  fields: (t) => ({
    workflow: t.expose('workflow', { type: Workflow, description: 'The workflow.' }),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
    condition: t.expose('condition', { type: 'JSONObject', nullable: true, description: conditionDescription }),
  }),
})

const GroupPreference = builder.objectRef<GroupEntry>('TopicSubscriptionGroupPreference').implement({
  description: 'A preference for several workflows, by identifier or tag.',
  fields: (t) => ({
    workflows: t.expose('workflows', {
      type: t.listRef(Workflow),
      description: 'The existing workflows that the entry names. Workflows that are selected by a tag are omitted.',
    }),
    tags: t.expose('tags', {
      type: t.listRef('String'),
      description: 'The tags. Workflows with at least one of the tags are selected.',
    }),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
    condition: t.expose('condition', { type: 'JSONObject', nullable: true, description: conditionDescription }),
  }),
})

const typeOfKind = {
  workflow: WorkflowPreference,
  group: GroupPreference,
} as const satisfies Record<(WorkflowEntry | GroupEntry)['kind'], unknown>

export const SubscriptionPreference = builder.unionType('TopicSubscriptionPreference', {
  description: 'One preference entry of a topic subscription.',
  types: [WorkflowPreference, GroupPreference],
  resolveType: ({ kind }) => typeOfKind[kind],
})

/** The description of a condition in an input. */
export const conditionInput = `The JSON-logic condition under which the entry applies: at most ${MAX_CONDITION_DEPTH} operations deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\`.`

const settingFields = (t: InputFields) => ({
  condition: t.field({ type: 'JSONObject', description: `${conditionInput} ${byDefault('always')}` }),
  enabled: t.boolean({ description: `${enabledDescription} Default: true.` }),
})

const workflowDescription = 'The identifier or id of a workflow. Ignored if the workflow does not exist.'

const WorkflowPreferenceInput = builder.inputType('TopicSubscriptionWorkflowPreferenceInput', {
  description: 'A preference for one workflow.',
  fields: (t) => ({
    workflowIdentifier: t.string({ description: `${workflowDescription} Required.` }),
    workflowId: t.string({
      description: formerNameOf('workflowIdentifier'),
      deprecationReason: replacedBy('workflowIdentifier'),
    }),
    ...settingFields(t),
  }),
})

const GroupPreferenceInput = builder.inputType('TopicSubscriptionGroupPreferenceInput', {
  description: 'A preference for several workflows. At least one workflow or tag is required.',
  fields: (t) => ({
    workflowIdentifiers: t.stringList({
      description: `Identifiers or ids of at most ${MAX_PREFERENCES} workflows. Workflows that do not exist are ignored.`,
    }),
    workflowIds: t.stringList({
      description: formerNameOf('workflowIdentifiers'),
      deprecationReason: replacedBy('workflowIdentifiers'),
    }),
    tags: t.stringList({
      description: `At most ${MAX_TAGS} tags. The entry selects every workflow with at least one of the tags, including workflows that are created later. Duplicates are removed.`,
    }),
    ...settingFields(t),
  }),
})

export const SubscriptionPreferenceInput = builder.inputType('TopicSubscriptionPreferenceInput', {
  description: 'One preference entry, for one workflow or for a group of workflows. Set exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    workflowIdentifier: t.string({ description: `${workflowDescription} Enables the workflow without a condition.` }),
    workflowId: t.string({
      description: formerNameOf('workflowIdentifier'),
      deprecationReason: replacedBy('workflowIdentifier'),
    }),
    workflow: t.field({
      type: WorkflowPreferenceInput,
      description: 'A preference for one workflow, with a condition.',
    }),
    group: t.field({
      type: GroupPreferenceInput,
      description: 'A preference for several workflows, by identifier or tag.',
    }),
  }),
})

/** Converts the workflow for the domain: GraphQL callers send its id as a node id. */
export function readWorkflowName(given: string): string {
  const nodeId = readNodeId(given)
  return nodeId?.typename === Workflow.name ? nodeId.id : given
}

function readWorkflow(
  { workflowIdentifier, workflowId, ...settings }: typeof WorkflowPreferenceInput.$inferInput,
  at: Path,
) {
  return { ...settings, workflowId: readWorkflowName(requiredName({ workflowIdentifier, workflowId }, at)) }
}

function readGroup(
  { workflowIdentifiers, workflowIds, ...settings }: typeof GroupPreferenceInput.$inferInput,
  at: Path,
) {
  return { ...settings, workflowIds: eitherName({ workflowIdentifiers, workflowIds }, at)?.map(readWorkflowName) }
}

/**
 * Converts the input field `preferences` to the domain's input.
 *
 * @throws Refusal `MALFORMED` or `INVALID` if a workflow has two names or none.
 */
export function readPreferences(entries: readonly (typeof SubscriptionPreferenceInput.$inferInput)[]) {
  return entries.map(({ workflowIdentifier, workflowId, workflow, group }, index) => {
    const at = ['preferences', index]
    const single = eitherName({ workflowIdentifier, workflowId }, at)
    return {
      workflowId: single && readWorkflowName(single),
      workflow: workflow && readWorkflow(workflow, [...at, 'workflow']),
      group: group && readGroup(group, [...at, 'group']),
    }
  })
}

/** Converts a path in the domain's input to the mutation's. */
export const locatePreference = locateNames({ workflowId: 'workflowIdentifier', workflowIds: 'workflowIdentifiers' })
