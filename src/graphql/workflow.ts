// Workflows in the graph.
import { Severity as severities } from '../data/prisma/enums.ts'
import {
  createWorkflow,
  deleteWorkflow,
  MAX_TAGS,
  updateWorkflow,
  type Workflow as WorkflowRow,
  workflow,
  workflows,
} from '../domain/workflow.ts'
import { builder, type SchemaTypes } from './builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './connection.ts'
import { mutationField } from './mutation.ts'
import { encodeNodeId } from './node-id.ts'
import { calls } from './resolver-of.ts'

export const Severity = builder.enumType('Severity', {
  description: 'How much the notifications of a workflow matter.',
  values: {
    HIGH: { value: severities.high, description: 'To be seen at once.' },
    MEDIUM: { value: severities.medium, description: 'To be seen soon.' },
    LOW: { value: severities.low, description: 'To be seen some time.' },
    NONE: { value: severities.none, description: 'Nothing is said about it.' },
  } as const,
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
    critical: t.exposeBoolean('critical', { description: 'Whether it is sent whatever the preferences say.' }),
    severity: t.expose('severity', { type: Severity, description: 'How much its notifications matter.' }),
    tags: t.exposeStringList('tags', {
      description: 'Words by which preferences take many workflows at once. Empty when there are none.',
    }),
    data: t.expose('data', { type: 'JSONObject', description: "The client's own data. Empty when there is none." }),
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

const workflowFields = (t: InputFields) => ({
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
  decode: (input) => input,
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
    'Changes the fields that are given. Absent or null leaves one as it is; tags and data are replaced whole.',
  input: (t) => ({
    identifier: t.string({ required: true, description: 'The workflow.' }),
    name: t.string({ description: '1 to 255 characters.' }),
    ...workflowFields(t),
  }),
  resolver: updateWorkflow,
  decode: ({ identifier, name, critical, severity, tags, data }) => ({
    identifier,
    name: name ?? undefined,
    critical: critical ?? undefined,
    severity: severity ?? undefined,
    tags: tags ?? undefined,
    data: data ?? undefined,
  }),
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
