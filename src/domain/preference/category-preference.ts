// The preferences of a subscriber for categories, with the channels that their workflows use.
import { z } from 'zod'
import { allCategories, channelsOfCategories } from '../../data/category.ts'
import type { Category } from '../../data/prisma/client.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { storableText } from '../../lib/validation.ts'
import { contextKeys } from '../context.ts'
import { query } from '../resolver/resolver.ts'
import { type ChannelPreference, decideChannel, preferencesBySubscriber } from './preference-rule.ts'

const channelNames = Object.values(Channel)

export interface CategoryPreference {
  readonly category: Category
  /** True if at least one channel is on, used or not. */
  readonly enabled: boolean
  /** The effective preferences of channels, for workflows of the category without a preference of their own. */
  readonly channels: readonly ChannelPreference[]
}

/** The effective preferences of channels for a category. */
export function categoryPreferenceFor(
  category: Category,
  channels: readonly Channel[],
  stored: Parameters<typeof decideChannel>[2],
): CategoryPreference {
  const decided = channelNames.map((channel) => decideChannel(channel, { category }, stored))
  return {
    category,
    enabled: decided.some(({ enabled }) => enabled),
    channels: decided.filter(({ channel }) => channels.includes(channel)),
  }
}

/**
 * Lists the preferences for categories in their order, each with the channels that workflows of the category use. A
 * session does not see hidden categories. Batched.
 */
export const categoryPreferences = query({
  name: 'preference.listOfCategories',
  permission: 'preference:read',
  owner: ({ subscriberId, contextKeys }) => ({ subscriberId, contextKeys }),
  input: z.object({ subscriberId: storableText, contextKeys }),
  async run({ load, caller }, key): Promise<CategoryPreference[]> {
    const [stored, categories] = await Promise.all([load(preferencesBySubscriber, key), load(allCategories, '')])
    const shown = categories.filter(({ isHidden }) => !isHidden || caller.kind !== 'session')
    return Promise.all(
      shown.map(async (category) => {
        const used = await load(channelsOfCategories, category.id)
        const channels = used.map(({ channel }) => channel)
        return categoryPreferenceFor(category, channels, stored)
      }),
    )
  },
})
