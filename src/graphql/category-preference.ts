// Preferences of subscribers for categories.
import type { Category as CategoryRow } from '../domain/category.ts'
import {
  categoryPreferences,
  type CategoryPreference as CategoryPreferenceRow,
} from '../domain/preference/category-preference.ts'
import { ChannelPreference } from './channel-preference.ts'
import { keyOfPreferences, SubscriberPreferences } from './preference.ts'
import { builder } from './schema/builder.ts'
import { usualLength } from './schema/complexity.ts'
import { edge } from './schema/query.ts'
import { keyOf } from './schema/wording.ts'

const PreferenceCategory = builder.objectRef<CategoryRow>('PreferenceCategory').implement({
  description: 'What subscribers may know about a category to choose its preferences.',
  fields: (t) => ({
    key: t.exposeString('key', { description: keyOf('category') }),
    name: t.exposeString('name', { description: 'The display name of the category.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the category. Null if not set.',
    }),
    isHidden: t.exposeBoolean('isHidden', { description: 'True if subscribers do not see the category.' }),
  }),
})

const CategoryPreference = builder.objectRef<CategoryPreferenceRow>('CategoryPreference').implement({
  description: 'The preferences of a subscriber for one category.',
  fields: (t) => ({
    category: t.expose('category', { type: PreferenceCategory, description: 'The category.' }),
    enabled: t.exposeBoolean('enabled', { description: 'True if at least one channel is on, used or not.' }),
    channels: t.expose('channels', {
      type: t.listRef(ChannelPreference),
      description:
        'The effective setting of each channel that workflows of the category use in their active steps, for those without a setting of their own.',
    }),
  }),
})

builder.objectField(SubscriberPreferences, 'categories', (t) =>
  edge(t, {
    type: [CategoryPreference],
    description:
      'The preferences for the categories of the environment, in their order. Browser sessions do not see hidden categories.',
    complexity: usualLength(10),
    resolver: categoryPreferences,
    decode: keyOfPreferences,
  }),
)
