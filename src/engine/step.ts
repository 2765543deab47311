// Executes one step of a workflow for many runs of an event at once, and persists what was decided.
import { insertDeliveries, type NewDelivery } from '../data/delivery.ts'
import { insertNotifications, type NotificationRow } from '../data/notification.ts'
import { advanceJobs, enqueue } from '../data/job.ts'
import type { StepStatus } from '../data/prisma/enums.ts'
import { type HeldRun } from '../data/run.ts'
import {
  type DigestedEvents,
  digestedEvents,
  insertStepRuns,
  type StepOutcome,
  stepOutcomes,
  type StepRunRow,
} from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { type Subscriber, subscribersBySubscriberId } from '../data/subscriber.ts'
import { digestAhead } from '../domain/triggered-workflow.ts'
import {
  asksForSteps,
  durationOf,
  isChannelStep,
  type Step,
  type StepOf,
  stepsReferredTo,
} from '../domain/workflow-step.ts'
import type { JsonObject } from '../lib/validation.ts'
import { decideChannelSteps, type Decided, type Decision, decideSteps, type WorkflowEvaluation } from './decision.ts'
import { joinDigests } from './digest.ts'
import { isNamed, type RunContext, variablesFor } from './run-context.ts'

/** A step, the event that executes it, and the transaction that it is executed in. */
export interface StepContext<Executed extends Step = Step> {
  readonly scope: EnvironmentScope
  readonly runContext: RunContext
  readonly evaluation: WorkflowEvaluation
  readonly step: Executed
  /** The step's index in the workflow. */
  readonly position: number
  /** When the step was due: its waits count from then, not from when a worker arrived. */
  readonly dueAt: Date
}

/**
 * What a run does after a step: continue with the next one, wait at this one, or end. `later`: the step was not executed,
 * because the time for evaluation did not suffice.
 */
export type Outcome = 'next' | 'wait' | 'end' | 'later'

/** A run with what the step needs to know about it. */
interface RunState {
  readonly run: HeldRun
  readonly subscriber: Subscriber
  readonly variables: JsonObject
  /** The outcomes of the earlier steps. Empty if the step does not refer to them. */
  readonly earlier: readonly StepOutcome[]
}

interface DecidedRun {
  readonly run: HeldRun
  readonly decision: Decision
}

/** @throws Error if the subscriber is missing, which the lock on it rules out. */
export async function subscriberOfRun(scope: EnvironmentScope, { subscriberId }: HeldRun): Promise<Subscriber> {
  const found = await scope.load(subscribersBySubscriberId, subscriberId)
  if (found === null) throw new Error(`the run's subscriber "${subscriberId}" does not exist`)
  return found
}

/** The database row of a step in one run. */
export function stepRunRow(
  { scope, step, position }: StepContext,
  run: HeldRun,
  result: Pick<StepRunRow, 'status'> & Partial<StepRunRow>,
): StepRunRow {
  return {
    id: scope.newId(),
    runId: run.id,
    position,
    stepId: step.stepId,
    type: step.type,
    reason: null,
    detail: null,
    dueAt: null,
    digestKey: null,
    mergedIntoId: null,
    ...result,
  }
}

/** Loads what the step can refer to. Earlier steps and digests are read only if it does. */
async function loadStates(
  { scope, runContext, step, position }: StepContext,
  runs: readonly HeldRun[],
): Promise<RunState[]> {
  const ids = runs.map(({ id }) => id)
  const afterDigest = runContext.workflow.steps.slice(0, position).some(({ type }) => type === 'digest')
  const outcomes = asksForSteps(step) ? await stepOutcomes(scope, ids) : new Map<string, readonly StepOutcome[]>()
  const digests = afterDigest ? await digestedEvents(scope, ids) : new Map<string, DigestedEvents>()
  return Promise.all(
    runs.map(async (run) => {
      const subscriber = await subscriberOfRun(scope, run)
      const earlier = outcomes.get(run.id) ?? []
      const variables = variablesFor(runContext, subscriber, earlier, digests.get(run.id))
      return { run, subscriber, variables, earlier }
    }),
  )
}

