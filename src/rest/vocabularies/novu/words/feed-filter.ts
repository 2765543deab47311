// Filters of a feed in the client's words: query parameters, and JSON.
import { z } from 'zod'
import { Severity } from '../../../../data/prisma/enums.ts'
import { MAX_TAG_GROUPS, type feedFilter } from '../../../../domain/notification-filter.ts'
import { MAX_TAGS } from '../../../../domain/channel/workflow-fields.ts'
import { MAX_TIME } from '../../../../lib/cursor.ts'
import type { Path } from '../../../../lib/errors.ts'
import { present } from '../../../../lib/present.ts'
import { dataText } from '../../../routes/notification-view.ts'
import { flag } from '../../../views.ts'

const severity = z.enum(Severity)

const asNumber = (given: unknown) => (typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given)
const milliseconds = z.preprocess(asNumber, z.int().min(0).max(MAX_TIME))

const list = z.array(z.string()).max(MAX_TAGS)
const group = z.strictObject({ or: list.min(1) })

/** Tags: any of a list, or any of each group. The client sends an empty object for what it cannot send. */
export const tagsInWords = z
  .union([list, z.strictObject({ or: list }), z.strictObject({ and: z.array(group).max(MAX_TAG_GROUPS) })], {
    error: 'must be a list of tags, { or: [tags] } or { and: [{ or: [tags] }] }',
  })
  .meta({ description: 'Filter by tag: any of a list, or at least one of each group.' })
type Tags = z.output<typeof tagsInWords>

/** Tags in a query: `tags[]=a` is one of a list, and `tags[0][]=a` one of a group. */
const tagsInQuery = z
  .array(z.union([z.string(), z.array(z.string())]))
  .transform((given): Tags => {
    const flat = given.filter((one) => typeof one === 'string')
    const groups = given.filter((one) => typeof one !== 'string').map((or) => ({ or }))
    if (groups.length === 0) return flat
    return { and: flat.length === 0 ? groups : [{ or: flat }, ...groups] }
  })
  .pipe(tagsInWords)

const common = {
  read: flag.optional().meta({ description: 'True matches read notifications, false unread notifications.' }),
  seen: flag.optional().meta({ description: 'True matches seen notifications, false unseen notifications.' }),
  archived: flag.optional().meta({ description: 'True matches archived notifications. Default: false.' }),
  snoozed: flag.optional().meta({ description: 'True matches snoozed notifications. Default: false.' }),
  data: dataText.optional(),
  createdGte: milliseconds.optional().meta({ description: 'Created at this time or later, in ms since 1970.' }),
  createdLte: milliseconds.optional().meta({ description: 'Created at this time or earlier, in ms since 1970.' }),
}

/** A filter as query parameters. */
export const filterQuery = z.object({
  ...common,
  severity: z.array(severity).optional().meta({ description: 'Any of the severities.' }),
  tags: tagsInQuery.optional().meta({ description: 'Filter by tag: any of a list, or at least one of each group.' }),
})

/** A filter in JSON. A field that does not exist is an error: the client could not tell that it was ignored. */
export const filterInWords = z.strictObject({
  ...common,
  severity: z.union([severity, z.array(severity)]).optional(),
  tags: tagsInWords.optional(),
})

function groupsOf(tags: Tags | undefined): string[][] | undefined {
  if (tags === undefined) return undefined
  const groups = Array.isArray(tags) ? [tags] : 'or' in tags ? [tags.or] : tags.and.map(({ or }) => or)
  const given = groups.filter(({ length }) => length > 0)
  return given.length > 0 ? given : undefined
}

/** Returns a filter in our words. An empty list of tags or severities matches everything. */
export function filterFrom({
  severity,
  tags,
  createdGte,
  createdLte,
  ...given
}: z.output<typeof filterInWords>): z.input<typeof feedFilter> {
  const severities = severity === undefined || typeof severity !== 'string' ? severity : [severity]
  return present({
    ...given,
    severity: severities?.length === 0 ? undefined : severities,
    tagGroups: groupsOf(tags),
    createdGte: createdGte === undefined ? undefined : new Date(createdGte),
    createdLte: createdLte === undefined ? undefined : new Date(createdLte),
  })
}

/** Returns a path in a filter, which may begin with `filters` and a number, in the client's words. */
export const filterPath = (path: Path): Path => path.map((part) => (part === 'tagGroups' ? 'tags' : part))
