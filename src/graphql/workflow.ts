// Workflows in the graph.
import { Channel as channels, Severity as severities } from '../data/prisma/enums.ts'
import { stepsOf } from '../domain/workflow-step.ts'
import {
  type ChannelChoices,
  channelChoices,
  createWorkflow,
  deleteWorkflow,
  MAX_TAGS,
  updateWorkflow,
  workflow,
  type Workflow as WorkflowRow,
  workflows,
} from '../domain/workflow.ts'
import { MAX_SCHEMA_BYTES } from '../lib/json-schema.ts'
import { Channel } from './channel.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'
import { locateStep, readSteps, stepsField } from './workflow-step-input.ts'
import { WorkflowStep } from './workflow-step.ts'

export const Severity = builder.enumType('Severity', {
  description: 'How much the notifications of a workflow matter.',
  values: {
    HIGH: { value: severities.high, description: 'To be seen at once.' },
    MEDIUM: { value: severities.medium, description: 'To be seen soon.' },
    LOW: { value: severities.low, description: 'To be seen some time.' },
    NONE: { value: severities.none, description: 'Nothing is said about it.' },
  } as const,
})

interface ChannelDefaultValue {
  readonly channel: keyof ChannelChoices
  readonly enabled: boolean
}

const defaultsOf = (choices: ChannelChoices): ChannelDefaultValue[] =>
  Object.values(channels).flatMap((channel) => {
    const enabled = choices[channel]
    return enabled === undefined ? [] : [{ channel, enabled }]
  })

const ChannelDefault = builder.objectRef<ChannelDefaultValue>('ChannelDefault').implement({
  description: 'Whether a workflow uses a channel for whoever chose nothing.',
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it is used.' }),
  }),
})

