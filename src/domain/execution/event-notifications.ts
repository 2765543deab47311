// Deleting the notifications of one event from all feeds.
import { z } from 'zod'
import { deleteOfEvent } from '../../data/feed/event-notifications.ts'
import { refuse } from '../../lib/errors.ts'
import { feedRate } from '../notification.ts'
import { unwrappedMutation } from '../resolver/resolver.ts'
import { event, eventReference } from '../trigger/event.ts'

/** Notifications that one statement deletes. */
const PORTION = 1000

/**
 * Deletes the notifications of an event from all feeds, in portions, each in one statement. The execution log keeps what
 * was sent.
 *
 * @throws Refusal `NOT_FOUND` if there is no such event.
 */
export const deleteNotificationsOfEvent = unwrappedMutation({
  name: 'notification.deleteOfEvent',
  permission: 'notification:write',
  rate: feedRate,
  input: z.object(eventReference),
  owner: null,
  async run(scope, named): Promise<{ readonly deleted: number }> {
    const found = await event.act(scope, named)
    if (found === null) {
      const [field, value] = named.id ? ['id', named.id] : ['transactionId', named.transactionId]
      throw refuse('NOT_FOUND', `Event "${String(value)}" not found`, field, value)
    }
    let deleted = 0
    for (let portion = PORTION; portion === PORTION;) {
      portion = await scope.atomic((inner) => deleteOfEvent(inner, found.id, scope.now(), PORTION))
      deleted += portion
    }
    return { deleted }
  },
})
