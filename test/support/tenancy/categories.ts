// Tenancy cases that name the categories of another environment.
import { expect } from 'vitest'
import { type Case, doesNotFind, filterCases, findsNothing, makesItsOwn } from './case.ts'

/** Filters by the categories and other texts of the record of consent. */
const changes = {
  categoryKey: '"parcels"',
  categoryKeys: '["parcels"]',
  contextKeys: '["tenant:acme"]',
  workflowIdentifier: '"order-shipped"',
  workflowIdentifiers: '["order-shipped"]',
}

export const casesOfCategories: Readonly<Record<string, Case>> = {
  'Query.category(key)': findsNothing('{ category(key: "shipping") { id } }'),
  'Mutation.createCategory(input.key)': makesItsOwn('createCategory', { key: 'shipping', name: 'Shipping' }),
  'Mutation.updateCategory(input.key)': doesNotFind('updateCategory', { key: 'shipping', name: 'Taken over' }),
  'Mutation.deleteCategory(input.key)': doesNotFind('deleteCategory', { key: 'shipping' }),
  'Mutation.reorderCategories(input.keys)': doesNotFind('reorderCategories', { keys: ['dues', 'shipping'] }),
  'Mutation.createWorkflow(input.categoryKey)': doesNotFind('createWorkflow', {
    ...{ identifier: 'parcel', name: 'Parcel', categoryKey: 'parcels' },
  }),
  'Mutation.updateWorkflow(input.categoryKey)': doesNotFind('updateWorkflow', {
    ...{ identifier: 'invoice-due', categoryKey: 'parcels' },
  }),
  ...filterCases(
    { 'Query.workflows': (filter) => `{ workflows(${filter}) { nodes { id } } }` },
    { categoryKey: '"parcels"', categoryKeys: '["parcels"]' },
  ),
  ...filterCases(
    {
      'Category.workflows': (filter) => `{ category(key: "dues") { workflows(${filter}) { nodes { id } } } }`,
    },
    { categoryKey: '"parcels"', categoryKeys: '["parcels"]' },
  ),
  ...filterCases(
    {
      'Subscriber.preferenceChanges': (filter) =>
        `{ subscriber(subscriberId: "grace") { preferenceChanges(${filter}) { nodes { at } } } }`,
    },
    changes,
  ),
  'Mutation.updateSubscriberPreferences(input.categoryKey)': doesNotFind('updateSubscriberPreferences', {
    ...{ subscriberId: 'grace', categoryKey: 'parcels', enabled: true },
  }),
  'Mutation.updatePreferences(input.preferences.categoryKey)': async ({ graces }) => {
    const preferences = [{ subscriberId: 'grace', categoryKey: 'parcels', enabled: true }]
    const { failed } = await graces.client.act('updatePreferences', { preferences }, 'failed { errors { code } }')
    expect(failed).toEqual([{ errors: [{ code: 'NOT_FOUND' }] }])
  },
}
