// Contexts in the graph.
import { z } from 'zod'
import {
  context,
  contextList,
  type Context as ContextRow,
  contexts,
  createContext,
  deleteContext,
  MAX_CONTEXTS,
  updateContext,
} from '../domain/context.ts'
import { parse } from '../lib/validation.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'

export const Context = builder.objectRef<ContextRow>('Context')
builder.node(Context, {
  description:
    'A tenant, app or other scope of notifications inside one environment. It is made on first use by whatever names it.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => context(scope, { id }))),
  fields: (t) => ({
    type: t.exposeString('type', { description: 'What kind of scope it is, such as `tenant`.' }),
    identifier: t.exposeString('identifier', { description: 'Which one of its type it is, such as `acme`.' }),
    key: t.exposeString('key', {
      description: '`<type>:<identifier>`, such as `tenant:acme`: unique in the environment.',
    }),
    data: t.expose('data', {
      type: 'JSONObject',
      description: 'What is known of it, such as a name, a plan or a logo: for templates and conditions.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its data was last changed.' }),
  }),
})

const ContextConnection = connectionOf(Context, 'A page of contexts.')

const ContextFilter = builder.inputType('ContextFilter', {
  description: 'Which contexts: those that meet all that is given. Null is the same as absent.',
  fields: (t) => ({
    type: t.string({ description: 'Exactly this type.' }),
    identifier: t.string({ description: 'Exactly this identifier.' }),
    search: t.string({ description: 'A part of the key, in whichever case.' }),
  }),
})
const ContextOrder = orderInput('Context')

/** One of the contexts that a write is scoped by. */
export const ContextInput = builder.inputType('ContextInput', {
  description: `A context that a write is scoped by: at most ${MAX_CONTEXTS} a write, one of a type. It is made when it does not exist yet.`,
  fields: (t) => ({
    type: t.string({ required: true, description: 'What kind of scope it is: 1 to 100 letters, digits, `_` or `-`.' }),
    identifier: t.string({
      required: true,
      description: 'Which one of its type it is: 1 to 100 letters, digits, `_` or `-`.',
    }),
    data: t.field({
      type: 'JSONObject',
      description: 'What it is made with: at most 64 KiB of JSON. A context that exists keeps its own.',
    }),
  }),
})

/**
 * What the domain takes, out of the input field `contexts`.
 *
 * @throws Refusal `INVALID` when a type is named twice, or a part of one is not allowed.
 */
export function readContexts(contexts: readonly (typeof ContextInput.$inferInput)[] | null | undefined) {
  return parse(z.object({ contexts: contextList }), { contexts }).contexts
}

builder.queryFields((t) => ({
  context: t.field({
    ...calls(context),
    type: Context,
    nullable: true,
    description: 'The context of this key. Null when it does not exist.',
    args: { key: t.arg.string({ required: true, description: '`<type>:<identifier>`, such as `tenant:acme`.' }) },
    resolve: (_root, args, { scope }) => context(scope, args),
  }),
  contexts: t.connection(
    {
      ...calls(contexts),
      type: Context,
      description: 'The contexts of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: ContextFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: ContextOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await contexts(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    ContextConnection,
  ),
}))

mutationField('createContext', {
  description: 'Creates a context. Refused when it exists.',
  input: (t) => ({
    type: t.string({ required: true, description: '1 to 100 letters, digits, `_` or `-`.' }),
    identifier: t.string({ required: true, description: '1 to 100 letters, digits, `_` or `-`.' }),
    data: t.field({
      type: 'JSONObject',
      description: 'What is known of it: at most 64 KiB of JSON. Absent means nothing yet.',
    }),
  }),
  resolver: createContext,
  decode: (input) => input,
  payload: (t) => ({
    context: t.field({
      type: Context,
      nullable: true,
      description: 'The new context. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('updateContext', {
  description: "Replaces a context's data whole.",
  input: (t) => ({
    key: t.string({ required: true, description: '`<type>:<identifier>`.' }),
    data: t.field({ type: 'JSONObject', required: true, description: 'The new data: at most 64 KiB of JSON.' }),
  }),
  resolver: updateContext,
  decode: (input) => input,
  payload: (t) => ({
    context: t.field({
      type: Context,
      nullable: true,
      description: 'The context as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('deleteContext', {
  description: 'Deletes a context. What it scoped keeps its key, and naming the key again makes it anew.',
  input: (t) => ({ key: t.string({ required: true, description: '`<type>:<identifier>`.' }) }),
  resolver: deleteContext,
  decode: (input) => input,
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(Context.name, result.id),
    }),
  }),
})
