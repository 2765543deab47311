// Workflows: named sequences of steps that a trigger runs for each recipient.
import { z } from 'zod'
import { whenMissing, whenTaken } from '../data/driver/database-errors.ts'
import { Prisma, type Workflow, type WorkflowSuspension } from '../data/prisma/client.ts'
import { Severity, type UnsubscribeScope } from '../data/prisma/enums.ts'
import { keepCategories, lockWorkflow, type WorkflowReference } from '../data/lock.ts'
import { categoriesById } from '../data/category.ts'
import { suspensions } from '../data/workflow-suspension.ts'
import {
  tagsOfWorkflows,
  workflowPages,
  workflowsByCategory,
  workflowsById,
  workflowsByIdentifier,
} from '../data/workflow.ts'
import { refuse, refuseTaken } from '../lib/errors.ts'
import { orderWithName, pageRequest } from '../lib/page.ts'
import { severalOf, valuesOf } from '../lib/several.ts'
import { filterOf, jsonObject, type JsonObject, text } from '../lib/validation.ts'
import { recordWebhookMessages } from './outbox/webhook-message.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import { mutation, preparedMutation, query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion } from './resolver/version.ts'
import { categoryKeyLookup, categoryNotFound } from './category.ts'
import { assertWorkflow, workflowRate } from './workflow-check.ts'
import { tags, workflowInputs } from './channel/workflow-fields.ts'
import { steps } from './workflow-step.ts'

export type { Workflow }
export type Suspension = WorkflowSuspension

const { identifier, name, description, channels, unsubscribe, payloadSchema, validatePayload } = workflowInputs

/**
 * The identifier of a workflow in a lookup. An identifier that no workflow can have is "not found" rather than invalid.
 */
const identifierLookup = text(255, 1)

/** The fields of an input that name an existing workflow. */
export const workflowReference = { identifier: identifierLookup.nullish(), id: rowId }

const categoryKey = categoryKeyLookup.nullish().meta({ description: 'The key of its category. Null for none.' })

export const workflow = query({
  name: 'workflow.get',
  permission: 'workflow:read',
  input: z.object(workflowReference),
  run({ load }, { identifier, id }) {
    const workflow = referenceOf({ identifier }, { id })
    return 'id' in workflow ? load(workflowsById, workflow.id) : load(workflowsByIdentifier, workflow.identifier)
  },
})

const workflowFilter = filterOf({
  tags,
  anyTags: tags,
  suspended: z.boolean(),
  active: z.boolean(),
  search: text(255),
  categoryKey: text(255),
  categoryKeys: severalOf(text(255)),
}).transform(({ categoryKey, categoryKeys, ...given }) => ({
  ...given,
  categoryKey: valuesOf(categoryKey, categoryKeys),
}))

export const workflows = query({
  name: 'workflow.list',
  permission: 'workflow:read',
  input: z.object({
    page: pageRequest,
    orderBy: orderWithName,
    filter: workflowFilter,
  }),
  run: ({ load, environmentId }, list) => load(workflowPages, { parent: environmentId, ...list }),
})

/** Lists the distinct tags of the workflows. @throws Refusal `NOT_FOUND` if `environmentId` is not the caller's. */
export const workflowTags = query({
  name: 'workflow.tags',
  permission: 'workflow:read',
  input: z.object({ environmentId: z.string().nullish() }),
  async run(scope, { environmentId }) {
    const isOther = typeof environmentId === 'string' && environmentId !== scope.environmentId
    if (isOther) throw notFound('Environment', { environmentId })
    return tagsOfWorkflows(scope)
  },
})

/** Lists the workflows of a category. Batched. */
export const workflowsOfCategory = query({
  name: 'workflow.listOfCategory',
  permission: 'workflow:read',
  input: z.object({ categoryId: z.uuid(), page: pageRequest, orderBy: orderWithName, filter: workflowFilter }),
  run: ({ load }, { categoryId, ...list }) => load(workflowsByCategory, { parent: categoryId, ...list }),
})

/** Reads the category of a workflow. Batched. Null if it has none. */
export const categoryOf = query({
  name: 'workflow.getCategory',
  permission: 'category:read',
  input: z.object({ categoryId: z.uuid() }),
  run: ({ load }, { categoryId }) => load(categoriesById, categoryId),
})

/** Returns what the unsubscribe links in the emails of a workflow turn off. */
export function unsubscribeOf({
  critical,
  unsubscribe,
  categoryId,
}: Pick<Workflow, 'critical'> & {
  readonly unsubscribe?: UnsubscribeScope | null
  readonly categoryId?: string | null
}): UnsubscribeScope {
  if (critical) return 'off'
  const chosen = unsubscribe ?? 'category'
  return chosen === 'category' && typeof categoryId !== 'string' ? 'workflow' : chosen
}

/**
 * Locks a category against deletion until the transaction ends. @returns its id. Undefined leaves a workflow's category
 * unchanged, and null removes it. @throws Refusal `NOT_FOUND`
 */
async function categoryIdFor(scope: Scope, key: string | null | undefined): Promise<string | null | undefined> {
  if (key === null || key === undefined) return key
  const [category] = await keepCategories(scope, [key])
  if (category === undefined) throw categoryNotFound(key, 'categoryKey')
  return category.id
}

/** Finds the suspension of a version of a workflow. Null if it is not suspended. Batched. */
export const suspensionOf = query({
  name: 'workflow.getSuspension',
  permission: 'workflow:read',
  input: z.object({ workflowId: z.uuid(), version: z.date() }),
  run: ({ load }, version) => load(suspensions, version),
})

