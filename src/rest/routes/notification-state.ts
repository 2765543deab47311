// Routes that change the state of one notification besides its marks.
import { z } from 'zod'
import { MAX_SNOOZE_DAYS, snoozeNotification, unsnoozeNotification } from '../../domain/feed/snooze.ts'
import {
  type ActionName,
  completeNotificationAction,
  revertNotificationAction,
} from '../../domain/feed/notification-action.ts'
import { route, type Route } from '../route.ts'
import { timestamp } from '../views.ts'
import { byNotificationId, notificationView, showNotification } from './notification-view.ts'

const path = '/v2/subscribers/{subscriberId}/notifications/{id}'

const actionChanges = {
  complete: { resolver: completeNotificationAction, summary: 'Complete' },
  revert: { resolver: revertNotificationAction, summary: 'Reopen' },
} as const

function changeAction(action: ActionName, verb: keyof typeof actionChanges): Route {
  const { resolver, summary } = actionChanges[verb]
  return route({
    method: 'patch',
    path: `${path}/actions/${action}/${verb}`,
    operationId: `${resolver.definition.name}.${action}`,
    summary: `${summary} the ${action} action of a notification`,
    params: byNotificationId,
    resolver,
    input: ({ params }) => ({ ...params, action }),
    statuses: [200],
    response: notificationView,
    view: showNotification,
  })
}

export const notificationStateRoutes = [
  route({
    method: 'patch',
    path: `${path}/snooze`,
    summary: 'Snooze a notification: it leaves its feed, and returns unread at the given time',
    example: { snoozeUntil: '2027-03-01T09:00:00.000Z' },
    params: byNotificationId,
    body: z.object({
      snoozeUntil: timestamp.meta({ description: `In the future, at most ${MAX_SNOOZE_DAYS} days ahead.` }),
    }),
    resolver: snoozeNotification,
    input: ({ params, body: { snoozeUntil } }) => ({ ...params, until: new Date(snoozeUntil) }),
    nameOf: (path) => (path[0] === 'until' ? ['snoozeUntil'] : path),
    statuses: [200],
    response: notificationView,
    view: showNotification,
  }),
  route({
    method: 'patch',
    path: `${path}/unsnooze`,
    summary: 'End the snooze of a notification, which returns to its feed at once',
    params: byNotificationId,
    resolver: unsnoozeNotification,
    statuses: [200],
    response: notificationView,
    view: showNotification,
  }),
  changeAction('primary', 'complete'),
  changeAction('secondary', 'complete'),
  changeAction('primary', 'revert'),
  changeAction('secondary', 'revert'),
]
