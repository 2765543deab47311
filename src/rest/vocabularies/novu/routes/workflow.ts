// Routes of workflows in the client's words.
import { z } from 'zod'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { createWorkflow, deleteWorkflow, type Workflow, workflow, workflows } from '../../../../domain/workflow.ts'
import { type Step, stepsOf } from '../../../../domain/workflow-step.ts'
import { updateWorkflow } from '../../../../engine/workflow-update.ts'
import { refuse, Refusal } from '../../../../lib/errors.ts'
import { MAX_PAGE_SIZE, MAX_SKIP } from '../../../../lib/page.ts'
import { route } from '../../../route.ts'
import { found } from '../../../views.ts'
import { prefix } from '../words/prefix.ts'
import { isStepCalled, workflowCalled } from '../words/slug.ts'
import { origin, showStep, stepsFrom, stepView } from '../words/step.ts'
import {
  commonFields,
  defaultsFrom,
  descriptionFrom,
  novuWorkflowView,
  preferencesField,
  showInList,
  showNovuWorkflow,
  sourceField,
  storedDefaults,
  wholeFields,
  workflowInListView,
  workflowPath,
} from '../words/workflow.ts'

/** Workflows in a page that does not say how many. */
const DEFAULT_LIMIT = 50

const byWorkflow = z.object({
  workflowId: z.string().meta({ description: '`workflowId`, `_id` or `slug` of the workflow.' }),
})
export const byStep = byWorkflow.extend({
  stepId: z.string().meta({ description: '`stepId`, `_id` or `slug` of the step.' }),
})

/** Reads the workflow that a path names. @throws Refusal `NOT_FOUND` */
export const workflowAt = async (scope: DoorScope, word: string): Promise<Workflow> =>
  found(await workflow(scope, workflowCalled(word)), 'Workflow', word)

/** Returns the step that a path names. @throws Refusal `NOT_FOUND` */
export function stepAt(row: Workflow, word: string): Step {
  const step = stepsOf(row.steps).find(({ stepId }) => isStepCalled(stepId, word))
  if (step === undefined) throw new Refusal('NOT_FOUND', `Workflow "${row.identifier}" has no step "${word}"`)
  return step
}

const statuses = z.enum(['ACTIVE', 'INACTIVE', 'ERROR'])

/** Returns the filter for workflows with one of these statuses. @throws Refusal `INVALID` */
function filterOfStatuses(given: readonly z.output<typeof statuses>[] | undefined) {
  const wanted = new Set(given ?? statuses.options)
  if (wanted.size === statuses.options.length) return {}
  if (wanted.size === 1) {
    return wanted.has('INACTIVE') ? { active: false } : { active: true, suspended: wanted.has('ERROR') }
  }
  if (!wanted.has('INACTIVE')) return { active: true }
  throw refuse('INVALID', 'status cannot be INACTIVE together with only one of the others', 'status', given)
}

const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_LIMIT),
  offset: z.coerce.number().int().min(0).max(MAX_SKIP).default(0),
  orderBy: z
    .enum(['createdAt', 'updatedAt', 'name'], {
      error: 'must be createdAt, updatedAt or name: an order by lastTriggeredAt is not supported',
    })
    .default('createdAt'),
  orderDirection: z.enum(['ASC', 'DESC']).default('DESC'),
  query: z.string().optional().meta({ description: 'A part of the identifier or name.' }),
  tags: z.array(z.string()).optional().meta({ description: 'Workflows with at least one of the tags.' }),
  status: z.array(statuses).optional(),
})

