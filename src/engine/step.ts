// Steps as they are taken: what becomes of one of them in many runs of an event at once, and what follows from it.
import { insertDeliveries, type NewDelivery } from '../data/delivery.ts'
import { insertNotifications, type NotificationRow } from '../data/notification.ts'
import type { Subscriber } from '../data/prisma/client.ts'
import type { StepStatus } from '../data/prisma/enums.ts'
import { advanceJobs, enqueue } from '../data/queue.ts'
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
import { subscribersBySubscriberId } from '../domain/subscriber.ts'
import { asksForSteps, durationOf, isChannelStep, type Step, stepsReferredTo } from '../domain/workflow-step.ts'
import type { JsonObject } from '../lib/validation.ts'
import { decideChannelStep, decideStep, type Decision } from './decision.ts'
import { joinDigests } from './digest.ts'
import { type RunContext, variablesFor } from './run-context.ts'

/** What a run goes on to: the next step, a wait at this one, or its end. */
type Onward = 'next' | 'wait' | 'end'

/** A run on its way. */
interface Going {
  readonly run: HeldRun
  readonly subscriber: Subscriber
  readonly facts: JsonObject
}

/** A run holds its subscriber: one cannot be without the other. */
export async function subscriberOfRun(scope: EnvironmentScope, { subscriberId }: HeldRun): Promise<Subscriber> {
  const found = await scope.load(subscribersBySubscriberId, subscriberId)
  if (found === null) throw new Error(`subscriber ${subscriberId} of a run is gone`)
  return found
}

/** What came of a step in a run, as it is written down. */
export function stepRun(
  { newId }: EnvironmentScope,
  run: HeldRun,
  { stepId, type }: Step,
  position: number,
  came: Pick<StepRunRow, 'status'> & Partial<StepRunRow>,
): StepRunRow {
  return {
    id: newId(),
    runId: run.id,
    position,
    stepId,
    type,
    reason: null,
    detail: null,
    dueAt: null,
    digestKey: null,
    mergedIntoId: null,
    ...came,
  }
}

/** What runs see at a step: of earlier steps and digests only where the step can ask for them. */
async function arrive(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: Step,
  position: number,
  runs: readonly HeldRun[],
): Promise<(Going & { readonly outcomes: readonly StepOutcome[] })[]> {
  const ids = runs.map(({ id }) => id)
  const asksSteps = asksForSteps(step)
  const asksDigest = runContext.workflow.steps.slice(0, position).some(({ type }) => type === 'digest')
  const outcomes = asksSteps ? await stepOutcomes(scope, ids) : new Map<string, readonly StepOutcome[]>()
  const digests = asksDigest ? await digestedEvents(scope, ids) : new Map<string, DigestedEvents>()
  return Promise.all(
    runs.map(async (run) => {
      const subscriber = await subscriberOfRun(scope, run)
      const own = outcomes.get(run.id) ?? []
      return { run, subscriber, outcomes: own, facts: variablesFor(runContext, subscriber, own, digests.get(run.id)) }
    }),
  )
}

/** Takes one step of many runs. @returns by run id how each goes on. */
export async function executeStep(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: Step,
  position: number,
  runs: readonly HeldRun[],
): Promise<ReadonlyMap<string, Onward>> {
  const onward = new Map<string, Onward>()
  const arrived = await arrive(scope, runContext, step, position, runs)
  const referred = new Set(step.active ? stepsReferredTo(step.condition) : [])
  const decided: { going: Going; decision: Decision }[] = []
  const going: Going[] = []
  for (const one of arrived) {
    // What an earlier step comes to is not known while its messages are on their way.
    if (one.outcomes.some(({ stepId, status }) => referred.has(stepId) && status === 'sending')) {
      onward.set(one.run.id, 'wait')
      continue
    }
    const decision = decideStep(step, one.facts)
    if (decision) decided.push({ going: one, decision })
    else going.push(one)
  }

  if (step.type === 'delay') await wait(scope, step, position, going, onward)
  else if (step.type === 'digest') await digest(scope, runContext, step, position, going, onward)
  else if (isChannelStep(step)) {
    decided.push(
      ...(await Promise.all(
        going.map(async (one) => ({
          going: one,
          decision: await decideChannelStep(scope, runContext, step, one.subscriber, one.facts),
        })),
      )),
    )
  }
  await persistDecisions(scope, runContext, step, position, decided)
  for (const one of decided) onward.set(one.going.run.id, 'next')
  return onward
}

