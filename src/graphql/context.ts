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
import {
  CHECKED_AT_ONCE,
  DEFAULT_UNUSED_DAYS,
  deleteUnusedContexts,
  MAX_UNUSED_DAYS,
  MIN_UNUSED_DAYS,
} from '../domain/unused-context.ts'
import { parse } from '../lib/validation.ts'
import { addressOf } from './schema/address.ts'
import { builder } from './schema/builder.ts'
import { byIdentifier, connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { queryField, queryList } from './schema/query.ts'
import {
  byDefault,
  createdAt,
  expectedVersionOf,
  incrementedVersion,
  newestFirst,
  nullIfFailed,
  updatedAt,
} from './schema/wording.ts'

export const Context = builder.objectRef<ContextRow>('Context')
defineNode(Context, {
  description:
    'A tenant, app or other scope of notifications inside one environment. Created when a write first names it.',
  resolver: context,
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The type of scope, such as `tenant`.' }),
    identifier: t.exposeString('identifier', { description: 'The identifier within its type, such as `acme`.' }),
    key: t.exposeString('key', {
      description: 'The key `<type>:<identifier>`, such as `tenant:acme`. Unique in the environment.',
    }),
    data: t.expose('data', {
      type: 'JSONObject',
      description: 'Custom data for templates and conditions, such as a name, a plan or a logo. Empty if not set.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('context') }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: updatedAt('data of the context'),
    }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const part = '1 to 100 letters, digits, `_` or `-`.'

export const ContextInput = builder.inputType('ContextInput', {
  description: `A context in a write. Created if it does not exist. At most ${MAX_CONTEXTS} per write, one of each type.`,
  fields: (t) => ({
    type: t.string({ required: true, description: `The type of scope: ${part}` }),
    identifier: t.string({ required: true, description: `The identifier within its type: ${part}` }),
    data: t.field({
      type: 'JSONObject',
      description: 'Custom data of a new context: at most 64 KiB of JSON. Ignored if the context exists.',
    }),
  }),
})

/**
 * Converts the input field `contexts` to the domain's input.
 *
 * @throws Refusal `INVALID` if a type occurs twice or a part is invalid.
 */
export function readContexts(contexts: readonly (typeof ContextInput.$inferInput)[] | null | undefined) {
  return parse(z.object({ contexts: contextList }), { contexts }).contexts
}

const named = addressOf(Context, { key: 'The key `<type>:<identifier>`, such as `tenant:acme`.' })

queryField('context', {
  description: 'The context with this key or node id. Null if it does not exist.',
  type: Context,
  nullable: true,
  args: named.args,
  resolver: context,
  decode: named.decode,
})

queryList('contexts', {
  description: `The contexts of the environment. ${newestFirst}`,
  connection: connectionOf(Context, 'A page of contexts.'),
  args: listArgs(
    'Context',
    (t) => ({
      type: t.string({ description: 'The exact type.' }),
      identifier: t.string({ description: 'The exact identifier.' }),
      search: t.string({
        description:
          'A part of the key. Case-insensitive. Without three letters or digits in a row, it must be the beginning of the identifier.',
      }),
    }),
    byIdentifier('KEY', 'The key.'),
  ),
  resolver: contexts,
})

mutationField('createContext', {
  description: 'Creates a context. Fails with `CONFLICT` if the context exists.',
  input: (t) => ({
    type: t.string({ required: true, description: `The type of scope: ${part}` }),
    identifier: t.string({ required: true, description: `The identifier within its type: ${part}` }),
    data: t.field({ type: 'JSONObject', description: `Custom data: at most 64 KiB of JSON. ${byDefault('empty')}` }),
  }),
  resolver: createContext,
  payload: { context: Context },
})

mutationField('updateContext', {
  description: 'Replaces the data of a context.',
  input: (t) => ({
    ...named.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('context') }),
    data: t.field({ type: 'JSONObject', required: true, description: 'The new data: at most 64 KiB of JSON.' }),
  }),
  resolver: updateContext,
  decode: named.decode,
  payload: { context: Context },
})

mutationField('deleteContext', {
  description:
    'Deletes a context. Objects in the context keep its key. A later write that names the key creates a new context.',
  input: named.fields,
  resolver: deleteContext,
  decode: named.decode,
  payload: { deletedId: deletedId(Context) },
})

mutationField('deleteUnusedContexts', {
  description: `Deletes contexts that were created on first use and that no event, notification, topic subscription, channel endpoint or preference refers to any more. Checks ${CHECKED_AT_ONCE} contexts at a time: repeat it with \`after\` until \`next\` is null. Contexts that \`createContext\` or \`updateContext\` wrote are kept.`,
  input: (t) => ({
    unusedDays: t.int({
      description: `The number of days without a write that names the context: ${MIN_UNUSED_DAYS} to ${MAX_UNUSED_DAYS}. ${byDefault(`${DEFAULT_UNUSED_DAYS}`)}`,
    }),
    dryRun: t.boolean({ description: `True counts the contexts and deletes none. ${byDefault('false')}` }),
    after: t.string({
      description: `The \`next\` of the previous call. Contexts up to this key are skipped. ${byDefault('start with the first context')}`,
    }),
  }),
  resolver: deleteUnusedContexts,
  payload: (t) => ({
    deleted: t.int({
      nullable: true,
      description: `The number of deleted contexts. In a dry run, the number of contexts that would be deleted. ${nullIfFailed}`,
      resolve: ({ result }) => result?.deleted,
    }),
    next: t.string({
      nullable: true,
      description: `The value of \`after\` for the next call, or null if no contexts remain. ${nullIfFailed}`,
      resolve: ({ result }) => result?.next,
    }),
  }),
})
