// Contexts: tenancy within an environment. A write that names a context creates it.
import { z } from 'zod'
import { contextPages, contextsById, contextsByKey, insertContexts } from '../data/context.ts'
import { whenMissing, whenTaken } from '../data/driver/database-errors.ts'
import type { Context } from '../data/prisma/client.ts'
import { refuseTaken } from '../lib/errors.ts'
import { orderWithIdentifier, pageRequest } from '../lib/page.ts'
import { filterOf, jsonObject, type JsonObject, text, storableText } from '../lib/validation.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import { atomicMutation, query, type Rate } from './resolver/resolver.ts'
import type { AtomicScope, Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion, inVersion } from './resolver/version.ts'

export type { Context }

/** Maximum contexts in one write (SPEC: Limits). */
export const MAX_CONTEXTS = 5

const part = z.string().regex(/^[a-zA-Z0-9_-]{1,100}$/, 'must be 1 to 100 letters, digits, "_" or "-"')
const contextData = jsonObject({ maxBytes: 64 * 1024 })

export const contextKey = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,100}:[a-zA-Z0-9_-]{1,100}$/, 'must have the form <type>:<id>, such as tenant:acme')

/**
 * The input schema of an exact set of contexts. The output is sorted and has no duplicates, as stored, so that equal
 * sets are equal arrays. Null and empty both mean "no context".
 */
export const contextKeys = z
  .array(contextKey)
  .nullish()
  .transform((keys) => [...new Set(keys ?? [])].sort())
  .refine((keys) => keys.length <= MAX_CONTEXTS, `must name at most ${MAX_CONTEXTS} contexts`)

/** A filter field: exactly these contexts. An empty list only matches rows without contexts. */
export const contextKeysFilter = z.array(contextKey).transform((keys) => [...new Set(keys)].sort())

/** The input schema of contexts in a write, by type: an id, or an id with the data of a new context. */
export const contextInput = z
  .record(part, z.union([part, z.object({ id: part, data: contextData.nullish() })]))
  .refine((named) => Object.keys(named).length <= MAX_CONTEXTS, `must name at most ${MAX_CONTEXTS} contexts`)
  .nullish()
export type ContextInput = z.output<typeof contextInput>

/** The same as a list, for GraphQL, which has no maps. */
export const contextList = z
  .array(z.object({ type: part, identifier: part, data: contextData.nullish() }))
  .max(MAX_CONTEXTS)
  .check(({ value, issues }) => {
    for (const [index, { type }] of value.entries()) {
      if (value.findIndex((other) => other.type === type) < index) {
        const message = `must not repeat the type "${type}": at most one context of each type`
        issues.push({ code: 'custom', path: [index, 'type'], message, input: value })
      }
    }
  })
  .nullish()
  .transform((list): ContextInput =>
    Object.fromEntries((list ?? []).map(({ type, identifier, data }) => [type, { id: identifier, data }])),
  )

type Creating = Pick<AtomicScope, 'environmentId' | 'newId' | 'now'>

function newContext({ environmentId, newId, now }: Creating, type: string, identifier: string, data: JsonObject) {
  const createdAt = now()
  return {
    environmentId,
    id: newId(),
    type,
    identifier,
    key: `${type}:${identifier}`,
    data,
    lastUsedAt: null,
    createdAt,
    updatedAt: createdAt,
    version: 1,
  }
}

/** Returns the keys of the contexts in a write, sorted, as stored. */
export function contextKeysOf(named: ContextInput): string[] {
  return Object.entries(named ?? {})
    .map(([type, value]) => `${type}:${typeof value === 'string' ? value : value.id}`)
    .sort()
}

/** Returns the contexts in a write in the form in which missing ones are created. */
export const newContexts = (scope: Scope, named: ContextInput): Context[] =>
  Object.entries(named ?? {}).map(([type, value]) =>
    typeof value === 'string'
      ? newContext(scope, type, value, {})
      : newContext(scope, type, value.id, value.data ?? {}),
  )