export const novuWorkflowRoutes = [
  route({
    method: 'get',
    path: `${prefix}/v2/workflows`,
    summary: 'List workflows',
    query: listQuery,
    resolver: workflows,
    input: ({ query: { limit, offset, orderBy, orderDirection, query, tags, status } }) => ({
      page: { first: limit, skip: offset },
      orderBy: { field: orderBy, direction: orderDirection === 'ASC' ? 'asc' : 'desc' },
      filter: { search: query === '' ? undefined : query, anyTags: tags, ...filterOfStatuses(status) },
    }),
    nameOf: (path) => (path[0] === 'search' ? ['query'] : path[0] === 'anyTags' ? ['tags'] : path),
    statuses: [200],
    response: z.object({ workflows: z.array(workflowInListView), totalCount: z.number().int() }),
    async view({ rows, total: count, countKey }, scope) {
      const [shown, total] = await Promise.all([
        Promise.all(rows.map((row) => showInList(row, scope))),
        countKey === undefined ? count() : scope.count(countKey, count),
      ])
      return { workflows: shown, totalCount: total.count }
    },
  }),
  route({
    method: 'post',
    path: `${prefix}/v2/workflows`,
    summary: 'Create a workflow',
    example: {
      workflowId: 'welcome',
      name: 'Welcome',
      active: true,
      steps: [
        { name: 'Bell', type: 'in_app', controlValues: { body: 'Welcome, {{subscriber.firstName}}!' } },
        { name: 'A day', type: 'delay', controlValues: { type: 'regular', amount: 1, unit: 'days' } },
      ],
    },
    body: z.strictObject({
      ...wholeFields,
      workflowId: createWorkflow.definition.input.shape.identifier,
      preferences: preferencesField.optional(),
      __source: sourceField,
    }),
    resolver: createWorkflow,
    input: ({ body: { workflowId, name, description, tags, active, severity, steps, payloadSchema, ...body } }) => ({
      identifier: workflowId,
      ...{ name, tags, active, severity, payloadSchema },
      description: descriptionFrom(description),
      validatePayload: body.validatePayload ?? false,
      steps: stepsFrom(steps),
      ...defaultsFrom(body.preferences),
    }),
    nameOf: workflowPath,
    statuses: [201],
    response: novuWorkflowView,
    view: showNovuWorkflow,
  }),
  route({
    method: 'get',
    path: `${prefix}/v2/workflows/{workflowId}`,
    summary: 'Read a workflow',
    params: byWorkflow,
    query: z.object({
      environmentId: z.string().optional().meta({ description: 'The environment of the API key, if it is given.' }),
    }),
    resolver: workflow,
    input({ params, query: { environmentId } }, { caller }) {
      if (environmentId !== undefined && environmentId !== caller.environmentId) {
        throw refuse('INVALID', 'environmentId must be the environment of the API key', 'environmentId', environmentId)
      }
      return workflowCalled(params.workflowId)
    },
    statuses: [200],
    response: novuWorkflowView,
    view: (row, scope, { params }) => showNovuWorkflow(found(row, 'Workflow', params.workflowId), scope),
  }),
  route({
    method: 'put',
    path: `${prefix}/v2/workflows/{workflowId}`,
    summary: 'Replace the steps and preferences of a workflow; other absent fields keep their values',
    example: {
      name: 'Welcome',
      active: true,
      preferences: {},
      steps: [{ name: 'Bell', type: 'in_app', controlValues: { body: 'Welcome, {{subscriber.firstName}}!' } }],
    },
    params: byWorkflow,
    body: z.strictObject({
      ...wholeFields,
      workflowId: z.string().optional().meta({ description: 'Never changes.' }),
      preferences: preferencesField,
      origin: z.literal(origin, { error: `must be ${origin}: workflows run in the gateway` }).optional(),
    }),
    resolver: updateWorkflow,
    async input({ params, body: { name, description, tags, active, severity, steps, payloadSchema, ...body } }, scope) {
      const stored = await workflowAt(scope, params.workflowId)
      if (body.workflowId !== undefined && body.workflowId !== stored.identifier) {
        throw refuse('INVALID', 'workflowId cannot be changed', 'workflowId', body.workflowId)
      }
      return {
        id: stored.id,
        ...{ name, active, severity, payloadSchema },
        tags: tags ?? undefined,
        description: descriptionFrom(description),
        validatePayload: body.validatePayload,
        steps: stepsFrom(steps, stepsOf(stored.steps)),
        ...defaultsFrom(body.preferences, storedDefaults(stored)),
        // What the client has no words for is that of this version.
        expectedVersion: stored.version,
      }
    },
    nameOf: workflowPath,
    statuses: [200],
    response: novuWorkflowView,
    view: ({ workflow: row }, scope) => showNovuWorkflow(row, scope),
  }),
  route({
    method: 'patch',
    path: `${prefix}/v2/workflows/{workflowId}`,
    operationId: 'workflow.patch',
    summary: 'Update the given fields of a workflow',
    example: { active: true },
    params: byWorkflow,
    body: z.strictObject({ ...commonFields, name: commonFields.name.optional(), active: z.boolean().optional() }),
    resolver: updateWorkflow,
    input: ({ params, body: { name, description, tags, active, payloadSchema, validatePayload } }) => ({
      ...workflowCalled(params.workflowId),
      ...{ name, active, payloadSchema, validatePayload },
      tags: tags ?? undefined,
      description: descriptionFrom(description),
    }),
    nameOf: workflowPath,
    statuses: [200],
    response: novuWorkflowView,
    view: ({ workflow: row }, scope) => showNovuWorkflow(row, scope),
  }),
  route({
    method: 'delete',
    path: `${prefix}/v2/workflows/{workflowId}`,
    summary: 'Delete a workflow and its preferences',
    params: byWorkflow,
    resolver: deleteWorkflow,
    input: ({ params }) => workflowCalled(params.workflowId),
    nameOf: workflowPath,
    statuses: [204],
  }),
  route({
    method: 'get',
    path: `${prefix}/v2/workflows/{workflowId}/steps/{stepId}`,
    operationId: 'workflow.getStep',
    summary: 'Read a step of a workflow',
    params: byStep,
    resolver: workflow,
    input: ({ params }) => workflowCalled(params.workflowId),
    statuses: [200],
    response: stepView,
    view(given, _scope, { params }) {
      const row = found(given, 'Workflow', params.workflowId)
      return showStep(stepAt(row, params.stepId), row)
    },
  }),
]
