// Fan-out: creates one run per recipient of an event and executes it, one page of recipients at a time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { holdEvents } from '../data/event.ts'
import { advanceJobs, type Job, type JobTiming } from '../data/queue/job.ts'
import type { Event } from '../data/prisma/client.ts'
import { type ActiveRun, createRuns, type NewRun, type RunState } from '../data/run.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { loadTriggeredWorkflow, type TriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import { combined } from '../evaluation/combined.ts'
import { jobBudget } from '../evaluation/evaluator.ts'
import { groupBy } from '../lib/group-by.ts'
import { inSpan } from '../lib/span.ts'
import type { WorkflowEvaluation } from './decision/decision.ts'
import { completeFanOut, failEvent } from './fan-out-end.ts'
import { executePermitted, likelyState, startState } from './execution.ts'
import { messageRoom, type MessageRoom, PendingChanges } from './pending-changes.ts'
import { newRun, readRecipientPage, type RecipientPage } from './recipient-page.ts'
import { openRunContext } from './decision/run-context.ts'
import type { RunExecution } from './step.ts'
import { type Permit, permitRuns, recordEvaluation } from './suspension.ts'

/** The maximum number of recipients in a page. Each page is one transaction. */
export const LARGEST_PAGE = 500

/** The minimum page of an event that is fanned out together with others. */
const SMALLEST_SHARE = 10

/** Recipients that are decided on and written together. */
const PART = 125

/** Maximum parts of a transaction in progress. PostgreSQL writes one while this process decides on the next. */
const PARTS_AT_ONCE = 2

/** An event in fan-out, with its job and the current page of recipients. */
interface Open {
  readonly event: Event
  readonly workflow: TriggeredWorkflow
  readonly job: Job<'fan_out'>
  readonly permit: Permit
  readonly page: RecipientPage
  /** The state in which the runs are created. */
  readonly state: Omit<RunState, 'error'>
  /** Shared by the events of one workflow. */
  readonly evaluation: WorkflowEvaluation
}

/**
 * Executes fan-out jobs of different events: creates a page of runs for each, executes the runs until they wait or end,
 * and enqueues the next pages. The events pass through the same steps at the same time, so that their reads are
 * batched.
 *
 * A job that failed before only creates its runs. Each run is then executed by a job of its own, so that one run's
 * failure does not affect the others.
 *
 * @param take the maximum number of recipients, of all events together.
 * @returns the number of new runs.
 */
export async function fanOut(scope: EnvironmentScope, jobs: readonly Job<'fan_out'>[], take: number): Promise<number> {
  const { events, anySuspended } = await holdEvents(
    scope,
    jobs.map(({ data }) => data.eventId),
  )
  const share = Math.max(SMALLEST_SHARE, Math.floor(take / jobs.length))
  const evaluationOf = evaluations(scope)
  const opened = await Promise.all(
    jobs.map((job) => openPage(scope, job, events.get(job.data.eventId), { take: share, evaluationOf, anySuspended })),
  )
  const open = opened.filter((one) => one !== undefined)
  const changes = new PendingChanges(scope)
  const created = await createAndExecute(scope, changes, open, messageRoom(take))
  const byEvent = groupBy(created, ({ eventId }) => eventId)
  for (const one of open) await endPage(scope, changes, one, byEvent.get(one.event.id) ?? [])
  for (const events of groupBy(open, ({ evaluation }) => evaluation).values()) {
    const executed = events.filter(({ job, event }) => !isRetried(job) && byEvent.has(event.id))
    const decisive = executed.find(({ permit }) => permit.kind === 'trial') ?? executed[0]
    if (decisive) await recordEvaluation(scope, decisive.workflow, decisive.permit, decisive.evaluation)
  }
  await changes.write()
  return created.length
}

const isRetried = ({ attemptCount }: Job<'fan_out'>) => attemptCount > 1

/**
 * Returns the evaluation of a workflow. A stop counts once per workflow, however many of its events are fanned out
 * here.
 */
function evaluations({ evaluator }: EnvironmentScope): (snapshotHash: string) => WorkflowEvaluation {
  const evaluation = combined(evaluator.begin(jobBudget))
  const byHash = new Map<string, WorkflowEvaluation>()
  return (snapshotHash) => {
    const own = byHash.get(snapshotHash) ?? { ...evaluation, stops: [] }
    byHash.set(snapshotHash, own)
    return own
  }
}

interface Opening {
  /** The number of recipients. */
  readonly take: number
  readonly evaluationOf: (snapshotHash: string) => WorkflowEvaluation
  /** False if no workflow of the environment is suspended. */
  readonly anySuspended: boolean
}