/**
 * Creates the missing contexts. An existing context keeps its data.
 *
 * @returns their keys, as stored.
 */
export async function ensureContexts(scope: Scope, named: ContextInput): Promise<string[]> {
  await insertContexts(scope, newContexts(scope, named))
  return contextKeysOf(named)
}

/** Creates the missing contexts, without data. */
export async function ensureContextKeys(
  scope: Creating & Pick<AtomicScope, 'db'>,
  keys: readonly string[],
): Promise<void> {
  await insertContexts(
    scope,
    keys.map((key) => {
      const colon = key.indexOf(':')
      return newContext(scope, key.slice(0, colon), key.slice(colon + 1), {})
    }),
  )
}

/** Returns the existing contexts with these keys, in the order of the keys. */
export async function existingContexts({ load }: Pick<Scope, 'load'>, keys: readonly string[]): Promise<Context[]> {
  const found = await Promise.all(keys.map((key) => load(contextsByKey, key)))
  return found.filter((row) => row !== null)
}

/** Contexts count as `global` (CALLERS: Rate limits). */
const rate: Rate = { category: 'global', cost: 1 }

/** The fields of an input that name an existing context. */
const named = { key: contextKey.nullish(), id: rowId }

export const context = query({
  name: 'context.get',
  permission: 'context:read',
  rate,
  input: z.object(named),
  run({ load }, { key, id }) {
    const context = referenceOf({ key }, { id })
    return 'id' in context ? load(contextsById, context.id) : load(contextsByKey, context.key)
  },
})

/** Lists the existing contexts of a row, in the order of its keys. Batched. */
export const contextsOf = query({
  name: 'context.listOfRow',
  permission: 'context:read',
  rate,
  input: z.object({ contextKeys: z.array(storableText) }),
  run: (scope, { contextKeys }) => existingContexts(scope, contextKeys),
})

export const contexts = query({
  name: 'context.list',
  permission: 'context:read',
  rate,
  input: z.object({
    page: pageRequest,
    orderBy: orderWithIdentifier,
    filter: filterOf({ type: part, identifier: part, search: text(210) }),
  }),
  run: ({ load, environmentId }, list) => load(contextPages, { parent: environmentId, ...list }),
})

export const createContext = atomicMutation({
  name: 'context.create',
  permission: 'context:write',
  rate,
  input: z.object({ type: part, identifier: part, data: contextData.nullish() }),
  async run(scope, { type, identifier, data }) {
    const exists = () => refuseTaken(`Context "${type}:${identifier}" already exists`, 'identifier', identifier)
    const row = newContext(scope, type, identifier, data ?? {})
    return scope.db.context.create({ data: row }).catch(whenTaken(exists))
  },
})

/** Replaces the data. From then on, the context can only be deleted explicitly. */
export const updateContext = atomicMutation({
  name: 'context.update',
  permission: 'context:write',
  rate,
  input: z.object({ ...named, data: contextData, expectedVersion }),
  async run({ db, environmentId, now }, { key, id, data, expectedVersion }) {
    const context = referenceOf({ key }, { id })
    const where = { environmentId, ...context }
    const [updated] = await db.context.updateManyAndReturn({
      where: { ...where, ...inVersion(expectedVersion) },
      data: { data, lastUsedAt: null, updatedAt: now() },
    })
    if (updated !== undefined) return updated
    assertVersion('The context', expectedVersion, (await db.context.findFirst({ where }))?.version)
    throw notFound('Context', context)
  },
})

/** Deletes a context. Rows keep its key, and a write that names the context creates it again. */
export const deleteContext = atomicMutation({
  name: 'context.delete',
  permission: 'context:write',
  rate,
  input: z.object(named),
  async run({ db, environmentId }, { key, id }) {
    const context = referenceOf({ key }, { id })
    const where =
      'id' in context
        ? { environmentId_id: { environmentId, ...context } }
        : { environmentId_key: { environmentId, ...context } }
    return db.context.delete({ where }).catch(whenMissing(() => notFound('Context', context)))
  },
})
