// Mutations that snooze notifications.
import { MAX_SNOOZE_DAYS, snoozeNotification, unsnoozeNotification } from '../../domain/feed/snooze.ts'
import { mutationField } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { nodeIdOf } from '../schema/wording.ts'
import { Notification } from '../trigger/notification.ts'

mutationField('snoozeNotification', {
  description:
    'Snoozes a notification and takes it out of the archive. Lists and counts omit it until it returns. At `until`, it returns unread to the top of its feed, and streams receive it as a new notification. Snoozing it again replaces the time.',
  input: (t) => ({
    id: t.id({ required: true, description: nodeIdOf('notification') }),
    until: t.field({
      type: 'DateTime',
      required: true,
      description: `The time the notification returns, in the future, at most ${MAX_SNOOZE_DAYS} days ahead.`,
    }),
  }),
  resolver: snoozeNotification,
  decode: ({ id, until }) => ({ id: rowIdOf(Notification, id, 'id'), until }),
  payload: { notification: Notification },
})

mutationField('unsnoozeNotification', {
  description: 'Ends the snooze of a notification, which returns at once. Has no effect if it is not snoozed.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('notification') }) }),
  resolver: unsnoozeNotification,
  decode: ({ id }) => ({ id: rowIdOf(Notification, id, 'id') }),
  payload: { notification: Notification },
})