async function wait(
  scope: EnvironmentScope,
  step: Extract<Step, { type: 'delay' }>,
  position: number,
  going: readonly Going[],
  onward: Map<string, Onward>,
): Promise<void> {
  const now = scope.now()
  const dueAt = new Date(now.getTime() + durationOf(step))
  const rows = going.map(({ run }) => stepRun(scope, run, step, position, { status: 'waiting', dueAt }))
  await insertStepRuns(scope, rows, now)
  await enqueue(
    scope,
    advanceJobs(
      going.map(({ run }) => run.id),
      { position, at: dueAt },
    ),
  )
  for (const { run } of going) onward.set(run.id, 'wait')
}

/** The first trigger of a digest waits for the others, and goes on for them; the others end in it. */
async function digest(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: Extract<Step, { type: 'digest' }>,
  position: number,
  going: readonly Going[],
  onward: Map<string, Onward>,
): Promise<void> {
  const dueAt = new Date(scope.now().getTime() + durationOf(step))
  const joining = going.map(({ run }) => ({
    subscriberId: run.subscriberId,
    row: stepRun(scope, run, step, position, { status: 'waiting', dueAt }),
  }))
  const opened = await joinDigests(scope, runContext, step, joining)
  for (const { run } of going) onward.set(run.id, opened.has(run.id) ? 'wait' : 'end')
  await enqueue(scope, advanceJobs([...opened], { position, at: dueAt }))
}

const statusOf = {
  skip: 'skipped',
  fail: 'failed',
  notify: 'sent',
  send: 'sending',
} as const satisfies Record<Decision['kind'], StepStatus>

/** Writes what was decided, and what follows from it: entries of the feed, and messages with the jobs that send them. */
async function persistDecisions(
  scope: EnvironmentScope,
  { event, workflow }: RunContext,
  step: Step,
  position: number,
  decided: readonly { readonly going: Going; readonly decision: Decision }[],
): Promise<void> {
  const steps: StepRunRow[] = []
  const notifications: NotificationRow[] = []
  const deliveries: NewDelivery[] = []
  for (const { going, decision } of decided) {
    const told = 'reason' in decision ? { reason: decision.reason, detail: decision.detail } : {}
    const row = stepRun(scope, going.run, step, position, { status: statusOf[decision.kind], ...told })
    steps.push(row)
    if (decision.kind === 'notify') {
      notifications.push({
        ...decision.content,
        id: scope.newId(),
        subscriberId: going.run.subscriberId,
        contextKeys: event.contextKeys,
        eventId: event.id,
        stepRunId: row.id,
        workflowIdentifier: workflow.identifier,
        severity: workflow.severity,
        tags: workflow.tags,
      })
    }
    if (decision.kind === 'send' && step.type !== 'delay' && step.type !== 'digest') {
      const { subject, body } = decision.content
      for (const { target, ...integration } of decision.destinations) {
        deliveries.push({
          ...integration,
          id: scope.newId(),
          stepRunId: row.id,
          channel: step.type,
          target,
          content: { subject, body },
        })
      }
    }
  }
  const now = scope.now()
  await insertStepRuns(scope, steps, now)
  await insertNotifications(scope, notifications, now)
  await insertDeliveries(scope, deliveries, now)
  await enqueue(
    scope,
    deliveries.map(({ id }) => ({ queue: 'deliver', data: { deliveryId: id } })),
  )
}
