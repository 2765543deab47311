// Pages and counts of a feed in the client's words.
import { z } from 'zod'
import type { Notification } from '../../../../domain/notification.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { refuse } from '../../../../lib/errors.ts'
import { MAX_PAGE_SIZE, MAX_SKIP, type Page } from '../../../../lib/page.ts'
import { parse } from '../../../../lib/validation.ts'
import { ownData } from '../../../views.ts'
import { filterFrom, filterInWords, filterQuery } from './feed-filter.ts'
import { itemView, showItem } from './item.ts'

/** The default of `limit`. */
const PAGE_SIZE = 10

/** Query parameters of a page of a feed: its place, and the filter. */
export const feedPageQuery = filterQuery.extend({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(PAGE_SIZE).meta({ description: 'Page size.' }),
  after: z.string().optional().meta({ description: '`id` of the last notification of the page before.' }),
  offset: z.coerce.number().int().min(0).max(MAX_SKIP).default(0).meta({ description: 'Notifications to skip.' }),
})
type FeedPageQuery = z.output<typeof feedPageQuery>

/** Returns the arguments of `notification.list`, without the feed. */
export function feedPageOf({ limit, after, offset, ...filter }: FeedPageQuery) {
  return { page: { first: limit, skip: offset }, afterId: after, filter: filterFrom(filter) }
}

export const feedPageView = z.object({
  data: z.array(itemView),
  hasMore: z.boolean().meta({ description: 'True if the feed has notifications after the page.' }),
  filter: ownData.meta({ description: 'The filter of the request.' }),
})

/** Shows a page of a feed, with the filter of its request. */
export async function showFeedPage(
  { rows, hasNext }: Page<Notification>,
  scope: DoorScope,
  { limit: _limit, after: _after, offset: _offset, ...filter }: FeedPageQuery,
): Promise<z.input<typeof feedPageView>> {
  return { data: await Promise.all(rows.map((row) => showItem(row, scope))), hasMore: hasNext, filter }
}

/** Filters of counts, each with the contexts of its feed, if the client sends them. */
const filterOfCount = filterInWords.extend({ contextKeys: z.array(z.string()).optional() })
const countedFilters = z.object({ filters: z.array(filterOfCount) })

/** Filters of counts as a query parameter. */
export const countQuery = z.object({
  filters: z
    .string()
    .meta({ description: 'A JSON list of filters. All have the same `contextKeys`, if they have any.' }),
})

/** @throws Refusal `MALFORMED` */
function filtersIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('MALFORMED', 'filters must be a JSON list of filters', 'filters', text)
  }
}

/** Returns the filters of a count, and the contexts of their feed. @throws Refusal `MALFORMED`, `INVALID` */
export function countsOf({ filters: text }: z.output<typeof countQuery>) {
  const { filters } = parse(countedFilters, { filters: filtersIn(text) })
  const feeds = new Set(filters.map(({ contextKeys }) => contextKeys?.toSorted().join() ?? ''))
  if (feeds.size > 1) throw refuse('INVALID', 'filters must have the same contextKeys', 'filters')
  return {
    contextKeys: filters[0]?.contextKeys,
    filters: filters.map(({ contextKeys: _contexts, ...filter }) => filterFrom(filter)),
  }
}

/** A count, and the filter exactly as the client sent it: the client finds a count by its filter. */
export const countView = z.array(z.object({ count: z.int(), filter: ownData }))

const sentFilters = z.array(ownData)

export function showCounts(
  counts: readonly number[],
  { filters }: z.output<typeof countQuery>,
): z.input<typeof countView> {
  const sent = sentFilters.parse(filtersIn(filters))
  return counts.map((count, place) => ({ count, filter: sent[place] ?? {} }))
}
