// Workflows: their settings, steps and channel defaults.
import { Severity as severities, UnsubscribeScope as scopes } from '../data/prisma/enums.ts'
import { stepsOf } from '../domain/workflow-step.ts'
import { storedChoices } from '../domain/channel/channel-choices.ts'
import {
  categoryOf,
  createWorkflow,
  deleteWorkflow,
  type Suspension,
  suspensionOf,
  unsubscribeOf,
  workflow,
  type Workflow as WorkflowRow,
  workflows,
  workflowsOfCategory,
  workflowTags,
} from '../domain/workflow.ts'
import { MAX_DESCRIPTION, MAX_TAGS } from '../domain/channel/workflow-fields.ts'
import { MAX_SCHEMA_BYTES } from '../evaluation/json-schema.ts'
import { Category } from './category.ts'
import { ChannelDefault, ChannelDefaultInput, defaultsOf, readChannels } from './channel-default.ts'
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byIdentifier, byName, connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { edge, edgeList, queryField, queryList } from './schema/query.ts'
import { locateStep, readSteps, stepsField } from './workflow-step-input.ts'
import { WorkflowStep } from './workflow-step.ts'
import {
  anyOfThe,
  byDefault,
  clearsIt,
  createdAt,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  keyOf,
  newestFirst,
  partOfEither,
  updatedAt,
} from './schema/wording.ts'

export const Severity = builder.enumType('Severity', {
  description: "The severity of a workflow's notifications.",
  values: {
    HIGH: { value: severities.high, description: 'High.' },
    MEDIUM: { value: severities.medium, description: 'Medium.' },
    LOW: { value: severities.low, description: 'Low.' },
    NONE: { value: severities.none, description: 'Not specified.' },
  } as const,
})

export const UnsubscribeScope = builder.enumType('UnsubscribeScope', {
  description: "What the unsubscribe links of a workflow's emails turn off.",
  values: {
    OFF: { value: scopes.off, description: 'Nothing: its emails have no links. Always so for critical workflows.' },
    WORKFLOW: { value: scopes.workflow, description: 'The workflow.' },
    CATEGORY: { value: scopes.category, description: 'The category of the workflow.' },
    ALL: { value: scopes.all, description: 'Everything.' },
  } as const,
})

const WorkflowSuspension = builder.objectRef<Suspension>('WorkflowSuspension').implement({
  description:
    'The suspension of a workflow whose templates or conditions exceeded the limits of time or memory three times within ten minutes. Events of the workflow fail until the workflow is updated, or until a trial run succeeds. There is one trial run every ten minutes.',
  fields: (t) => ({
    reason: t.exposeString('reason', {
      description: 'The template or condition that exceeded its limit most recently.',
    }),
    since: t.field({
      type: 'DateTime',
      description: 'The time of the suspension.',
      resolve: ({ suspendedAt, version }) => suspendedAt ?? version,
    }),
  }),
})

