// The outcome of an event: whether anything arrived at its recipients, and why not. Not its status, which is the progress
// of the engine.
import { z } from 'zod'
import { type OutcomeCount, outcomeCounts } from '../../data/event-outcome.ts'
import type { Event } from '../../data/prisma/client.ts'
import type { RunOutcome } from '../../data/prisma/enums.ts'
import { query } from '../resolver/resolver.ts'
import { failureReasons, reasonOf } from './event-status.ts'

export type { OutcomeCount }

export const eventOutcomeCodes = ['pending', 'delivered', 'partly', 'failed', 'nothing'] as const
export type EventOutcome = (typeof eventOutcomeCodes)[number]

/** The number of recipients of an event, by the outcome of their runs. */
export interface RecipientCounts extends Readonly<Record<RunOutcome, number>> {
  /** Recipients that have a run. */
  readonly total: number
  /** Adds up to the total. The largest groups are first. */
  readonly groups: readonly OutcomeCount[]
}

function recipientCountsOf(groups: readonly OutcomeCount[]): RecipientCounts {
  const numberOf = (outcome: RunOutcome) =>
    groups.filter((group) => group.outcome === outcome).reduce((sum, { count }) => sum + count, 0)
  return {
    total: groups.reduce((sum, { count }) => sum + count, 0),
    pending: numberOf('pending'),
    delivered: numberOf('delivered'),
    failed: numberOf('failed'),
    nothing: numberOf('nothing'),
    groups,
  }
}

type Ended = Pick<Event, 'cancelledAt' | 'reason' | 'fannedOutAt'>

/** Returns the outcome of an event with these counts. `data/event-outcome-branches.ts` finds events by the same rules. */
export function outcomeOf(event: Ended, counts: Pick<RecipientCounts, RunOutcome>): EventOutcome {
  const { pending, delivered, failed, nothing } = counts
  const reason = reasonOf(event)
  const isFannedOut = event.fannedOutAt !== null
  if (pending > 0 || (!isFannedOut && event.cancelledAt === null && reason === null)) return 'pending'
  if (delivered > 0) return failed + nothing === 0 && isFannedOut ? 'delivered' : 'partly'
  return failed > 0 || failureReasons.some((code) => code === reason) ? 'failed' : 'nothing'
}

/** Reads the number of recipients of an event, by outcome and reason. Batched. */
export const recipientCounts = query({
  name: 'event.getRecipientCounts',
  permission: 'event:read',
  input: z.object({ eventId: z.uuid() }),
  run: async ({ load }, { eventId }) => recipientCountsOf(await load(outcomeCounts, eventId)),
})
