// Fan-out: creates one run per recipient of an event and executes it, one page of recipients at a time.
import { holdEvents } from '../data/event.ts'
import { advanceJobs, type Job, type JobTiming } from '../data/job.ts'
import type { Event } from '../data/prisma/client.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { combined } from '../evaluation/combined.ts'
import { type Evaluation, jobBudget } from '../evaluation/evaluator.ts'
import { completeFanOut, failEvent } from './event-outcome.ts'
import { executePermitted } from './execution.ts'
import { PendingChanges } from './pending-changes.ts'
import { readRecipientPages, type RecipientPage } from './recipient-page.ts'
import { openRunContext } from './run-context.ts'
import { permitRuns } from './suspension.ts'

/** The largest number of recipients in a page. Each page is one transaction. */
export const LARGEST_PAGE = 500

/** The smallest page of an event that is fanned out together with others. */
const SMALLEST_SHARE = 10

/** The transaction that fans out events, and what they share. */
interface FanOut {
  readonly scope: EnvironmentScope
  readonly evaluation: Evaluation
  readonly changes: PendingChanges
}

/**
 * Executes fan-out jobs of different events: creates a page of runs for each, executes them until they wait or end, and
 * enqueues the next pages. The events go through the same steps at the same time, so that what they read is batched.
 *
 * A job that failed before only creates its runs: each is executed by a job of its own, so that a run that cannot be
 * executed does not fail the others.
 *
 * @param take the number of recipients, of all events.
 * @returns the number of new runs.
 */
export async function fanOut(scope: EnvironmentScope, jobs: readonly Job<'fan_out'>[], take: number): Promise<number> {
  const events = await holdEvents(
    scope,
    jobs.map(({ data }) => data.eventId),
  )
  const open = jobs.flatMap((job) => {
    const event = events.get(job.data.eventId)
    return event === undefined || event.cancelledAt !== null ? [] : [{ job, event, place: job.data.place }]
  })
  const pages = await readRecipientPages(scope, open, Math.max(SMALLEST_SHARE, Math.floor(take / jobs.length)))
  const evaluation = combined(scope.evaluator.begin(jobBudget))
  const shared = { scope, evaluation, changes: new PendingChanges(scope) }
  const counts = await Promise.all(
    open.map(({ job, event }, index) =>
      fanOutPage(shared, job, event, pages[index] ?? { subscribers: [], next: null }),
    ),
  )
  await shared.changes.write()
  return counts.reduce((sum, count) => sum + count, 0)
}

/** @returns the number of new runs. */
async function fanOutPage(
  { scope, evaluation, changes }: FanOut,
  { attemptCount, dueAt, digestWorkflowId }: Job<'fan_out'>,
  event: Event,
  { subscribers, next }: RecipientPage,
): Promise<number> {
  // The first step is due when the event was accepted. The jobs themselves take their turn behind those that wait.
  const timing: JobTiming = { dueAt, digestWorkflowId }
  if (subscribers.length > 0) {
    const runContext = await openRunContext(scope, event)
    const permit = await permitRuns(scope, runContext.workflow)
    if (permit.kind === 'none') {
      await failEvent(scope, event.id, 'workflow_suspended', permit.error)
      return 0
    }
    const runs = subscribers.map((subscriber) => changes.create(event.id, subscriber))
    if (attemptCount > 1) {
      const runIds = runs.map(({ id }) => id)
      changes.add({ jobs: advanceJobs(runIds, timing) })
    } else {
      const execution = { scope, runContext, evaluation: { ...evaluation, stops: [] }, changes, dueAt }
      await executePermitted(execution, new Map(runs.map((run) => [run, 0])), permit, digestWorkflowId)
    }
  }
  if (next !== null) {
    changes.add({ jobs: [{ ...timing, queue: 'fan_out', data: { eventId: event.id, place: next } }] })
  } else if (subscribers.length > 0) changes.add({ fannedOut: [event.id] })
  else await completeFanOut(scope, event)
  return subscribers.length
}
