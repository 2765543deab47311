// Routes of categories.
import { z } from 'zod'
import { channelChoices, storedChoices } from '../../domain/channel/channel-choices.ts'
import {
  categories,
  type Category,
  category,
  createCategory,
  deleteCategory,
  reorderCategories,
  updateCategory,
} from '../../domain/category.ts'
import type { Path } from '../../lib/errors.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { flag, found, timestamp, versionField } from '../views.ts'

const categoryView = z
  .object({
    _id: z.string(),
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    position: z.int().meta({ description: 'Place in the order of categories: smaller ones come first.' }),
    channels: channelChoices.meta({
      description:
        'Channel defaults for subscribers without a preference. A default of the category takes precedence over a default of the workflow. Channels that are not listed have none.',
    }),
    isHidden: z.boolean().meta({ description: 'True if preference pages and browser sessions do not show it.' }),
    version: versionField,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Category', description: 'A group of workflows that subscribers turn on and off together.' })

function showCategory(row: Category): z.input<typeof categoryView> {
  const { id, key, name, description, position, isHidden, version } = row
  return {
    _id: id,
    ...{ key, name, description, position },
    channels: storedChoices(row.channels),
    isHidden,
    version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const byKey = z.object({ categoryKey: z.string().meta({ description: 'Key of the category.' }) })

/** The parameter `categoryKey` is the resolver's `key`. */
const categoryPath = (path: Path): Path => (path[0] === 'key' ? ['categoryKey'] : path)

export const categoryRoutes = [
  route({
    method: 'get',
    path: '/v2/categories',
    summary: 'List categories',
    query: pageQuery.extend({
      isHidden: flag.optional().meta({ description: 'True for hidden categories, false for all others.' }),
      search: z.string().optional().meta({ description: 'Filter by a part of the key or the name.' }),
    }),
    resolver: categories,
    input: ({ query: { isHidden, search, ...query } }) => ({ ...pageOfQuery(query), filter: { isHidden, search } }),
    statuses: [200],
    response: pageSchema(categoryView),
    view: (page, scope) => showPage(scope, page, showCategory),
  }),
  route({
    method: 'post',
    path: '/v2/categories',
    summary: 'Create a category, last in the order',
    example: { key: 'marketing', name: 'Marketing', channels: { sms: false } },
    body: createCategory.definition.input,
    resolver: createCategory,
    statuses: [201],
    version: ({ version }) => version,
    response: categoryView,
    view: showCategory,
  }),
  route({
    method: 'put',
    path: '/v2/categories/order',
    summary: 'Change the order of the categories',
    example: { keys: ['security', 'orders', 'marketing'] },
    body: reorderCategories.definition.input,
    resolver: reorderCategories,
    statuses: [200],
    response: z.array(categoryView),
    view: (rows) => rows.map(showCategory),
  }),
  route({
    method: 'get',
    path: '/v2/categories/{categoryKey}',
    summary: 'Read a category',
    params: byKey,
    resolver: category,
    nameOf: categoryPath,
    input: ({ params }) => ({ key: params.categoryKey }),
    statuses: [200],
    version: (row) => row?.version,
    response: categoryView,
    view: (row, _scope, { params }) => showCategory(found(row, 'Category', params.categoryKey)),
  }),
  route({
    method: 'patch',
    path: '/v2/categories/{categoryKey}',
    summary: 'Update a category; null clears the description',
    example: { name: 'News and offers' },
    params: byKey,
    body: updateCategory.definition.input.omit({ key: true, id: true }),
    conditional: true,
    resolver: updateCategory,
    nameOf: categoryPath,
    input: ({ params, body, condition }) => ({ ...body, ...condition, key: params.categoryKey }),
    statuses: [200],
    version: ({ version }) => version,
    response: categoryView,
    view: showCategory,
  }),
  route({
    method: 'delete',
    path: '/v2/categories/{categoryKey}',
    summary: 'Delete a category that no workflow has',
    params: byKey,
    conditional: true,
    resolver: deleteCategory,
    nameOf: categoryPath,
    input: ({ params, condition }) => ({ ...condition, key: params.categoryKey }),
    statuses: [204],
  }),
]
