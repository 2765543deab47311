// Preferences of topic subscriptions in the graph.
import {
  type GroupPreference as GroupPreferenceEntry,
  MAX_PREFERENCES,
  type SubscribedWorkflow as WorkflowPreferenceEntry,
} from '../domain/subscription-preference.ts'
import { MAX_TAGS } from '../domain/workflow.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../lib/json-logic.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { readNodeId } from './schema/node-id.ts'
import { Workflow } from './workflow.ts'

const enabledDescription = 'Whether the workflows it is about are wanted.'
const conditionDescription = 'The JSON-logic condition under which it holds. Null when it holds always.'

const WorkflowPreference = builder.objectRef<WorkflowPreferenceEntry>('TopicSubscriptionWorkflowPreference').implement({
  description: 'A preference about one workflow.',
  fields: (t) => ({
    workflow: t.expose('workflow', { type: Workflow, description: 'The workflow.' }),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
    condition: t.expose('condition', { type: 'JSONObject', nullable: true, description: conditionDescription }),
  }),
})

const GroupPreference = builder.objectRef<GroupPreferenceEntry>('TopicSubscriptionGroupPreference').implement({
  description: 'A preference about every workflow that is named, or has one of the tags.',
  fields: (t) => ({
    workflows: t.field({
      type: [Workflow],
      description: 'The workflows that are named and exist. Those that the tags take are not among them.',
      resolve: ({ workflows }) => [...workflows],
    }),
    tags: t.field({
      type: ['String'],
      description: 'The tags of which a workflow has at least one. Empty when it goes by name alone.',
      resolve: ({ tags }) => [...tags],
    }),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
    condition: t.expose('condition', { type: 'JSONObject', nullable: true, description: conditionDescription }),
  }),
})

const typeOfKind = {
  workflow: WorkflowPreference,
  group: GroupPreference,
} as const satisfies Record<(WorkflowPreferenceEntry | GroupPreferenceEntry)['kind'], unknown>

export const SubscriptionPreference = builder.unionType('TopicSubscriptionPreference', {
  description: 'One preference entry of a topic subscription.',
  types: [WorkflowPreference, GroupPreference],
  resolveType: ({ kind }) => typeOfKind[kind],
})

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

const settingFields = (t: InputFields) => ({
  condition: t.field({
    type: 'JSONObject',
    description: `The JSON-logic condition under which it holds: at most ${MAX_CONDITION_DEPTH} operations deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\`. Absent means always.`,
  }),
  enabled: t.boolean({ description: `${enabledDescription} True unless told otherwise.` }),
})

const workflowIdDescription = 'A workflow, by its identifier or its id. One that does not exist is ignored.'

const WorkflowPreferenceInput = builder.inputType('TopicSubscriptionWorkflowPreferenceInput', {
  description: 'A preference about one workflow.',
  fields: (t) => ({
    workflowId: t.string({ required: true, description: workflowIdDescription }),
    ...settingFields(t),
  }),
})

const GroupPreferenceInput = builder.inputType('TopicSubscriptionGroupPreferenceInput', {
  description: 'A preference about many workflows: at least one is named, or one tag.',
  fields: (t) => ({
    workflowIds: t.stringList({
      description: `At most ${MAX_PREFERENCES} workflows, by their identifiers or ids. Those that do not exist are ignored.`,
    }),
    tags: t.stringList({
      description: `At most ${MAX_TAGS} tags: every workflow that has one of them, now or later. Repeats count once.`,
    }),
    ...settingFields(t),
  }),
})

export const SubscriptionPreferenceInput = builder.inputType('TopicSubscriptionPreferenceInput', {
  description: 'One preference entry: about one workflow, or about a group of them.',
  isOneOf: true,
  fields: (t) => ({
    workflowId: t.string({ description: `${workflowIdDescription} It is wanted, always.` }),
    workflow: t.field({ type: WorkflowPreferenceInput, description: 'One workflow, with a condition.' }),
    group: t.field({ type: GroupPreferenceInput, description: 'Many workflows, by their names and tags.' }),
  }),
})

/** A workflow as the domain knows it: this door shows its id as a node id. */
function workflowNamed(given: string): string {
  const nodeId = readNodeId(given)
  return nodeId?.typename === Workflow.name ? nodeId.id : given
}

/** What the domain takes, out of the input field `preferences`. */
export function readPreferences(entries: readonly (typeof SubscriptionPreferenceInput.$inferInput)[]) {
  return entries.map(({ workflowId, workflow, group }) => ({
    workflowId: workflowId && workflowNamed(workflowId),
    workflow: workflow && { ...workflow, workflowId: workflowNamed(workflow.workflowId) },
    group: group && { ...group, workflowIds: group.workflowIds?.map(workflowNamed) },
  }))
}