/** Executes a step for runs that have reached it. @returns the outcome of each run, by the run's id. */
export async function executeStep(
  context: StepContext,
  runs: readonly HeldRun[],
): Promise<ReadonlyMap<string, Outcome>> {
  const { step } = context
  const referred = new Set(step.active ? stepsReferredTo(step.condition) : [])
  const outcomes = new Map<string, Outcome>()
  const decided: DecidedRun[] = []
  const open: RunState[] = []
  /** Notes the decision for a run. */
  const settle = (run: HeldRun, decision: Decided) => {
    if (decision === 'later') outcomes.set(run.id, 'later')
    else decided.push({ run, decision })
  }
  const states = await loadStates(context, runs)
  // The condition refers to a step whose messages are still being sent: its outcome is not known yet.
  const isWaiting = ({ earlier }: RunState) =>
    earlier.some(({ stepId, status }) => referred.has(stepId) && status === 'sending')
  for (const { run } of states.filter(isWaiting)) outcomes.set(run.id, 'wait')
  const ready = states.filter((state) => !isWaiting(state))
  const decisions = await decideSteps(context.evaluation, step, ready)
  for (const [index, state] of ready.entries()) {
    const decision = decisions[index]
    if (decision) settle(state.run, decision)
    else open.push(state)
  }

  if (step.type === 'delay') {
    await startDelay({ ...context, step }, open)
    for (const { run } of open) outcomes.set(run.id, 'wait')
  } else if (step.type === 'digest') {
    const opened = await startDigests({ ...context, step }, open)
    for (const { run } of open) outcomes.set(run.id, opened.has(run.id) ? 'wait' : 'end')
  } else {
    const contents = await decideChannelSteps({ ...context, step }, open)
    for (const [index, { run }] of open.entries()) settle(run, contents[index] ?? 'later')
  }
  await persistDecisions(context, decided)
  for (const { run } of decided) outcomes.set(run.id, 'next')
  return outcomes
}

async function startDelay(context: StepContext<StepOf<'delay'>>, states: readonly RunState[]): Promise<void> {
  const { scope, runContext, step, position } = context
  const dueAt = new Date(context.dueAt.getTime() + durationOf(step))
  const rows = states.map(({ run }) => stepRunRow(context, run, { status: 'waiting', dueAt }))
  await insertStepRuns(scope, rows, scope.now())
  const runIds = states.map(({ run }) => run.id)
  const digestWorkflowId = digestAhead(runContext.workflow, position + 1)
  await enqueue(scope, advanceJobs(runIds, { position, dueAt, availableAt: dueAt, digestWorkflowId }))
}

/** @returns the ids of the runs that opened a digest and wait in it. The others were merged into an open digest. */
async function startDigests(
  context: StepContext<StepOf<'digest'>>,
  states: readonly RunState[],
): Promise<ReadonlySet<string>> {
  const { scope, runContext, step, position } = context
  const { workflow } = runContext
  const dueAt = new Date(context.dueAt.getTime() + durationOf(step))
  const joining = states.map(({ run }) => ({
    subscriberRowId: run.subscriberRowId,
    row: stepRunRow(context, run, { status: 'waiting', dueAt }),
  }))
  const opened = await joinDigests(scope, runContext, step, joining)
  await enqueue(
    scope,
    advanceJobs([...opened], {
      position,
      dueAt,
      availableAt: dueAt,
      closesDigestOf: workflow.id,
      digestWorkflowId: digestAhead(workflow, position + 1),
    }),
  )
  return opened
}

const statusOf = {
  skip: 'skipped',
  fail: 'failed',
  notify: 'sent',
  send: 'sending',
} as const satisfies Record<Decision['kind'], StepStatus>

/** Writes the decisions: step runs, feed entries, and deliveries with the jobs that send them. */
async function persistDecisions(context: StepContext, decided: readonly DecidedRun[]): Promise<void> {
  const { scope, runContext, step } = context
  const { event, workflow, recipients } = runContext
  const steps: StepRunRow[] = []
  const notifications: NotificationRow[] = []
  const deliveries: NewDelivery[] = []
  for (const { run, decision } of decided) {
    const cause = 'reason' in decision ? { reason: decision.reason, detail: decision.detail } : {}
    const row = stepRunRow(context, run, { status: statusOf[decision.kind], ...cause })
    steps.push(row)
    if (decision.kind === 'notify') {
      notifications.push({
        ...decision.content,
        id: scope.newId(),
        subscriberId: run.subscriberId,
        contextKeys: event.contextKeys,
        eventId: event.id,
        stepRunId: row.id,
        workflowIdentifier: workflow.identifier,
        severity: workflow.severity,
        tags: workflow.tags,
      })
    }
    if (decision.kind === 'send' && isChannelStep(step)) {
      const { content, destinations } = decision
      deliveries.push(
        ...destinations.map((destination) => ({
          ...destination,
          id: scope.newId(),
          stepRunId: row.id,
          channel: step.type,
          subscriberId: run.subscriberId,
          throughTopic: !isNamed(recipients, run),
          content,
        })),
      )
    }
  }
  const now = scope.now()
  await insertStepRuns(scope, steps, now)
  await insertNotifications(scope, notifications, now)
  const topicKeys = recipients.topics.map(({ topicKey }) => topicKey)
  await insertDeliveries(scope, deliveries, { topicKeys, contextKeys: event.contextKeys }, now)
  await enqueue(
    scope,
    deliveries.map(({ id }) => ({ queue: 'deliver', data: { deliveryId: id } })),
  )
}
