// Counts of a feed by several filters, such as those of tabs.
import { z } from 'zod'
import { countsByFilters } from '../../data/feed/feed-count.ts'
import { feedFilter, shownOnly } from '../notification-filter.ts'
import { assertFeed, feedOf, feedRate } from '../notification.ts'
import { query } from '../resolver/resolver.ts'

/** Maximum filters in one count. */
export const MAX_COUNTED_FILTERS = 20

/** Counts the notifications of a feed by each filter, without what lists leave out. Batched: one statement for all. */
export const notificationCountsByFilter = query({
  name: 'notification.countByFilter',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf.extend({ filters: z.array(feedFilter).min(1).max(MAX_COUNTED_FILTERS) }),
  owner: (feed) => feed,
  async run(scope, { filters, ...feed }) {
    await assertFeed(scope, feed.subscriberId)
    return scope.load(countsByFilters, { feed, filters: filters.map((filter) => ({ ...shownOnly, ...filter })) })
  },
})
