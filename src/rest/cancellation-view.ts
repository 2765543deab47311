// The result of a cancellation of events, of one workflow or of all that match a filter.
import { z } from 'zod'
import { type CancelledAll, MAX_COUNTED_RUNS } from '../engine/cancel-all.ts'

export const cancellationView = z
  .object({
    eventCount: z.number().int().meta({
      description: 'Number of events that are now cancelled. In a dry run, the number of events that match.',
    }),
    runCount: z.number().int().meta({
      description: 'Number of runs that are now cancelled. In a dry run, the number of runs that would be.',
    }),
    remainingEventCount: z.number().int().meta({ description: 'Number of matching events that are not over yet.' }),
    remainingRunCount: z
      .number()
      .int()
      .meta({
        description: `Number of matching runs that are not over yet, counted up to ${MAX_COUNTED_RUNS}.`,
      }),
    hasMore: z.boolean().meta({ description: 'True if the call reached its limit and more remains: repeat it.' }),
  })
  .meta({ id: 'Cancellation', description: 'Result of a cancellation of events that are not over.' })

export const showCancellation = ({
  runs,
  events,
  remaining,
  hasMore,
}: CancelledAll): z.input<typeof cancellationView> => ({
  eventCount: events,
  runCount: runs,
  remainingEventCount: remaining.events,
  remainingRunCount: remaining.runs,
  hasMore,
})
