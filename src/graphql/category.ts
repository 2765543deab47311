// Categories in the graph.
import {
  categories,
  category,
  type Category as CategoryRow,
  createCategory,
  deleteCategory,
  MAX_CATEGORIES,
  reorderCategories,
  updateCategory,
} from '../domain/category.ts'
import { storedChoices } from '../domain/channel/channel-choices.ts'
import { ChannelDefault, ChannelDefaultInput, defaultsOf, readChannels } from './channel-default.ts'
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byIdentifier, byName, connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField, part } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { queryField, queryList } from './schema/query.ts'
import {
  clearsIt,
  createdAt,
  expectedVersionOf,
  incrementedVersion,
  keyOf,
  newestFirst,
  partOfEither,
  updatedAt,
} from './schema/wording.ts'

export const Category = builder.objectRef<CategoryRow>('Category')
defineNode(Category, {
  description: 'A group of workflows that subscribers turn on and off together.',
  resolver: category,
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key, unique in the environment. Never changes.' }),
    name: t.exposeString('name', { description: 'The display name.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'A description for subscribers. Null if not set.',
    }),
    position: t.exposeInt('position', {
      description: 'The place in the order of categories: smaller ones come first.',
    }),
    channels: t.field({
      type: [ChannelDefault],
      description:
        'Channel defaults for subscribers without a preference. A default of the category takes precedence over a default of the workflow. Channels not listed have none.',
      resolve: (row) => defaultsOf(storedChoices(row.channels)),
    }),
    isHidden: t.exposeBoolean('isHidden', {
      description: 'True if preference pages and browser sessions do not show the category.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('category') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('category') }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const named = addressOf(Category, { key: keyOf('category') })

queryField('category', {
  description: 'The category with this key or node id. Null if it does not exist.',
  type: Category,
  nullable: true,
  args: named.args,
  resolver: category,
  decode: named.decode,
})

queryList('categories', {
  description: `The categories of the environment, at most ${MAX_CATEGORIES}. ${newestFirst}`,
  connection: connectionOf(Category, 'A page of categories.'),
  args: listArgs(
    'Category',
    (t) => ({
      isHidden: t.boolean({ description: 'True matches hidden categories, false all others.' }),
      search: t.string({ description: partOfEither('key', 'name') }),
    }),
    {
      ...byName(),
      ...byIdentifier('KEY', 'The key.'),
      POSITION: { value: 'position', description: 'The place in the order of categories.' },
    },
  ),
  resolver: categories,
})

const detailFields = (t: InputFields) => ({
  description: t.string({ description: `A description for subscribers: at most 1000 characters. ${clearsIt}` }),
  channels: t.field({
    type: [ChannelDefaultInput],
    description:
      'Channel defaults for subscribers without a preference. A default of the category takes precedence over a default of the workflow. Replaces all defaults. Channels not listed have none.',
  }),
  isHidden: t.boolean({
    description:
      'True if preference pages and browser sessions do not show the category. Default for a new category: false.',
  }),
})

mutationField('createCategory', {
  description: `Creates a category, last in the order. Fails with \`CONFLICT\` if the key exists, and if the environment has ${MAX_CATEGORIES} categories.`,
  input: (t) => ({
    key: t.string({ required: true, description: 'The key: 1 to 64 letters, digits, `_` or `-`.' }),
    name: t.string({ required: true, description: 'The display name: 1 to 255 characters.' }),
    ...detailFields(t),
  }),
  resolver: createCategory,
  decode: ({ channels, ...given }) => ({ ...given, channels: channels && readChannels(channels) }),
  payload: { category: Category },
})

mutationField('updateCategory', {
  description: 'Updates the given fields of a category.',
  input: (t) => ({
    ...named.fields(t),
    name: t.string({ description: 'The display name: 1 to 255 characters.' }),
    ...detailFields(t),
    expectedVersion: t.int({ description: expectedVersionOf('category') }),
  }),
  resolver: updateCategory,
  decode: ({ name, channels, isHidden, ...given }) => ({
    ...named.decode(given),
    name: name ?? undefined,
    channels: channels ? readChannels(channels) : undefined,
    isHidden: isHidden ?? undefined,
  }),
  payload: { category: Category },
})

mutationField('deleteCategory', {
  description:
    'Deletes a category, and the preferences for this category. Fails with `CONFLICT` while it is the category of a workflow: otherwise subscribers who turned the category off would receive the workflow again.',
  input: (t) => ({
    ...named.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('category') }),
  }),
  resolver: deleteCategory,
  decode: named.decode,
  payload: { deletedId: deletedId(Category) },
})

mutationField('reorderCategories', {
  description:
    'Changes the order of the categories. Fails with `CONFLICT` if the keys do not name every category, such as one that was just created.',
  input: (t) => ({
    keys: t.stringList({ required: true, description: 'The keys of all categories, in their new order.' }),
  }),
  resolver: reorderCategories,
  payload: {
    categories: (t) => part(t, [Category], 'The categories, in their new order.', (rows) => [...rows]),
  },
})
