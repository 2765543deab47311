// Categories: groups of workflows that subscribers turn on and off together.
import { z } from 'zod'
import { categoriesById, categoriesByKey, categoryPages, isCategoryUsed, writePositions } from '../data/category.ts'
import { whenTaken } from '../data/driver/database-errors.ts'
import { lockCategory, lockEnvironment } from '../data/lock.ts'
import type { Category } from '../data/prisma/client.ts'
import { refuse, refuseTaken } from '../lib/errors.ts'
import { orderWithPosition, pageRequest } from '../lib/page.ts'
import { filterOf, text, trimmedText } from '../lib/validation.ts'
import { channelChoices } from './channel/channel-choices.ts'
import { audit } from './resolver/audit.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import { mutation, query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion } from './resolver/version.ts'

export type { Category }

/** Maximum categories of an environment. */
export const MAX_CATEGORIES = 50

const key = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')

/** The key of a category in a lookup. A key that no category can have is "not found" rather than invalid. */
export const categoryKeyLookup = text(255, 1)

/** The fields of an input that name an existing category. */
const named = { key: categoryKeyLookup.nullish(), id: rowId }

const channels = channelChoices.meta({
  description:
    'Channel defaults for subscribers without a preference, which take precedence over the defaults of workflows. Channels not listed have none.',
})

const details = {
  name: trimmedText(255),
  description: text(1000).nullish(),
  channels,
  isHidden: z.boolean().meta({ description: 'True if preference pages and browser sessions do not show it.' }),
}

export const category = query({
  name: 'category.get',
  permission: 'category:read',
  input: z.object(named),
  run({ load }, { key, id }) {
    const category = referenceOf({ key }, { id })
    return 'id' in category ? load(categoriesById, category.id) : load(categoriesByKey, category.key)
  },
})

export const categories = query({
  name: 'category.list',
  permission: 'category:read',
  input: z.object({
    page: pageRequest,
    orderBy: orderWithPosition,
    filter: filterOf({ isHidden: z.boolean(), search: text(255) }),
  }),
  run: ({ load, environmentId }, list) => load(categoryPages, { parent: environmentId, ...list }),
})

export const categoryNotFound = (key: string, field: string) =>
  refuse('NOT_FOUND', `Category "${key}" not found`, field, key)

/** Creates a category, last in the order. @throws Refusal `CONFLICT` if the key exists, or if there are too many. */
export const createCategory = mutation({
  name: 'category.create',
  permission: 'category:write',
  input: z.object({
    key,
    name: details.name,
    description: details.description,
    channels: details.channels.nullish(),
    isHidden: details.isHidden.nullish(),
  }),
  async run(scope, given): Promise<Category> {
    const { db, environmentId, newId, now } = scope
    await lockEnvironment(scope)
    const { _count, _max } = await db.category.aggregate({
      where: { environmentId },
      _count: true,
      _max: { position: true },
    })
    if (_count >= MAX_CATEGORIES) {
      throw refuse('CONFLICT', `An environment has at most ${MAX_CATEGORIES} categories`, 'key', given.key)
    }
    const createdAt = now()
    const created = await db.category
      .create({
        data: {
          environmentId,
          id: newId(),
          key: given.key,
          name: given.name,
          description: given.description ?? null,
          position: (_max.position ?? -1) + 1,
          channels: given.channels ?? {},
          isHidden: given.isHidden ?? false,
          createdAt,
          updatedAt: createdAt,
        },
      })
      .catch(whenTaken(() => refuseTaken(`Category "${given.key}" already exists`, 'key', given.key)))
    audit(scope, 'category created', { environmentId, categoryKey: created.key })
    return created
  },
})

/** Finds a category and locks it until the transaction ends. @throws Refusal `NOT_FOUND`, or `STALE` */
async function heldCategory(
  scope: Scope,
  { key, id }: { readonly key?: string | null | undefined; readonly id?: string | null | undefined },
  expected: number | null | undefined,
): Promise<Category> {
  const reference = referenceOf({ key }, { id })
  await lockEnvironment(scope)
  const { db, environmentId } = scope
  const found = await db.category.findFirst({ where: { environmentId, ...reference } })
  if (found === null) throw notFound('Category', reference)
  assertVersion(`Category "${found.key}"`, expected, found.version)
  return found
}