/** @returns undefined if there is nothing to do, because the event does not exist, was cancelled or must not be executed. */
async function openPage(
  scope: EnvironmentScope,
  job: Job<'fan_out'>,
  event: Event | undefined,
  { take, evaluationOf, anySuspended }: Opening,
): Promise<Open | undefined> {
  if (event === undefined || event.cancelledAt !== null) return undefined
  const workflow = await loadTriggeredWorkflow(scope, event)
  // For runs that are only created, permission is checked when they are executed.
  const permit: Permit = isRetried(job) || !anySuspended ? { kind: 'all' } : await permitRuns(scope, workflow)
  if (permit.kind === 'none') {
    await failEvent(scope, event.id, 'workflow_suspended', permit.error)
    return undefined
  }
  const page = await readRecipientPage(scope, event, job.data.place, take)
  const state = isRetried(job) ? startState : likelyState(workflow)
  return { event, workflow, job, permit, page, state, evaluation: evaluationOf(event.snapshotHash) }
}

/**
 * Creates the runs of the pages and executes them, in parts. The decisions of the last part are added to `changes` but
 * not written.
 *
 * @returns the new runs.
 */
async function createAndExecute(
  scope: EnvironmentScope,
  changes: PendingChanges,
  open: readonly Open[],
  room: MessageRoom,
): Promise<readonly ActiveRun[]> {
  const runs = open.flatMap(({ event, page, state }) => page.recipients.map((one) => newRun(scope, event, one, state)))
  const parts = partsOf(open, runs)
  const rest = parts.entries()
  const created: ActiveRun[] = []
  const now = scope.now()
  async function work(): Promise<void> {
    for (const [index, part] of rest) {
      const isLast = index === parts.length - 1
      const own = isLast ? changes : new PendingChanges(scope)
      const newRuns = await createRuns(scope, part, now)
      created.push(...newRuns)
      await executeNew({ scope, changes: own, room }, open, newRuns)
      if (!isLast) await own.write()
    }
  }
  // One at a time, because Prisma returns the results of all statements sent in one turn of the event loop together.
  const workLater = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    await work()
  }
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, (_, index) => workLater(index)))
  return created
}

/** A single part if only one run is tried, or if runs join digests, which are locked in the order of their keys. */
function partsOf(open: readonly Open[], runs: readonly NewRun[]): readonly (readonly NewRun[])[] {
  const isWhole = open.some(({ permit, job }) => permit.kind === 'trial' || job.digestWorkflowId !== null)
  const size = isWhole ? runs.length : PART
  return Array.from({ length: Math.ceil(runs.length / size) }, (_, index) =>
    runs.slice(index * size, (index + 1) * size),
  )
}

/** Executes new runs. Runs of jobs that failed before are left to other jobs. */
async function executeNew(
  { scope, changes, room }: Pick<RunExecution, 'scope' | 'changes' | 'room'>,
  open: readonly Open[],
  runs: readonly ActiveRun[],
): Promise<void> {
  const byEvent = groupBy(runs, ({ eventId }) => eventId)
  await Promise.all(
    open.map(async ({ event, job, permit, evaluation, page: { admitted } }) => {
      const own = byEvent.get(event.id)
      if (own === undefined || isRetried(job)) return
      const span = () => ({
        name: 'fan_out',
        parent: event.traceparent,
        attributes: { 'event.id': event.id, workflow: event.workflowIdentifier, runs: own.length },
      })
      await inSpan(span, async () => {
        const runContext = await openRunContext(scope, event)
        const execution = { scope, runContext, evaluation, changes, room, admitted, dueAt: job.dueAt }
        await executePermitted(execution, new Map(own.map((run) => [run, 0])), permit, job.digestWorkflowId)
      })
    }),
  )
}

/** Adds the job of the next page, or ends the fan-out. */
async function endPage(
  scope: EnvironmentScope,
  changes: PendingChanges,
  { event, job, page: { next } }: Open,
  runs: readonly ActiveRun[],
): Promise<void> {
  const { dueAt, digestWorkflowId, priority } = job
  // The first step is due at the time when the event was accepted. The jobs themselves queue behind earlier ones.
  const timing: JobTiming = { dueAt, digestWorkflowId, priority }
  if (isRetried(job)) {
    const runIds = runs.map(({ id }) => id)
    changes.add({ jobs: advanceJobs(runIds, timing) })
  }
  if (next !== null) {
    changes.add({ jobs: [{ ...timing, queue: 'fan_out', data: { eventId: event.id, place: next } }] })
  } else if (runs.length > 0) changes.add({ fannedOut: [event.id] })
  else await completeFanOut(scope, event)
}
