// Steps as they are taken: what becomes of one of them in many runs of an event at once, and what follows from it.
import { insertNotifications, type NotificationRow } from '../data/notification-rows.ts'
import type { Subscriber } from '../data/prisma/client.ts'
import type { StepStatus } from '../data/prisma/enums.ts'
import { advanceJobs, enqueue } from '../data/queue.ts'
import { type HeldRun, insertDeliveries, insertStepRuns, type NewDelivery, type StepRunRow } from '../data/run-rows.ts'
import { type DigestedEvents, digestedEvents, type StepOutcome, stepOutcomes } from '../data/run-story.ts'
import type { JsonObject } from '../lib/validation.ts'
import { decideChannelStep, decideStep, type Decision } from './decision.ts'
import { joinDigests } from './digest.ts'
import { factsFor, type Journey } from './journey.ts'
import type { Workspace } from './scope.ts'
import { subscribersBySubscriberId } from './subscriber.ts'
import { asksForSteps, durationOf, isChannelStep, type Step, stepsReferredTo } from './workflow-step.ts'

/** What a run goes on to: the next step, a wait at this one, or its end. */
type Onward = 'next' | 'wait' | 'end'

/** A run on its way. */
interface Going {
  readonly run: HeldRun
  readonly subscriber: Subscriber
  readonly facts: JsonObject
}

/** A run holds its subscriber: one cannot be without the other. */
export async function subscriberOf(workspace: Workspace, { subscriberId }: HeldRun): Promise<Subscriber> {
  const found = await workspace.load(subscribersBySubscriberId, subscriberId)
  if (found === null) throw new Error(`subscriber ${subscriberId} of a run is gone`)
  return found
}

/** What came of a step in a run, as it is written down. */
export function stepRun(
  { newId }: Workspace,
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
  workspace: Workspace,
  journey: Journey,
  step: Step,
  position: number,
  runs: readonly HeldRun[],
): Promise<(Going & { readonly outcomes: readonly StepOutcome[] })[]> {
  const ids = runs.map(({ id }) => id)
  const asksSteps = asksForSteps(step)
  const asksDigest = journey.workflow.steps.slice(0, position).some(({ type }) => type === 'digest')
  const outcomes = asksSteps ? await stepOutcomes(workspace, ids) : new Map<string, readonly StepOutcome[]>()
  const digests = asksDigest ? await digestedEvents(workspace, ids) : new Map<string, DigestedEvents>()
  return Promise.all(
    runs.map(async (run) => {
      const subscriber = await subscriberOf(workspace, run)
      const own = outcomes.get(run.id) ?? []
      return { run, subscriber, outcomes: own, facts: factsFor(journey, subscriber, own, digests.get(run.id)) }
    }),
  )
}

/** Takes one step of many runs. @returns by run id how each goes on. */
export async function takeStep(
  workspace: Workspace,
  journey: Journey,
  step: Step,
  position: number,
  runs: readonly HeldRun[],
): Promise<ReadonlyMap<string, Onward>> {
  const onward = new Map<string, Onward>()
  const arrived = await arrive(workspace, journey, step, position, runs)
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

  if (step.type === 'delay') await wait(workspace, step, position, going, onward)
  else if (step.type === 'digest') await digest(workspace, journey, step, position, going, onward)
  else if (isChannelStep(step)) {
    decided.push(
      ...(await Promise.all(
        going.map(async (one) => ({
          going: one,
          decision: await decideChannelStep(workspace, journey, step, one.subscriber, one.facts),
        })),
      )),
    )
  }
  await carryOut(workspace, journey, step, position, decided)
  for (const one of decided) onward.set(one.going.run.id, 'next')
  return onward
}

async function wait(
  workspace: Workspace,
  step: Extract<Step, { type: 'delay' }>,
  position: number,
  going: readonly Going[],
  onward: Map<string, Onward>,
): Promise<void> {
  const now = workspace.now()
  const dueAt = new Date(now.getTime() + durationOf(step))
  const rows = going.map(({ run }) => stepRun(workspace, run, step, position, { status: 'waiting', dueAt }))
  await insertStepRuns(workspace, rows, now)
  await enqueue(
    workspace,
    advanceJobs(
      going.map(({ run }) => run.id),
      { position, at: dueAt },
    ),
  )
  for (const { run } of going) onward.set(run.id, 'wait')
}

/** The first trigger of a digest waits for the others, and goes on for them; the others end in it. */
async function digest(
  workspace: Workspace,
  journey: Journey,
  step: Extract<Step, { type: 'digest' }>,
  position: number,
  going: readonly Going[],
  onward: Map<string, Onward>,
): Promise<void> {
  const dueAt = new Date(workspace.now().getTime() + durationOf(step))
  const joining = going.map(({ run }) => ({
    subscriberId: run.subscriberId,
    row: stepRun(workspace, run, step, position, { status: 'waiting', dueAt }),
  }))
  const opened = await joinDigests(workspace, journey, step, joining)
  for (const { run } of going) onward.set(run.id, opened.has(run.id) ? 'wait' : 'end')
  await enqueue(workspace, advanceJobs([...opened], { position, at: dueAt }))
}

const statusOf = {
  skip: 'skipped',
  fail: 'failed',
  notify: 'sent',
  send: 'sending',
} as const satisfies Record<Decision['kind'], StepStatus>

/** Writes what was decided, and what follows from it: entries of the feed, and messages with the jobs that send them. */
async function carryOut(
  workspace: Workspace,
  { event, workflow }: Journey,
  step: Step,
  position: number,
  decided: readonly { readonly going: Going; readonly decision: Decision }[],
): Promise<void> {
  const steps: StepRunRow[] = []
  const notifications: NotificationRow[] = []
  const deliveries: NewDelivery[] = []
  for (const { going, decision } of decided) {
    const told = 'reason' in decision ? { reason: decision.reason, detail: decision.detail } : {}
    const row = stepRun(workspace, going.run, step, position, { status: statusOf[decision.kind], ...told })
    steps.push(row)
    if (decision.kind === 'notify') {
      notifications.push({
        ...decision.content,
        id: workspace.newId(),
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
          id: workspace.newId(),
          stepRunId: row.id,
          channel: step.type,
          target,
          content: { subject, body },
        })
      }
    }
  }
  const now = workspace.now()
  await insertStepRuns(workspace, steps, now)
  await insertNotifications(workspace, notifications, now)
  await insertDeliveries(workspace, deliveries, now)
  await enqueue(
    workspace,
    deliveries.map(({ id }) => ({ queue: 'deliver', data: { deliveryId: id } })),
  )
}