export const Workflow = builder.objectRef<WorkflowRow>('Workflow')
builder.node(Workflow, {
  description: 'What is triggered for a subscriber, and what preferences are about.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => workflow(scope, { id }))),
  fields: (t) => ({
    identifier: t.exposeString('identifier', {
      description: 'What a trigger calls it by: unique in the environment, and never changed.',
    }),
    name: t.exposeString('name', { description: 'Its name, for people.' }),
    active: t.exposeBoolean('active', { description: 'Whether a trigger of it sets anything in motion.' }),
    critical: t.exposeBoolean('critical', { description: 'Whether it is sent whatever the preferences say.' }),
    severity: t.expose('severity', { type: Severity, description: 'How much its notifications matter.' }),
    tags: t.exposeStringList('tags', {
      description: 'Words by which preferences take many workflows at once. Empty when there are none.',
    }),
    data: t.expose('data', { type: 'JSONObject', description: "The client's own data. Empty when there is none." }),
    steps: t.field({
      type: [WorkflowStep],
      description: 'What it does, one after the other. Empty when it does nothing.',
      resolve: ({ steps }) => [...stepsOf(steps)],
    }),
    payloadSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON Schema that the payload of a trigger must meet. Null when it may be anything.',
      resolve: ({ payloadSchema }) => payloadSchema,
    }),
    channels: t.field({
      type: [ChannelDefault],
      description: 'What holds for whoever chose nothing. A channel that is not there is used.',
      resolve: (row) => defaultsOf(channelChoices.parse(row.channels)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const WorkflowConnection = connectionOf(Workflow, 'A page of workflows.')

const WorkflowFilter = builder.inputType('WorkflowFilter', {
  description: 'Which workflows: those that meet all that is given.',
  fields: (t) => ({ tags: t.stringList({ description: 'Those that have every one of these tags.' }) }),
})
const WorkflowOrder = orderInput('Workflow')

builder.queryFields((t) => ({
  workflow: t.field({
    ...calls(workflow),
    type: Workflow,
    nullable: true,
    description: 'The workflow of this identifier. Null when it does not exist.',
    args: { identifier: t.arg.string({ required: true, description: 'What a trigger calls it by.' }) },
    resolve: (_root, args, { scope }) => workflow(scope, args),
  }),
  workflows: t.connection(
    {
      ...calls(workflows),
      type: Workflow,
      description: 'The workflows of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: WorkflowFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: WorkflowOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await workflows(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    WorkflowConnection,
  ),
}))

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

const ChannelDefaultInput = builder.inputType('ChannelDefaultInput', {
  description: 'Whether a workflow is to use a channel for whoever chose nothing.',
  fields: (t) => ({
    channel: t.field({ type: Channel, required: true, description: 'The channel.' }),
    enabled: t.boolean({ required: true, description: 'Whether it is used.' }),
  }),
})

const readChannels = (channels: readonly ChannelDefaultValue[]) =>
  Object.fromEntries(channels.map(({ channel, enabled }) => [channel, enabled]))

const workflowFields = (t: InputFields) => ({
  active: t.boolean({
    description: 'Whether a trigger of it sets anything in motion. Of a new workflow true, unless told otherwise.',
  }),
  critical: t.boolean({
    description: 'Whether it is sent whatever the preferences say. Of a new workflow false, unless told otherwise.',
  }),
  severity: t.field({
    type: Severity,
    description: 'How much its notifications matter. Of a new workflow `NONE`, unless told otherwise.',
  }),
  tags: t.stringList({
    description: `At most ${MAX_TAGS} words of 1 to 64 characters, by which preferences take many workflows at once. Repeats count once.`,
  }),
  data: t.field({ type: 'JSONObject', description: "The client's own data: at most 64 KiB of JSON." }),
  steps: stepsField(t),
  payloadSchema: t.field({
    type: 'JSONObject',
    description: `The JSON Schema that the payload of a trigger must meet: of draft 2020-12, or of draft-07 where \`$schema\` says so, at most ${MAX_SCHEMA_BYTES / 1024} KiB of JSON, without references that lead out of it. Null means that it may be anything.`,
  }),
  channels: t.field({
    type: [ChannelDefaultInput],
    description: 'What holds for whoever chose nothing, replaced whole. A channel that is not named is used.',
  }),
})

mutationField('createWorkflow', {
  description: 'Creates a workflow. Refused when the identifier exists.',
  input: (t) => ({
    identifier: t.string({
      required: true,
      description: 'What a trigger is to call it by: 1 to 255 letters, digits, `_` or `-`.',
    }),
    name: t.string({ required: true, description: '1 to 255 characters.' }),
    ...workflowFields(t),
  }),
  resolver: createWorkflow,
  decode: ({ steps, channels, ...given }) => ({
    ...given,
    steps: steps && readSteps(steps),
    channels: channels && readChannels(channels),
  }),
  locate: (path, { steps }) => locateStep(path, steps),
  payload: (t) => ({
    workflow: t.field({
      type: Workflow,
      nullable: true,
      description: 'The new workflow. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('updateWorkflow', {
  description:
    'Changes the fields that are given. Absent or null leaves one as it is, but null takes the payload schema away; tags, data, steps and channels are replaced whole.',
  input: (t) => ({
    identifier: t.string({ required: true, description: 'The workflow.' }),
    name: t.string({ description: '1 to 255 characters.' }),
    ...workflowFields(t),
  }),
  resolver: updateWorkflow,
  decode: ({ identifier, name, active, critical, severity, tags, data, steps, payloadSchema, channels }) => ({
    identifier,
    name: name ?? undefined,
    active: active ?? undefined,
    critical: critical ?? undefined,
    severity: severity ?? undefined,
    tags: tags ?? undefined,
    data: data ?? undefined,
    steps: steps ? readSteps(steps) : undefined,
    payloadSchema,
    channels: channels ? readChannels(channels) : undefined,
  }),
  locate: (path, { steps }) => locateStep(path, steps),
  payload: (t) => ({
    workflow: t.field({
      type: Workflow,
      nullable: true,
      description: 'The workflow as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('deleteWorkflow', {
  description: 'Deletes a workflow with the preferences that are of it alone. Group preferences only lose it.',
  input: (t) => ({ identifier: t.string({ required: true, description: 'The workflow.' }) }),
  resolver: deleteWorkflow,
  decode: (input) => input,
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(Workflow.name, result.id),
    }),
  }),
})
