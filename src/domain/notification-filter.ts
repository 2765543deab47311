// The filter of notifications in a feed.
import { z } from 'zod'
import type { NotificationFilter } from '../data/feed/feed-filter.ts'
import { Severity } from '../data/prisma/enums.ts'
import { filterOf, jsonObject, trimmedText } from '../lib/validation.ts'
import { MAX_TAGS } from './channel/workflow-fields.ts'

const tags = z.array(trimmedText(64)).min(1).max(MAX_TAGS)

/** Maximum groups of tags in a filter. */
export const MAX_TAG_GROUPS = 20

/** Maximum bytes of the data in a filter. */
export const MAX_FILTER_DATA = 4 * 1024

const isScalar = (value: unknown) => typeof value !== 'object' || value === null

const scalars = jsonObject({ maxBytes: MAX_FILTER_DATA }).refine(
  (data) => isScalar(data) || Object.values(data).every(isScalar),
  'must only have texts, numbers, booleans and null as values',
)

/** A filter of notifications. A list matches notifications that have any of its items. */
export const notificationFilter = z.object({
  seen: z.boolean().nullish(),
  read: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  snoozed: z.boolean().nullish(),
  severity: z.array(z.enum(Severity)).min(1).nullish(),
  tags: tags.nullish(),
  tagGroups: z.array(tags).min(1).max(MAX_TAG_GROUPS).nullish(),
  data: scalars.nullish(),
  createdGte: z.date().nullish(),
  createdLte: z.date().nullish(),
})

export const feedFilter = filterOf(notificationFilter.shape satisfies Record<keyof NotificationFilter, z.ZodType>)

/** What lists and counts leave out, unless the filter asks for it. */
export const shownOnly = { archived: false, snoozed: false }
