// Counts of a feed by several filters.
import type { ArgBuilder } from '@pothos/core'
import { MAX_COUNTED_FILTERS, notificationCountsByFilter } from '../../domain/feed/filter-count.ts'
import { builder, type SchemaTypes } from '../schema/builder.ts'
import { edge } from '../schema/query.ts'
import { Session } from '../session.ts'
import { Subscriber } from '../subscriber.ts'
import { feedContexts } from '../trigger/notification.ts'
import { MAX_COUNT } from '../../lib/page.ts'
import { NotificationFilter } from '../trigger/notification-filter.ts'

const filters = (arg: ArgBuilder<SchemaTypes>) =>
  arg({
    type: [NotificationFilter],
    required: true,
    description: `1 to ${MAX_COUNTED_FILTERS} filters. A filter without \`archived\` omits archived notifications, and one without \`snoozed\` omits snoozed ones.`,
  })

const counts = `in the order of the filters. Each stops at ${MAX_COUNT}.`

builder.objectField(Subscriber, 'notificationCountsByFilter', (t) =>
  edge(t, {
    description: `The number of notifications of a feed that match each filter, ${counts}`,
    type: ['Int'],
    args: (arg) => ({ contextKeys: arg.stringList({ description: feedContexts }), filters: filters(arg) }),
    resolver: notificationCountsByFilter,
    decode: ({ subscriberId }, { contextKeys, filters }) => ({ subscriberId, contextKeys, filters }),
  }),
)

builder.objectField(Session, 'notificationCountsByFilter', (t) =>
  edge(t, {
    description: `The number of notifications of the session's feed that match each filter, ${counts}`,
    type: ['Int'],
    args: (arg) => ({ filters: filters(arg) }),
    resolver: notificationCountsByFilter,
    decode: ({ subscriberId, contextKeys }, { filters }) => ({
      subscriberId,
      contextKeys: [...contextKeys],
      filters,
    }),
  }),
)