/** Records a webhook message about a workflow. */
const tellWorkflow = (
  scope: Scope,
  type: 'workflow.created' | 'workflow.updated' | 'workflow.deleted',
  { identifier, active }: Workflow,
): Promise<void> => recordWebhookMessages(scope, type, () => [{ data: { workflowIdentifier: identifier, active } }])

/** Returns the value of the column. Undefined leaves it unchanged. */
const payloadSchemaColumn = (schema: JsonObject | null | undefined) => (schema === null ? Prisma.DbNull : schema)

/**
 * Creates a workflow. By default, it is active and has no steps. @throws Refusal `CONFLICT` if the identifier exists.
 */
export const createWorkflow = preparedMutation({
  name: 'workflow.create',
  permission: 'workflow:write',
  rate: workflowRate,
  input: z.object({
    identifier,
    name,
    description,
    active: z.boolean().nullish(),
    critical: z.boolean().nullish(),
    severity: z.enum(Severity).nullish(),
    tags: tags.nullish(),
    data: jsonObject().nullish(),
    steps: steps.nullish(),
    payloadSchema: payloadSchema.nullish(),
    validatePayload: validatePayload.nullish(),
    channels: channels.nullish(),
    categoryKey,
    unsubscribe,
  }),
  async prepare(scope, given) {
    await assertWorkflow(scope, given)
    return async (inner) => {
      const { db, environmentId, newId, now } = inner
      const categoryId = await categoryIdFor(inner, given.categoryKey)
      const createdAt = now()
      const created = db.workflow.create({
        data: {
          environmentId,
          id: newId(),
          identifier: given.identifier,
          name: given.name,
          description: given.description,
          active: given.active ?? true,
          critical: given.critical ?? false,
          severity: given.severity ?? Severity.none,
          tags: given.tags ?? [],
          data: given.data ?? {},
          steps: given.steps ?? [],
          payloadSchema: payloadSchemaColumn(given.payloadSchema),
          validatePayload: given.validatePayload ?? true,
          channels: given.channels ?? {},
          categoryId,
          unsubscribe: given.unsubscribe,
          createdAt,
          updatedAt: createdAt,
        },
      })
      const exists = () => refuseTaken(`Workflow "${given.identifier}" already exists`, 'identifier', given.identifier)
      const workflow = await created.catch(whenTaken(exists))
      await tellWorkflow(inner, 'workflow.created', workflow)
      return workflow
    }
  },
})

export const workflowNotFound = (identifier: string, field = 'identifier') =>
  refuse('NOT_FOUND', `Workflow "${identifier}" not found`, field, identifier)

/** Locks a workflow until the transaction ends. @throws Refusal `NOT_FOUND`, or `STALE` if it has another version. */
async function holdVersion(scope: Scope, workflow: WorkflowReference, expected: number): Promise<void> {
  const present = await lockWorkflow(scope, workflow)
  if (present === undefined) throw notFound('Workflow', workflow)
  assertVersion(`Workflow "${present.identifier}"`, expected, present.version)
}

/** The input of a change of a workflow. Absent fields do not change. */
export const workflowChanges = z.object({
  ...workflowReference,
  name: name.optional(),
  description,
  active: z.boolean().optional(),
  critical: z.boolean().optional(),
  severity: z.enum(Severity).optional(),
  tags: tags.optional(),
  data: jsonObject().optional(),
  steps: steps.optional(),
  payloadSchema: payloadSchema.nullish(),
  validatePayload: validatePayload.optional(),
  channels: channels.optional(),
  categoryKey,
  unsubscribe,
  expectedVersion,
})

/**
 * Checks a change, and returns the function that writes it. Tags, data, steps, payload schema and channels are replaced;
 * null removes the description, the payload schema and the category. Without fields, nothing is written.
 *
 * @throws Refusal `STALE` if the workflow has another version than the expected one.
 */
export async function prepareWorkflowChange(
  scope: Scope,
  { identifier, id, expectedVersion, categoryKey, ...given }: z.output<typeof workflowChanges>,
): Promise<(inner: Scope) => Promise<Workflow>> {
  const workflow = referenceOf({ identifier }, { id })
  await assertWorkflow(scope, given)
  return async (inner) => {
    const { db, environmentId, now } = inner
    const categoryId = await categoryIdFor(inner, categoryKey)
    if (typeof expectedVersion === 'number') await holdVersion(inner, workflow, expectedVersion)
    const changes = { ...given, categoryId }
    const [updated] = await db.workflow.updateManyAndReturn({
      where: { environmentId, ...workflow },
      data: {
        ...changes,
        payloadSchema: payloadSchemaColumn(given.payloadSchema),
        updatedAt: Object.values<unknown>(changes).some((value) => value !== undefined) ? now() : undefined,
      },
    })
    if (updated === undefined) throw notFound('Workflow', workflow)
    await tellWorkflow(inner, 'workflow.updated', updated)
    return updated
  }
}

/** Deletes a workflow with its preferences. Group preferences only lose the workflow. */
export const deleteWorkflow = mutation({
  name: 'workflow.delete',
  permission: 'workflow:write',
  input: z.object({ ...workflowReference, expectedVersion }),
  async run(scope, { identifier, id, expectedVersion }) {
    const { db, environmentId } = scope
    const workflow = referenceOf({ identifier }, { id })
    if (typeof expectedVersion === 'number') await holdVersion(scope, workflow, expectedVersion)
    const where =
      'id' in workflow
        ? { environmentId_id: { environmentId, ...workflow } }
        : { environmentId_identifier: { environmentId, ...workflow } }
    const deleted = await db.workflow.delete({ where }).catch(whenMissing(() => notFound('Workflow', workflow)))
    await tellWorkflow(scope, 'workflow.deleted', deleted)
    return deleted
  },
})
