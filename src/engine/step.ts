// Executes one step of a workflow for many runs of an event at once. The decisions are written later, with other
// changes.
import type { NewDelivery } from '../data/delivery.ts'
import { advanceJobs, deliverJob } from '../data/queue/job.ts'
import type { NotificationRow } from '../data/feed/notification.ts'
import type { StepStatus } from '../data/prisma/enums.ts'
import type { ActiveRun } from '../data/run.ts'
import {
  type DigestedEvents,
  digestedEvents,
  type StepOutcome,
  stepOutcomes,
  type StepRunRow,
} from '../data/step-run.ts'
import type { Subscriber } from '../data/subscriber.ts'
import type { AttachedFile } from '../domain/channel/attachment-file.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { asObject } from '../domain/channel/stored-json.ts'
import { messageIdsOf } from '../domain/execution/message-id.ts'
import { severityOf } from '../domain/trigger/overrides.ts'
import { attachedFiles } from '../domain/trigger/event-files.ts'
import { sealContent } from '../domain/trigger/secret-payload.ts'
import { digestAhead } from '../domain/trigger/triggered-workflow.ts'
import {
  asksForMessageIds,
  asksForReceipts,
  asksForSteps,
  durationOf,
  isChannelStep,
  type Step,
  type StepOf,
  stepsReferredTo,
} from '../domain/workflow-step.ts'
import { ownTurn } from '../lib/own-turn.ts'
import { inSpan } from '../lib/span.ts'
import type { JsonObject } from '../lib/validation.ts'
import type { Decided, Decision } from './decision/decided.ts'
import { decideChannelSteps, decideSteps, statedReasonOf, type WorkflowEvaluation } from './decision/decision.ts'
import { MANY_DESTINATIONS } from './decision/destination.ts'
import { joinDigests } from './digest.ts'
import { deadlineJobs, limitsOf } from './expiry.ts'
import type { MessageRoom, PendingChanges } from './pending-changes.ts'
import { type RetriedRuns, stepRunRow } from './retried-run.ts'
import { isNamed, type RunContext, variablesFor } from './decision/run-context.ts'

/** The context in which runs of one event are executed, in one transaction. */
export interface RunExecution {
  readonly scope: EnvironmentScope
  readonly runContext: RunContext
  readonly evaluation: WorkflowEvaluation
  readonly changes: PendingChanges
  /** Shared by all runs of the transaction. Default: no limit. */
  readonly room?: MessageRoom | undefined
  /** The ids of subscribers whose topic subscriptions are known to admit the workflow. Default: none. */
  readonly admitted?: ReadonlySet<string>
  /** Default: none. */
  readonly retried?: RetriedRuns
  /**
   * When the next step of the runs is due. Waits that begin in that step count from this time, not from when a worker
   * takes the job.
   */
  readonly dueAt: Date
}

/** A step, and the execution that has reached it. */
export interface StepContext<Executed extends Step = Step> extends RunExecution {
  readonly step: Executed
  /** The step's index in the workflow. */
  readonly position: number
}

/**
 * What a run does after a step: continue with the next one, wait at this one, or end. `later` if the step was not
 * executed because the evaluation budget or the room for messages was exceeded.
 */
export type Outcome = 'next' | 'wait' | 'end' | 'later'

/** A run with the data that the step needs. */
interface Reached {
  readonly run: ActiveRun
  readonly subscriber: Subscriber
  readonly variables: JsonObject
  /** The attachments of the run's events, oldest first. Empty if the step sends none. */
  readonly files: readonly AttachedFile[]
  /** The outcomes of earlier steps. Empty if the step does not refer to them. */
  readonly earlier: readonly StepOutcome[]
}

interface DecidedRun {
  readonly run: ActiveRun
  readonly decision: Decision
}

