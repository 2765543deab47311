// Completing the actions of a notification: what its buttons ask for is done.
import { z } from 'zod'
import { type ActionName, actionPositions, completeAction, revertAction } from '../../data/feed/notification-action.ts'
import { refuse } from '../../lib/errors.ts'
import { actionsOf, feedRate, type Notification, ownNotification, requireOwn } from '../notification.ts'
import { wantedAmong } from '../outbox/webhook-message.ts'
import { mutation } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'

export type { ActionName }

const oneAction = ownNotification.extend({ action: z.enum(['primary', 'secondary']) })

/** Returns the notification. @throws Refusal `NOT_FOUND`, or `INVALID` if it does not have the action. */
async function requireAction(scope: Scope, { action, ...named }: z.output<typeof oneAction>): Promise<Notification> {
  const found = await requireOwn(scope, named)
  const { length } = actionsOf(found)
  if (actionPositions[action] < length) return found
  const has = length === 0 ? 'no action' : 'only a primary action'
  throw refuse('INVALID', `action must be one that the notification has: it has ${has}`, 'action', action)
}

/** Completes an action. Repeating it keeps the original time. */
export const completeNotificationAction = mutation({
  name: 'notification.completeAction',
  permission: 'notification:write',
  rate: feedRate,
  input: oneAction,
  owner: 'caller',
  async run(scope, named): Promise<Notification> {
    const { id, action } = named
    const found = await requireAction(scope, named)
    const webhooks = await wantedAmong(scope, ['message.action_completed'])
    await completeAction(scope, found, { id, action, now: scope.now(), webhooks })
    return requireOwn(scope, named)
  },
})

/** Makes a completed action open again. Without effect if it is open. */
export const revertNotificationAction = mutation({
  name: 'notification.revertAction',
  permission: 'notification:write',
  rate: feedRate,
  input: oneAction,
  owner: 'caller',
  async run(scope, named): Promise<Notification> {
    const { id, action } = named
    const found = await requireAction(scope, named)
    await revertAction(scope, found, { id, action, now: scope.now() })
    return requireOwn(scope, named)
  },
})
