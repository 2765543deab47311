// Cancels an event: the runs that still wait end, and the digests they opened are released.
import { z } from 'zod'
import { advanceJobs, enqueue } from '../data/queue/job.ts'
import { cancelRuns } from '../data/run-end.ts'
import { releaseDigested } from '../data/step-run.ts'
import { referenceOf } from '../domain/resolver/reference.ts'
import { mutation } from '../domain/resolver/resolver.ts'
import { eventReference } from '../domain/trigger/event.ts'

/**
 * Cancels the runs and deliveries of an event that have not ended. @returns false if the event does not exist or was
 * already cancelled.
 */
export const cancelEvent = mutation({
  name: 'event.cancel',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object(eventReference),
  async run(scope, { transactionId, id }): Promise<boolean> {
    const { db, environmentId, now } = scope
    const cancelledAt = now()
    const [cancelled] = await db.event.updateManyAndReturn({
      where: { environmentId, ...referenceOf({ transactionId }, { id }), cancelledAt: null },
      data: { cancelledAt, updatedAt: cancelledAt },
    })
    if (cancelled === undefined) return false
    await cancelRuns(scope, cancelled.id, cancelledAt)
    // Triggers of other events that were merged into the event's digests continue.
    const released = await releaseDigested(scope, cancelled.id, cancelledAt)
    await enqueue(
      scope,
      [...released.values()].flatMap((runIds) => advanceJobs(runIds)),
    )
    return true
  },
})