/** Loads the rows that the step may refer to. Reads earlier steps and digests only if the step uses them. */
async function loadReached(
  { scope, runContext, changes, step, position }: StepContext,
  runs: readonly ActiveRun[],
): Promise<Reached[]> {
  const ids = runs.map(({ id }) => id)
  const afterDigest = runContext.workflow.steps.slice(0, position).some(({ type }) => type === 'digest')
  if (asksForSteps(step) || afterDigest) await changes.write()
  const outcomes = asksForSteps(step)
    ? await stepOutcomes(scope, ids, asksForReceipts(step))
    : new Map<string, readonly StepOutcome[]>()
  const digests = afterDigest ? await digestedEvents(scope, ids) : new Map<string, DigestedEvents>()
  const filesOf = await attachedFiles(scope, runContext.event, step, digests)
  const messageIds = asksForSteps(step) && asksForMessageIds(step) ? await messageIdsOf(scope, ids) : undefined
  return runs.map((run) => {
    const earlier = outcomes.get(run.id) ?? []
    const { subscriber, id } = run
    const variables = variablesFor(runContext, subscriber, earlier, digests.get(id), messageIds?.get(id))
    return { run, subscriber, variables, earlier, files: filesOf(id) }
  })
}

/** Executes a step for runs that have reached it. @returns the outcome of each run, by run id. */
export function executeStep(context: StepContext, runs: readonly ActiveRun[]): Promise<ReadonlyMap<string, Outcome>> {
  const { step, runContext } = context
  const attributes = { 'step.id': step.stepId, 'step.type': step.type, runs: runs.length }
  return inSpan(
    () => ({ name: 'step', parent: runContext.event.traceparent, attributes }),
    () => executeFor(context, runs),
  )
}

async function executeFor(context: StepContext, runs: readonly ActiveRun[]): Promise<ReadonlyMap<string, Outcome>> {
  const { step } = context
  const referred = new Set(step.active ? stepsReferredTo(step.condition) : [])
  const outcomes = new Map<string, Outcome>()
  const decided: DecidedRun[] = []
  const open: Reached[] = []
  /** Records the decision on a run's step. */
  const settle = (run: ActiveRun, decision: Decided) => {
    if (decision === 'later') outcomes.set(run.id, 'later')
    else decided.push({ run, decision })
  }
  const reached = await loadReached(context, runs)
  // The condition refers to a step whose messages are still being sent, so its outcome is not known yet.
  const isWaiting = ({ earlier }: Reached) =>
    earlier.some(({ stepId, status }) => referred.has(stepId) && status === 'sending')
  for (const { run } of reached.filter(isWaiting)) outcomes.set(run.id, 'wait')
  const ready = reached.filter((one) => !isWaiting(one))
  const decisions = await decideSteps(context, step, ready, limitsOf(context).hasExpired)
  for (const [index, one] of ready.entries()) {
    const decision = decisions[index]
    if (decision) settle(one.run, decision)
    else open.push(one)
  }

  if (step.type === 'delay') {
    startDelay({ ...context, step }, open)
    for (const { run } of open) outcomes.set(run.id, 'wait')
  } else if (step.type === 'digest') {
    const opened = await startDigests({ ...context, step }, open)
    for (const { run } of open) outcomes.set(run.id, opened.has(run.id) ? 'wait' : 'end')
  } else {
    const contents = await decideChannelSteps({ ...context, step }, open)
    for (const [index, { run }] of open.entries()) settle(run, withinRoom(context.room, contents[index] ?? 'later'))
  }
  await addDecisions(context, decided)
  for (const { run } of decided) outcomes.set(run.id, 'next')
  return outcomes
}

/** Puts off messages that the transaction has no room for. */
function withinRoom(room: MessageRoom | undefined, decision: Decided): Decided {
  if (room === undefined || decision === 'later' || decision.kind !== 'send') return decision
  if (room.left <= 0) return 'later'
  room.left -= decision.destinations.length
  return decision
}

function startDelay(context: StepContext<StepOf<'delay'>>, reached: readonly Reached[]): void {
  const { runContext, changes, step, position } = context
  const { priority } = runContext
  const dueAt = new Date(context.dueAt.getTime() + durationOf(step))
  const runIds = reached.map(({ run }) => run.id)
  const digestWorkflowId = digestAhead(runContext.workflow, position + 1)
  changes.add({
    steps: reached.map(({ run }) => stepRunRow(context, run, { status: 'waiting', dueAt })),
    jobs: advanceJobs(runIds, { position, dueAt, availableAt: dueAt, digestWorkflowId, priority }),
  })
}

