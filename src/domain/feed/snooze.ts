// Snoozing: a notification leaves its feed for some time, and returns as a new one.
import { z } from 'zod'
import { snoozeRow, unsnoozeRow } from '../../data/feed/snooze.ts'
import { refuse } from '../../lib/errors.ts'
import { feedRate, ownNotification, type Notification, requireOwn } from '../notification.ts'
import { wantedAmong } from '../outbox/webhook-message.ts'
import { mutation } from '../resolver/resolver.ts'

/** Maximum days for which a notification can be snoozed. */
export const MAX_SNOOZE_DAYS = 90

const DAY = 86_400_000

/** Snoozes one notification. A notification that is snoozed already gets the new time. */
export const snoozeNotification = mutation({
  name: 'notification.snooze',
  permission: 'notification:write',
  rate: feedRate,
  input: ownNotification.extend({ until: z.date() }),
  owner: 'caller',
  async run(scope, { until, ...named }): Promise<Notification> {
    const now = scope.now()
    if (until <= now || until.getTime() > now.getTime() + MAX_SNOOZE_DAYS * DAY) {
      const message = `until must be in the future, at most ${MAX_SNOOZE_DAYS} days ahead`
      throw refuse('INVALID', message, 'until', until.toISOString())
    }
    const found = await requireOwn(scope, named)
    const webhooks = await wantedAmong(scope, ['message.snoozed'])
    await snoozeRow(scope, found, { id: named.id, until, now, webhooks })
    return requireOwn(scope, named)
  },
})

/** Ends the snooze of one notification, which returns at once. Without effect if it is not snoozed. */
export const unsnoozeNotification = mutation({
  name: 'notification.unsnooze',
  permission: 'notification:write',
  rate: feedRate,
  input: ownNotification,
  owner: 'caller',
  async run(scope, named): Promise<Notification> {
    const found = await requireOwn(scope, named)
    const webhooks = await wantedAmong(scope, ['message.unsnoozed'])
    await unsnoozeRow(scope, found, { id: named.id, now: scope.now(), webhooks })
    return requireOwn(scope, named)
  },
})
