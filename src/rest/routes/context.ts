// Routes of contexts.
import { z } from 'zod'
import { type Context, context, contexts, createContext, deleteContext, updateContext } from '../../domain/context.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { DEFAULT_UNUSED_DAYS, deleteUnusedContexts } from '../../domain/unused-context.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { found, ownData, timestamp } from '../views.ts'

const contextView = z
  .object({
    type: z.string(),
    id: z.string(),
    data: ownData,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Context', description: 'A tenant, app or other scope of notifications inside one environment.' })

function showContext({ type, identifier, data, createdAt, updatedAt }: Context): z.input<typeof contextView> {
  return {
    type,
    id: identifier,
    data: asObject(data),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

const { identifier, ...createShape } = createContext.definition.input.shape

const address = z.object({
  type: createShape.type.meta({ description: 'Type of the context, such as `tenant`.' }),
  id: identifier.meta({ description: 'Id of the context, unique within its type.' }),
})
const keyOf = ({ type, id }: z.output<typeof address>) => `${type}:${id}`

const unusedShape = deleteUnusedContexts.definition.input.shape

export const contextRoutes = [
  route({
    method: 'get',
    path: '/v2/contexts',
    summary: 'List contexts',
    query: pageQuery.extend({
      type: z.string().optional().meta({ description: 'Filter by type. Exact match.' }),
      id: z.string().optional().meta({ description: 'Filter by id. Exact match.' }),
      search: z.string().optional().meta({
        description:
          'Filter by part of `<type>:<id>`. Case-insensitive. Without three letters or digits in a row, it must be the beginning of the id.',
      }),
    }),
    resolver: contexts,
    input: ({ query: { type, id, search, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { type, identifier: id, search },
    }),
    nameOf: (path) => (path[0] === 'identifier' ? ['id'] : path),
    statuses: [200],
    response: pageSchema(contextView),
    view: (page, scope) => showPage(scope, page, showContext),
  }),
  route({
    method: 'post',
    path: '/v2/contexts',
    summary: 'Create a context',
    example: { type: 'tenant', id: 'acme', data: { plan: 'pro' } },
    body: z.object({ ...createShape, id: identifier }),
    resolver: createContext,
    input: ({ body: { id, ...body } }) => ({ ...body, identifier: id }),
    statuses: [201],
    response: contextView,
    view: showContext,
  }),
  route({
    method: 'get',
    path: '/v2/contexts/{type}/{id}',
    summary: 'Read a context',
    params: address,
    resolver: context,
    input: ({ params }) => ({ key: keyOf(params) }),
    statuses: [200],
    version: (row) => row?.version,
    response: contextView,
    view: (row, _scope, { params }) => showContext(found(row, 'Context', keyOf(params))),
  }),
  route({
    method: 'patch',
    path: '/v2/contexts/{type}/{id}',
    summary: 'Replace the data of a context',
    example: { data: { plan: 'enterprise' } },
    params: address,
    body: updateContext.definition.input.pick({ data: true, expectedVersion: true }),
    conditional: true,
    resolver: updateContext,
    input: ({ params, body, condition }) => ({ key: keyOf(params), ...body, ...condition }),
    statuses: [200],
    version: ({ version }) => version,
    response: contextView,
    view: showContext,
  }),
  route({
    method: 'delete',
    path: '/v2/contexts/{type}/{id}',
    summary: 'Delete a context; objects in the context keep its key',
    params: address,
    resolver: deleteContext,
    input: ({ params }) => ({ key: keyOf(params) }),
    statuses: [204],
  }),
  route({
    method: 'post',
    path: '/v2/contexts/delete-unused',
    summary: 'Delete contexts that were created on first use and that nothing refers to any more',
    example: { unusedDays: 60, dryRun: true },
    body: z.object({
      unusedDays: unusedShape.unusedDays.meta({
        description: `Days without a write that names the context. Default: ${DEFAULT_UNUSED_DAYS}.`,
      }),
      dryRun: unusedShape.dryRun.meta({ description: 'True counts the contexts and deletes none.' }),
      after: unusedShape.after.meta({
        description: '`next` of the previous call. Default: start with the first context.',
      }),
    }),
    resolver: deleteUnusedContexts,
    statuses: [200],
    response: z.object({
      deleted: z.number().int().meta({
        description: 'Number of deleted contexts. In a dry run, the number of contexts that would be deleted.',
      }),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Value of `after` for the next call. Null if no contexts remain.' }),
    }),
    view: (result) => result,
  }),
]