export const Workflow = builder.objectRef<WorkflowRow>('Workflow')
defineNode(Workflow, {
  description: 'A named sequence of steps. A trigger executes the steps for each recipient.',
  resolver: workflow,
  fields: (t) => ({
    identifier: t.exposeString('identifier', {
      description: 'The identifier, by which triggers name the workflow. Unique in the environment. Never changes.',
    }),
    name: t.exposeString('name', { description: 'The display name.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the workflow is for, for its editors. Null if there is none.',
    }),
    active: t.exposeBoolean('active', {
      description: 'True if triggers of the workflow are executed. Otherwise triggers have no effect.',
    }),
    critical: t.exposeBoolean('critical', { description: 'True if the workflow ignores preferences.' }),
    severity: t.expose('severity', { type: Severity, description: "The severity of the workflow's notifications." }),
    tags: t.exposeStringList('tags', {
      description: 'The tags, by which preferences can select several workflows.',
    }),
    data: t.expose('data', { type: 'JSONObject', description: 'Custom data.' }),
    steps: t.field({
      type: t.listRef(WorkflowStep),
      description: 'The steps, in order of execution.',
      resolve: ({ steps }) => stepsOf(steps),
    }),
    payloadSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'The JSON Schema for payloads of triggers. The values of properties with `writeOnly: true` are secret. Null allows any payload.',
      resolve: ({ payloadSchema }) => payloadSchema,
    }),
    validatePayload: t.exposeBoolean('validatePayload', {
      description:
        'True if the payload schema applies to triggers. Otherwise payloads are neither checked nor completed, and secret properties are still secret.',
    }),
    channels: t.field({
      type: [ChannelDefault],
      description: 'Channel defaults for subscribers without a preference. Channels not listed are on.',
      resolve: (row) => defaultsOf(storedChoices(row.channels)),
    }),
    category: edge(t, {
      type: Category,
      nullable: true,
      description: 'The category. Null if there is none.',
      resolver: categoryOf,
      decode: ({ categoryId }) => (categoryId === null ? null : { categoryId }),
    }),
    unsubscribe: t.field({
      type: UnsubscribeScope,
      description:
        'What the unsubscribe links of its emails turn off, with the default and the other settings applied: `OFF` if the workflow is critical, `WORKFLOW` in place of `CATEGORY` without a category.',
      resolve: unsubscribeOf,
    }),
    suspension: edge(t, {
      type: WorkflowSuspension,
      nullable: true,
      description: 'The suspension of the workflow. Null if it is not suspended.',
      resolver: suspensionOf,
      decode: ({ id, updatedAt }) => ({ workflowId: id, version: updatedAt }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('workflow') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('workflow') }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

export const namedWorkflow = addressOf(Workflow, { identifier: identifierOf('workflow') })

queryField('workflow', {
  description: 'Finds a workflow by its identifier or node id. Null if it does not exist.',
  type: Workflow,
  nullable: true,
  args: namedWorkflow.args,
  resolver: workflow,
  decode: namedWorkflow.decode,
})

const list = {
  connection: connectionOf(Workflow, 'A page of workflows.'),
  args: listArgs(
    'Workflow',
    (t) => ({
      tags: t.stringList({ description: 'Tags. The workflow must have all of the tags.' }),
      anyTags: t.stringList({ description: 'Tags. The workflow must have at least one of the tags.' }),
      active: t.boolean({ description: 'True matches active workflows, false inactive workflows.' }),
      suspended: t.boolean({ description: 'True matches suspended workflows, false all others.' }),
      search: t.string({
        description: partOfEither('identifier', 'name'),
      }),
      categoryKey: t.string({ description: keyOf('category') }),
      categoryKeys: t.stringList({ description: anyOfThe('keys') }),
    }),
    { ...byName(), ...byIdentifier('IDENTIFIER', 'The identifier.') },
  ),
}

queryList('workflows', {
  description: `The workflows of the environment. ${newestFirst}`,
  ...list,
  resolver: workflows,
})

queryField('workflowTags', {
  description: 'The distinct tags of the workflows of the environment, in alphabetical order.',
  type: ['String'],
  resolver: workflowTags,
})

builder.objectField(Category, 'workflows', (t) =>
  edgeList(t, {
    ...list,
    description: `The workflows of the category. ${newestFirst}`,
    resolver: workflowsOfCategory,
    decode: ({ id }, args) => ({ categoryId: id, ...args }),
  }),
)

/** The fields of a workflow that can be set and changed. */
export const workflowFields = (t: InputFields) => ({
  description: t.string({
    description: `What the workflow is for, for its editors: 1 to ${MAX_DESCRIPTION} characters. ${clearsIt} ${byDefault('none')}`,
  }),
  active: t.boolean({
    description:
      'True if triggers of the workflow are executed. Otherwise triggers have no effect. Default for a new workflow: true.',
  }),
  critical: t.boolean({
    description: 'True if the workflow ignores preferences. Default for a new workflow: false.',
  }),
  severity: t.field({
    type: Severity,
    description: "The severity of the workflow's notifications. Default for a new workflow: `NONE`.",
  }),
  tags: t.stringList({
    description: `At most ${MAX_TAGS} tags of 1 to 64 characters, by which preferences can select several workflows. Duplicates are removed.`,
  }),
  data: t.field({ type: 'JSONObject', description: 'Custom data: at most 64 KiB of JSON.' }),
  steps: stepsField(t),
  payloadSchema: t.field({
    type: 'JSONObject',
    description: `The JSON Schema for payloads of triggers: draft 2020-12, or draft-07 if \`$schema\` names it. At most ${MAX_SCHEMA_BYTES / 1024} KiB of JSON, without external references. A property of \`properties\` that is absent from a payload gets its \`default\`. The value of a property with \`writeOnly: true\` is secret: it is sent to recipients and never shown. Null allows any payload.`,
  }),
  validatePayload: t.boolean({
    description:
      'True if the payload schema applies to triggers. Otherwise payloads are neither checked nor completed, and secret properties are still secret. Default for a new workflow: true.',
  }),
  channels: t.field({
    type: [ChannelDefaultInput],
    description:
      'Channel defaults for subscribers without a preference. Replaces all defaults. Channels not listed are on.',
  }),
  categoryKey: t.string({ description: `${keyOf('category')} ${clearsIt} ${byDefault('none')}` }),
  unsubscribe: t.field({
    type: UnsubscribeScope,
    description:
      'What the unsubscribe links of its emails turn off. Null for the default: `CATEGORY` with a category, otherwise `WORKFLOW`. Critical workflows have no links.',
  }),
})

mutationField('createWorkflow', {
  description: 'Creates a workflow. Fails with `CONFLICT` if the identifier exists.',
  input: (t) => ({
    identifier: t.string({
      required: true,
      description: 'The identifier for triggers: 1 to 255 letters, digits, `_` or `-`.',
    }),
    name: t.string({ required: true, description: 'The display name: 1 to 255 characters.' }),
    ...workflowFields(t),
  }),
  resolver: createWorkflow,
  decode: ({ steps, channels, ...given }) => ({
    ...given,
    steps: steps && readSteps(steps),
    channels: channels && readChannels(channels),
  }),
  locate: (path, { steps }) => locateStep(path, steps),
  payload: { workflow: Workflow },
})

mutationField('deleteWorkflow', {
  description: 'Deletes a workflow, and the preferences for this workflow. Group preferences no longer include it.',
  input: (t) => ({
    ...namedWorkflow.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('workflow') }),
  }),
  resolver: deleteWorkflow,
  decode: namedWorkflow.decode,
  payload: { deletedId: deletedId(Workflow) },
})
