// Adds up the outcomes of events, and tells webhook subscriptions which events have ended by that.
import type { Connection } from '../../data/connection/database.ts'
import { completeEvents, foldOutcomes } from '../../data/event-outcome.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'

/** Adds a portion of changes. @returns their number. */
export async function addOutcomes(
  { webhooks, now }: Pick<Gateway, 'webhooks' | 'now'>,
  db: Connection,
  limit: number,
): Promise<number> {
  const wanting = await webhooks.environmentsOf('event.completed', db)
  if (wanting.length === 0) return (await foldOutcomes(db, limit)).count
  return db.$transaction(async (inner) => {
    const { count, events } = await foldOutcomes(inner, limit, wanting)
    for (const [environmentId, ids] of Object.entries(events)) {
      await completeEvents({ db: inner, environmentId }, ids, now())
    }
    return count
  })
}
