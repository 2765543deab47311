// The filter of notifications in a feed.
import { MAX_FILTER_DATA, MAX_TAG_GROUPS } from '../../domain/notification-filter.ts'
import { builder } from '../schema/builder.ts'
import { Severity } from '../workflow.ts'

export const NotificationFilter = builder.inputType('NotificationFilter', {
  description: 'Filters a list of notifications. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    seen: t.boolean({ description: 'True matches seen notifications, false unseen notifications.' }),
    read: t.boolean({ description: 'True matches read notifications, false unread notifications.' }),
    archived: t.boolean({ description: 'True matches archived notifications, false all others.' }),
    snoozed: t.boolean({ description: 'True matches snoozed notifications, false all others.' }),
    severity: t.field({
      type: [Severity],
      description: 'At least one severity. The notification must have one of the severities.',
    }),
    tags: t.stringList({ description: '1 to 50 tags. The notification must have at least one of the tags.' }),
    tagGroups: t.field({
      type: t.listRef(t.listRef('String')),
      description: `1 to ${MAX_TAG_GROUPS} groups of 1 to 50 tags. The notification must have at least one tag of each group.`,
    }),
    data: t.field({
      type: 'JSONObject',
      description: `Fields that the data of the notification must have with equal values: strings, numbers, booleans and null, at most ${MAX_FILTER_DATA / 1024} KiB of JSON.`,
    }),
    createdGte: t.field({
      type: 'DateTime',
      description: 'The earliest time of creation. Notifications created at this time match.',
    }),
    createdLte: t.field({
      type: 'DateTime',
      description: 'The latest time of creation. Notifications created at this time match.',
    }),
  }),
})
