// Routes of workflows.
import { z } from 'zod'
import { Severity, UnsubscribeScope } from '../../data/prisma/enums.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { channelChoices } from '../../domain/channel/channel-choices.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { step, stepsOf } from '../../domain/workflow-step.ts'
import {
  categoryOf,
  createWorkflow,
  deleteWorkflow,
  unsubscribeOf,
  type Workflow,
  workflow,
  workflows,
} from '../../domain/workflow.ts'
import { updateWorkflow } from '../../engine/workflow-update.ts'
import { cancellationView, showCancellation } from '../cancellation-view.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { pauseField, showPause } from '../pause-view.ts'
import { route } from '../route.ts'
import { found, ownData, timestamp, valuesField, versionField } from '../views.ts'

const workflowView = z
  .object({
    _id: z.string(),
    identifier: z.string(),
    name: z.string(),
    description: z.string().nullable().meta({ description: 'What the workflow is for. Null if there is none.' }),
    active: z
      .boolean()
      .meta({ description: 'True if triggers of the workflow are executed. Otherwise triggers have no effect.' }),
    critical: z.boolean().meta({ description: 'True if the workflow ignores preferences.' }),
    severity: z.enum(Severity),
    tags: z.array(z.string()),
    data: ownData,
    steps: z.array(step).meta({ description: 'Steps, in order of execution. Text fields are Liquid templates.' }),
    payloadSchema: ownData.nullable().meta({
      description:
        'JSON Schema for the payload of a trigger. The values of properties with `writeOnly: true` are secret. Null if any payload is allowed.',
    }),
    validatePayload: z
      .boolean()
      .meta({ description: 'True if `payloadSchema` applies to triggers, as it does by default.' }),
    channels: channelChoices.meta({
      description: 'Channel defaults for subscribers without a preference. Channels that are not listed are on.',
    }),
    categoryKey: z.string().nullable().meta({ description: 'Key of the category. Null if there is none.' }),
    unsubscribe: z.enum(UnsubscribeScope).meta({
      description: 'What the unsubscribe links of its emails turn off. Always `off` for a critical workflow.',
    }),
    pause: pauseField,
    version: versionField,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Workflow', description: 'A named sequence of steps. A trigger executes the steps for each recipient.' })

async function showWorkflow(row: Workflow, scope: DoorScope): Promise<z.input<typeof workflowView>> {
  const { id, identifier, name, description, active, critical, severity, tags, validatePayload } = row
  const { categoryId, version, createdAt, updatedAt } = row
  return {
    _id: id,
    identifier,
    name,
    description,
    active,
    critical,
    severity,
    tags,
    data: asObject(row.data),
    steps: [...stepsOf(row.steps)],
    payloadSchema: row.payloadSchema === null ? null : asObject(row.payloadSchema),
    validatePayload,
    channels: channelChoices.parse(row.channels),
    categoryKey: categoryId === null ? null : ((await categoryOf(scope, { categoryId }))?.key ?? null),
    unsubscribe: unsubscribeOf(row),
    ...(await showPause(scope, 'workflow', id)),
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

const updatedView = workflowView.extend({
  cancellation: cancellationView.optional().meta({
    description: 'What `cancelPending` has cancelled. Absent without `cancelPending`.',
  }),
})

const byIdentifier = z.object({ identifier: z.string().meta({ description: 'Identifier of the workflow.' }) })

export const workflowRoutes = [
  route({
    method: 'get',
    path: '/v2/workflows',
    summary: 'List workflows',
    query: pageQuery.extend({
      tags: z
        .array(z.string())
        .optional()
        .meta({ description: 'Filter by tags. Matches workflows that have all of the tags.' }),
      categoryKey: z.string().optional().meta({ description: 'Filter by category. It need not exist.' }),
      categoryKeys: valuesField(z.string(), 'categories, by key'),
    }),
    resolver: workflows,
    input: ({ query: { tags, categoryKey, categoryKeys, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { tags, categoryKey, categoryKeys },
    }),
    statuses: [200],
    response: pageSchema(workflowView),
    view: (page, scope) => showPage(scope, page, (row) => showWorkflow(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v2/workflows',
    summary: 'Create a workflow',
    example: {
      identifier: 'welcome',
      name: 'Welcome',
      tags: ['onboarding'],
      steps: [
        { type: 'in_app', body: 'Welcome, {{subscriber.firstName}}!' },
        { type: 'delay', amount: 1, unit: 'days' },
        {
          type: 'email',
          condition: { '==': [{ var: 'payload.plan' }, 'pro'] },
          subject: 'Your first day',
          body: '<p>How did it go, {{subscriber.firstName}}?</p>',
        },
      ],
      channels: { sms: false },
    },
    body: createWorkflow.definition.input,
    resolver: createWorkflow,
    statuses: [201],
    version: ({ version }) => version,
    response: workflowView,
    view: showWorkflow,
  }),
  route({
    method: 'get',
    path: '/v2/workflows/{identifier}',
    summary: 'Read a workflow',
    params: byIdentifier,
    resolver: workflow,
    statuses: [200],
    version: (row) => row?.version,
    response: workflowView,
    view: (row, scope, { params }) => showWorkflow(found(row, 'Workflow', params.identifier), scope),
  }),
  route({
    method: 'put',
    path: '/v2/workflows/{identifier}',
    summary: 'Update a workflow; absent fields keep their values',
    example: { name: 'Welcome aboard', severity: 'low' },
    params: byIdentifier,
    body: updateWorkflow.definition.input.omit({ identifier: true, id: true }),
    conditional: true,
    resolver: updateWorkflow,
    statuses: [200],
    version: ({ workflow }) => workflow.version,
    response: updatedView,
    view: async ({ workflow, cancellation }, scope) => ({
      ...(await showWorkflow(workflow, scope)),
      ...(cancellation && { cancellation: showCancellation(cancellation) }),
    }),
  }),
  route({
    method: 'delete',
    path: '/v2/workflows/{identifier}',
    summary: 'Delete a workflow and its preferences',
    params: byIdentifier,
    conditional: true,
    resolver: deleteWorkflow,
    statuses: [204],
  }),
]