/** @returns the ids of the runs that opened a digest and wait in it. The others were merged into an open digest. */
async function startDigests(
  context: StepContext<StepOf<'digest'>>,
  reached: readonly Reached[],
): Promise<ReadonlySet<string>> {
  const { scope, runContext, changes, step, position } = context
  const { workflow } = runContext
  const dueAt = new Date(context.dueAt.getTime() + durationOf(step))
  const joining = reached.map(({ run, subscriber }) => ({
    subscriberRowId: subscriber.id,
    row: stepRunRow(context, run, { status: 'waiting', dueAt }),
  }))
  // Digests are inserted immediately, because other transactions may hold the same ones. Their runs have to exist by
  // then.
  await changes.write()
  const opened = await joinDigests(scope, runContext, step, joining)
  const jobs = advanceJobs([...opened], {
    position,
    dueAt,
    availableAt: dueAt,
    closesDigestOf: workflow.id,
    digestWorkflowId: digestAhead(workflow, position + 1),
    priority: runContext.priority,
  })
  changes.add({ jobs })
  return opened
}

const statusOf = {
  skip: 'skipped',
  fail: 'failed',
  notify: 'sent',
  send: 'sending',
} as const satisfies Record<Decision['kind'], StepStatus>

/** Adds the decisions to the changes: step runs, feed entries, and deliveries with their jobs. */
async function addDecisions(context: StepContext, decided: readonly DecidedRun[]): Promise<void> {
  const { scope, runContext, changes, step, position, dueAt } = context
  const { event, workflow, recipients, priority } = runContext
  const { contextKeys } = event
  const topicKeys = recipients.topics.map(({ topicKey }) => topicKey)
  const steps: StepRunRow[] = []
  const notifications: NotificationRow[] = []
  const deliveries: NewDelivery[] = []
  const { limits } = limitsOf(context)
  for (const { run, decision } of decided) {
    const row = stepRunRow(context, run, { status: statusOf[decision.kind], ...statedReasonOf(decision, runContext) })
    steps.push(row)
    if (decision.kind === 'notify') {
      notifications.push({
        id: scope.newId(),
        subscriberId: run.subscriber.subscriberId,
        contextKeys,
        eventId: event.id,
        stepRunId: row.id,
        workflowIdentifier: workflow.identifier,
        severity: severityOf(asObject(event.overrides), workflow.severity),
        tags: workflow.tags,
        // Last: V8 makes a slow object if fields are added to a spread one.
        ...decision.content,
      })
    }
    if (decision.kind === 'send' && isChannelStep(step)) {
      const { content, secretContent: secret, destinations } = decision
      const sealed = secret && { secretContent: sealContent(scope, secret) }
      const subscribed = isNamed(recipients, run.subscriber) ? [] : topicKeys
      if (destinations.length > MANY_DESTINATIONS) await ownTurn()
      deliveries.push(
        ...destinations.map((destination) => ({
          id: scope.newId(),
          stepRunId: row.id,
          eventId: event.id,
          workflowIdentifier: workflow.identifier,
          channel: step.type,
          subscriberId: run.subscriber.subscriberId,
          topicKeys: subscribed,
          contextKeys,
          content,
          ...sealed,
          ...destination,
          ...limits,
        })),
      )
    }
  }
  const sending = decided.filter(({ decision }) => decision.kind === 'send')
  const jobs = [
    ...deliveries.map((delivery) => deliverJob(delivery, { priority })),
    ...deadlineJobs(
      sending.map(({ run: { id } }) => ({ runId: id, position, ...limits })),
      priority,
    ),
  ]
  changes.add({ steps, notifications, deliveries, jobs })
  const { length } = notifications
  if (length === 0) return
  scope.afterCommit(() =>
    scope.metrics.messagesSent('in_app', (scope.now().getTime() - dueAt.getTime()) / 1000, length),
  )
}
