// Mutations that complete the actions of notifications.
import {
  type ActionName,
  completeNotificationAction,
  revertNotificationAction,
} from '../../domain/feed/notification-action.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { mutationField } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { nodeIdOf } from '../schema/wording.ts'
import { Notification } from '../trigger/notification.ts'

const NotificationActionName = builder.enumType('NotificationActionName', {
  description: 'A button of a notification.',
  values: {
    PRIMARY: { value: 'primary', description: 'The first button.' },
    SECONDARY: { value: 'secondary', description: 'The second button.' },
  } as const satisfies Record<Uppercase<ActionName>, { value: ActionName; description: string }>,
})

const oneAction = (t: InputFields) => ({
  id: t.id({ required: true, description: nodeIdOf('notification') }),
  action: t.field({
    type: NotificationActionName,
    required: true,
    description: 'The button. The notification must have it.',
  }),
})

mutationField('completeNotificationAction', {
  description: 'Completes the action of a button. Repeating it keeps the original time.',
  input: oneAction,
  resolver: completeNotificationAction,
  decode: ({ id, action }) => ({ id: rowIdOf(Notification, id, 'id'), action }),
  payload: { notification: Notification },
})

mutationField('revertNotificationAction', {
  description: 'Reopens the completed action of a button. Has no effect if it is open.',
  input: oneAction,
  resolver: revertNotificationAction,
  decode: ({ id, action }) => ({ id: rowIdOf(Notification, id, 'id'), action }),
  payload: { notification: Notification },
})
