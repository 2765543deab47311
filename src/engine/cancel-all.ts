// Cancels all events that match a filter and are not over, in portions.
import { z } from 'zod'
import {
  type CancellationFilter,
  countOpen,
  findOpenRuns,
  findUnfinishedEvents,
  markCancelled,
  type OpenCounts,
} from '../data/cancellation.ts'
import { holdEvents } from '../data/event.ts'
import { type OpenRun, stillOpen } from '../data/open-run.ts'
import { advanceJobs, enqueue } from '../data/queue/job.ts'
import { cancelRunsById, type Cause, eventCancelled } from '../data/run-end.ts'
import { releaseDigestedByRuns } from '../data/step-run.ts'
import { contextKeysFilter } from '../domain/context.ts'
import { audit } from '../domain/resolver/audit.ts'
import { assertCondition } from '../domain/resolver/deletion.ts'
import { unwrappedMutation } from '../domain/resolver/resolver.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import type { StepReason } from '../domain/trigger/step-reason.ts'
import { createdConditions } from '../lib/page.ts'
import { severalOf, valuesOf } from '../lib/several.ts'
import { filterOf, text } from '../lib/validation.ts'

/** Runs or events to write in one transaction. */
export const PORTION = 500
/** Maximum runs that one call cancels. */
export const MAX_CANCELLED = 10_000
/** Maximum runs that a dry run counts. */
export const MAX_COUNTED_RUNS = 100_000

const runCancelled = {
  error: 'The run was cancelled.',
  reason: 'cancelled',
  detail: 'The run was cancelled.',
} as const satisfies Cause & { readonly reason: StepReason }

export interface CancelledAll {
  /** The number of runs that were cancelled, or that a call would cancel. */
  readonly runs: number
  /** The number of events that were cancelled, or whose runs a call would cancel. */
  readonly events: number
  /** What still matches and is not over, counted up to `MAX_COUNTED_RUNS` runs. In a dry run, all that matches. */
  readonly remaining: OpenCounts
  /** True if the call reached its limit and something remains. */
  readonly hasMore: boolean
}

/** Cancels events whose runs are still being created. Waits for a page of recipients in progress. */
const cancelUnfinished = (scope: Scope, ids: readonly string[]): Promise<number> =>
  scope.transaction(async (inner) => {
    await holdEvents(inner, ids)
    return markCancelled(inner, ids, inner.now())
  })

/** The numbers of runs and events that were cancelled. */
type Cancelled = Pick<CancelledAll, 'runs' | 'events'>

/**
 * Cancels runs with their unsent messages, in the caller's transaction, except for those that are over now. Triggers of
 * other events that were merged into their digests continue.
 *
 * @param whole true to cancel their events too.
 */
export async function cancelPortion(inner: Scope, runs: readonly OpenRun[], whole: boolean): Promise<Cancelled> {
  const now = inner.now()
  const eventIds = [...new Set(runs.map(({ eventId }) => eventId))]
  // Also without their cancellation, no run of the events is created or continues meanwhile.
  await holdEvents(inner, eventIds)
  const events = whole ? await markCancelled(inner, eventIds, now) : 0
  const ids = await stillOpen(
    inner,
    runs.map(({ id }) => id),
  )
  if (ids.length === 0) return { runs: 0, events }
  await cancelRunsById(inner, ids, whole ? eventCancelled : runCancelled, now)
  const released = await releaseDigestedByRuns(inner, ids, now)
  await enqueue(
    inner,
    [...released.values()].flatMap((runIds) => advanceJobs(runIds)),
  )
  return { runs: ids.length, events }
}

/** Cancels what matches, in portions, until nothing is left or a limit is reached. */
async function cancelMatching(scope: Scope, filter: CancellationFilter): Promise<CancelledAll> {
  const whole = filter.subscriberId === undefined
  let runs = 0
  let events = 0
  for (let portion = 0; portion < MAX_CANCELLED / PORTION; portion += 1) {
    // First, because the others would get more runs otherwise.
    const unfinished = await findUnfinishedEvents(scope, filter, PORTION)
    if (unfinished.length > 0) events += await cancelUnfinished(scope, unfinished)
    const open = await findOpenRuns(scope, filter, PORTION)
    if (open.length > 0) {
      const cancelled = await scope.transaction((inner) => cancelPortion(inner, open, whole))
      runs += cancelled.runs
      events += cancelled.events
    }
    if (unfinished.length < PORTION && open.length === 0) {
      return { runs, events, remaining: { runs: 0, events: 0 }, hasMore: false }
    }
  }
  const remaining = await countOpen(scope, filter, MAX_COUNTED_RUNS)
  return { runs, events, remaining, hasMore: remaining.runs + remaining.events > 0 }
}

/**
 * Cancels what matches and was triggered until now, at most `MAX_CANCELLED` runs, and writes a line of the audit log.
 *
 * @param given the filter of the caller, for the log.
 */
export async function cancelOpen(scope: Scope, filter: CancellationFilter, given: object): Promise<CancelledAll> {
  const cancelled = await cancelMatching(scope, filter)
  const { runs, events } = cancelled
  if (runs + events > 0) {
    audit(scope, 'events cancelled', { environmentId: scope.environmentId, filter: given, runs, events })
  }
  return cancelled
}

/** The end of a filter for what was triggered until now: later triggers are not affected, even if a call takes long. */
export const untilNow = ({ now }: Pick<Scope, 'now'>) => new Date(now().getTime() + 1)

/**
 * Cancels events that match a filter and are not over, oldest first and at most `MAX_CANCELLED` runs: their runs end, and
 * messages that are not sent yet are cancelled. With subscribers, only their runs end. Later triggers
 * are not affected. A call that is interrupted, or that reaches its limit, is continued by the same call.
 */
export const cancelEvents = unwrappedMutation({
  name: 'event.cancelAll',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({
    filter: filterOf({
      workflowIdentifier: text(255),
      workflowIdentifiers: severalOf(text(255)),
      subscriberId: text(255),
      subscriberIds: severalOf(text(255)),
      topicKey: text(255),
      topicKeys: severalOf(text(255)),
      contextKeys: contextKeysFilter,
      ...createdConditions,
    }),
    dryRun: z.boolean().nullish(),
  }),
  async run(scope, { filter: given, dryRun }): Promise<CancelledAll> {
    assertCondition(given)
    const filter = {
      topicKey: valuesOf(given.topicKey, given.topicKeys),
      contextKeys: given.contextKeys,
      createdAfter: given.createdAfter,
      createdBefore: given.createdBefore ?? untilNow(scope),
      workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
      subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
    }
    if (dryRun !== true) return cancelOpen(scope, filter, given)
    const open = await countOpen(scope, filter, MAX_COUNTED_RUNS)
    return { ...open, remaining: open, hasMore: false }
  },
})