/**
 * Changes the given fields. Null clears the description, and `channels` is replaced as a whole. Without fields, nothing
 * is written.
 *
 * @throws Refusal `STALE` if the category has another version than the expected one.
 */
export const updateCategory = mutation({
  name: 'category.update',
  permission: 'category:write',
  input: z.object({
    ...named,
    name: details.name.optional(),
    description: details.description,
    channels: details.channels.optional(),
    isHidden: details.isHidden.optional(),
    expectedVersion,
  }),
  async run(scope, { key, id, expectedVersion, ...given }): Promise<Category> {
    const found = await heldCategory(scope, { key, id }, expectedVersion)
    if (Object.values<unknown>(given).every((value) => value === undefined)) return found
    const where = { environmentId_id: { environmentId: scope.environmentId, id: found.id } }
    const updated = await scope.db.category.update({ where, data: { ...given, updatedAt: scope.now() } })
    audit(scope, 'category updated', {
      environmentId: scope.environmentId,
      categoryKey: updated.key,
      changes: given,
    })
    return updated
  },
})

/**
 * Deletes a category with the preferences for it.
 *
 * @throws Refusal `CONFLICT` while a workflow has it: without it, subscribers who turned it off would receive the
 *   workflow again.
 */
export const deleteCategory = mutation({
  name: 'category.delete',
  permission: 'category:write',
  input: z.object({ ...named, expectedVersion }),
  async run(scope, { key, id, expectedVersion }): Promise<Category> {
    const found = await heldCategory(scope, { key, id }, expectedVersion)
    const where = { environmentId_id: { environmentId: scope.environmentId, id: found.id } }
    // Waits for transactions that give it to a workflow.
    await lockCategory(scope, found.id)
    if (await isCategoryUsed(scope, found.id)) {
      const message = `Category "${found.key}" is the category of a workflow. Give its workflows another category first.`
      throw refuse('CONFLICT', message, typeof id === 'string' ? 'id' : 'key', id ?? key)
    }
    const deleted = await scope.db.category.delete({ where })
    audit(scope, 'category deleted', { environmentId: scope.environmentId, categoryKey: deleted.key })
    return deleted
  },
})

/**
 * Changes the order of all categories in one call.
 *
 * @param keys the keys of all categories, in their new order.
 * @throws Refusal `CONFLICT` if a category is missing from the keys, such as one that was just created, so that two
 *   changes at a time never mix.
 */
export const reorderCategories = mutation({
  name: 'category.reorder',
  permission: 'category:write',
  input: z.object({
    keys: z
      .array(categoryKeyLookup)
      .min(1)
      .max(MAX_CATEGORIES)
      .refine((keys) => new Set(keys).size === keys.length, 'must not name a category twice'),
  }),
  async run(scope, { keys }): Promise<readonly Category[]> {
    await lockEnvironment(scope)
    const { db, environmentId } = scope
    const rows = await db.category.findMany({ where: { environmentId } })
    const byKey = new Map(rows.map((row) => [row.key, row]))
    const inOrder = keys.map((key, index) => {
      const row = byKey.get(key)
      if (row === undefined) throw refuse('NOT_FOUND', `Category "${key}" not found`, ['keys', index], key)
      return row
    })
    const missing = rows.find((row) => !keys.includes(row.key))
    if (missing !== undefined) {
      throw refuse('CONFLICT', `keys must name every category, and "${missing.key}" is missing`, 'keys')
    }
    await writePositions(
      scope,
      inOrder.map(({ id }) => id),
      scope.now(),
    )
    audit(scope, 'categories reordered', { environmentId, categoryKeys: keys })
    return db.category.findMany({ where: { environmentId }, orderBy: [{ position: 'asc' }, { id: 'asc' }] })
  },
})
