// The online state of a subscriber, as the application sets it.
import { z } from 'zod'
import { writeOnlineState } from '../../data/online/online-lease.ts'
import { referenceOf } from '../resolver/reference.ts'
import { atomicMutation } from '../resolver/resolver.ts'
import { subscriberReference } from '../subscriber-id.ts'
import { subscriberNotFound } from '../subscriber.ts'

/**
 * Makes a subscriber online or offline. Connections do so too, and the last change counts: the end of the last connection
 * makes the subscriber offline, and an open connection makes it online again with its next renewal.
 */
export const setSubscriberOnline = atomicMutation({
  name: 'subscriber.setOnline',
  permission: 'subscriber:write',
  input: z.object({ ...subscriberReference, isOnline: z.boolean() }),
  async run(scope, { subscriberId, id, isOnline }) {
    const named = referenceOf({ subscriberId }, { id })
    const written = await writeOnlineState(scope, named, { isOnline, now: scope.now() })
    if (written === undefined) throw subscriberNotFound(named)
    return written
  },
})
