// Fan-out: creates one run per recipient of an event and executes it, one page of recipients at a time.
import { holdEvents } from '../data/event.ts'
import { advanceJobs, type Job, type JobTiming } from '../data/job.ts'
import type { Event } from '../data/prisma/client.ts'
import { type ActiveRun, createRuns, type RunState } from '../data/run.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { loadTriggeredWorkflow, type TriggeredWorkflow } from '../domain/triggered-workflow.ts'
import { combined } from '../evaluation/combined.ts'
import { jobBudget } from '../evaluation/evaluator.ts'
import { groupBy } from '../lib/group-by.ts'
import { completeFanOut, failEvent } from './event-outcome.ts'
import { executePermitted, likelyState, startState } from './execution.ts'
import { PendingChanges } from './pending-changes.ts'
import { newRun, readRecipientPage, type RecipientPage } from './recipient-page.ts'
import { openRunContext } from './run-context.ts'
import type { RunExecution } from './step.ts'
import { type Permit, permitRuns, recordEvaluation } from './suspension.ts'

/** The largest number of recipients in a page. Each page is one transaction. */
export const LARGEST_PAGE = 500

/** The smallest page of an event that is fanned out together with others. */
const SMALLEST_SHARE = 10

/** An event that is fanned out, with its job and the page of its recipients. */
interface Open {
  readonly event: Event
  readonly workflow: TriggeredWorkflow
  readonly job: Job<'fan_out'>
  readonly permit: Permit
  readonly page: RecipientPage
  /** The state in which the runs are created. */
  readonly state: Omit<RunState, 'error'>
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
  const share = Math.max(SMALLEST_SHARE, Math.floor(take / jobs.length))
  const opened = await Promise.all(jobs.map((job) => openPage(scope, job, events.get(job.data.eventId), share)))
  const open = opened.filter((one) => one !== undefined)
  const created = await createRuns(
    scope,
    open.flatMap(({ event, page, state }) => page.recipients.map((one) => newRun(scope, event, one, state))),
    scope.now(),
  )
  const byEvent = groupBy(created, ({ eventId }) => eventId)
  const evaluation = combined(scope.evaluator.begin(jobBudget))
  const changes = new PendingChanges(scope)
  await Promise.all(
    [...groupBy(open, ({ event }) => event.snapshotHash).values()].map(async (events) => {
      // A stop counts once for the workflow, however many of its events are fanned out here.
      const shared = { scope, evaluation: { ...evaluation, stops: [] }, changes }
      await Promise.all(events.map((one) => fanOutPage(shared, one, byEvent.get(one.event.id) ?? [])))
      const executed = events.filter(({ job, event }) => !isRetried(job) && byEvent.has(event.id))
      const decisive = executed.find(({ permit }) => permit.kind === 'trial') ?? executed[0]
      if (decisive) await recordEvaluation(scope, decisive.workflow, decisive.permit, shared.evaluation)
    }),
  )
  await changes.write()
  return created.length
}

const isRetried = ({ attemptCount }: Job<'fan_out'>) => attemptCount > 1

/** @returns undefined if there is nothing to do, because the event does not exist, was cancelled or must not be executed. */
async function openPage(
  scope: EnvironmentScope,
  job: Job<'fan_out'>,
  event: Event | undefined,
  take: number,
): Promise<Open | undefined> {
  if (event === undefined || event.cancelledAt !== null) return undefined
  const workflow = await loadTriggeredWorkflow(scope, event)
  // Runs that are only created are permitted when they are executed.
  const permit: Permit = isRetried(job) ? { kind: 'all' } : await permitRuns(scope, workflow)
  if (permit.kind === 'none') {
    await failEvent(scope, event.id, 'workflow_suspended', permit.error)
    return undefined
  }
  const page = await readRecipientPage(scope, event, job.data.place, take)
  return { event, workflow, job, permit, page, state: isRetried(job) ? startState : likelyState(workflow) }
}

/** The transaction that fans out events, and what those of one workflow share. */
type FanOut = Pick<RunExecution, 'scope' | 'evaluation' | 'changes'>

async function fanOutPage(
  { scope, evaluation, changes }: FanOut,
  { event, job, permit, page: { next } }: Open,
  runs: readonly ActiveRun[],
): Promise<void> {
  const { dueAt, digestWorkflowId } = job
  // The first step is due when the event was accepted. The jobs themselves take their turn behind those that wait.
  const timing: JobTiming = { dueAt, digestWorkflowId }
  if (isRetried(job)) {
    const runIds = runs.map(({ id }) => id)
    changes.add({ jobs: advanceJobs(runIds, timing) })
  } else if (runs.length > 0) {
    const runContext = await openRunContext(scope, event)
    const execution = { scope, runContext, evaluation, changes, dueAt }
    await executePermitted(execution, new Map(runs.map((run) => [run, 0])), permit, digestWorkflowId)
  }
  if (next !== null) {
    changes.add({ jobs: [{ ...timing, queue: 'fan_out', data: { eventId: event.id, place: next } }] })
  } else if (runs.length > 0) changes.add({ fannedOut: [event.id] })
  else await completeFanOut(scope, event)
}
