// Previews a trigger: executes it in a transaction that is rolled back.
import type { z } from 'zod'
import { noRuns } from '../data/event.ts'
import type { Notification, WorkflowRun } from '../data/prisma/client.ts'
import type { RunOutcome } from '../data/prisma/enums.ts'
import { attemptsIn, deliveriesIn } from '../data/delivery.ts'
import { type ActiveRun, createRuns } from '../data/run.ts'
import { stepRunsIn } from '../data/step-run.ts'
import { asObject } from '../domain/channel/stored-json.ts'
import { type Delivery, shown } from '../domain/execution/delivery.ts'
import type { Event } from '../domain/trigger/event.ts'
import { type EventReason, type EventStatus, reasonOf, statusOf } from '../domain/trigger/event-status.ts'
import { checkPayloads } from '../domain/trigger/payload-check.ts'
import { query } from '../domain/resolver/resolver.ts'
import type { StepRun } from '../domain/execution/run.ts'
import { withRollback } from '../domain/resolver/rollback.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { notesAbout, type Sent } from '../domain/trigger/override-notes.ts'
import { trigger, type UnsavedParts } from '../domain/trigger/trigger-input.ts'
import { accept, type Triggered, withFiles } from '../domain/trigger/trigger.ts'
import { assertWorkflow } from '../domain/workflow-check.ts'
import { steps } from '../domain/workflow-step.ts'
import { previewBudget } from '../evaluation/evaluator.ts'
import { jsonSchema } from '../evaluation/json-schema.ts'
import { advanceRuns } from './advance.ts'
import { completeFanOut } from './fan-out-end.ts'
import { executeRuns, startState } from './execution.ts'
import { LARGEST_PAGE } from './fan-out.ts'
import { PendingChanges } from './pending-changes.ts'
import { type RecipientPlace, newRun, readRecipientPage } from './recipient-page.ts'
import { rehearseMessages } from './rehearsal.ts'
import { openRunContext } from './decision/run-context.ts'

/** Maximum recipients in a preview. */
export const MAX_PREVIEWED = 25

/** A message of a preview. */
export interface PreviewedMessage extends Delivery {
  /** Why the message would fail without a request to its provider. Null if it would be sent. */
  readonly error: string | null
}

/** The decision about one step for one recipient. */
export interface PreviewedStep extends StepRun {
  /** The feed entry that would be created. Null unless this is an in-app step that is not skipped. */
  readonly notification: Notification | null
  /** The messages that would be sent, one per destination. */
  readonly deliveries: readonly PreviewedMessage[]
}

export interface PreviewedRun extends Pick<WorkflowRun, 'reason' | 'reasonStepId'> {
  readonly subscriberId: string
  readonly outcome: RunOutcome
  readonly steps: readonly PreviewedStep[]
}

export interface Preview extends Pick<Triggered, 'status' | 'errors'> {
  readonly workflowIdentifier: string
  /** The status with which the event would end. */
  readonly eventStatus: EventStatus
  /** Why the event would be skipped. Null if it would run. */
  readonly reason: EventReason | null
  /** The reason in a sentence. */
  readonly detail: string | null
  readonly runs: readonly PreviewedRun[]
  /** Sentences about overrides that no step of these runs could use. */
  readonly notes: readonly string[]
  /** True if the trigger has more recipients than the preview shows. */
  readonly hasMore: boolean
}

/** Creates the runs of the first recipients of an event. */
async function firstRuns(
  scope: Scope,
  event: Event,
): Promise<{ readonly runs: readonly ActiveRun[]; readonly hasMore: boolean }> {
  const runs: ActiveRun[] = []
  let place: RecipientPlace | undefined
  do {
    const { recipients, next } = await readRecipientPage(scope, event, place, LARGEST_PAGE)
    const given = recipients.map((one) => newRun(scope, event, one, startState))
    runs.push(...(await createRuns(scope, given, scope.now())))
    place = next ?? undefined
  } while (place !== undefined && runs.length <= MAX_PREVIEWED)
  return { runs: runs.slice(0, MAX_PREVIEWED), hasMore: runs.length > MAX_PREVIEWED || place !== undefined }
}

/** Executes runs to their end. Waits end immediately, and messages count as sent unless they would fail at once. */
async function completeRuns(scope: Scope, event: Event, runs: readonly ActiveRun[]): Promise<void> {
  const { db, environmentId, now } = scope
  const evaluation = { ...scope.evaluator.begin(previewBudget), stops: [] }
  const changes = new PendingChanges(scope)
  const accepted = now()
  const execution = { scope, runContext: await openRunContext(scope, event), evaluation, changes, dueAt: accepted }
  await executeRuns(execution, new Map(runs.map((run) => [run, 0])), null)
  await changes.write()
  const runIds = runs.map(({ id }) => id)
  for (;;) {
    await rehearseMessages(scope, runIds)
    const waiting = await db.workflowRun.findMany({
      where: { environmentId, id: { in: runIds }, status: 'waiting' },
      select: {
        id: true,
        position: true,
        steps: { where: { dueAt: { not: null } }, select: { dueAt: true }, orderBy: { position: 'desc' }, take: 1 },
      },
      orderBy: [{ position: 'asc' }, { id: 'asc' }],
    })
    await db.stepRun.updateMany({
      where: { environmentId, runId: { in: runIds }, status: 'sending' },
      data: { status: 'sent' },
    })
    const [first] = waiting
    if (first === undefined) return
    // The end of the wait, so that a message that would expire meanwhile is skipped.
    const dueAtOf = ({ steps }: typeof first) => steps[0]?.dueAt ?? accepted
    const together = waiting.filter((run) => run.position === first.position && +dueAtOf(run) === +dueAtOf(first))
    const ids = together.map(({ id }) => id)
    await advanceRuns(scope, { runIds: ids, due: first.position, dueAt: dueAtOf(first) }, evaluation)
  }
}

async function readRuns(scope: Scope, created: readonly ActiveRun[]): Promise<PreviewedRun[]> {
  const { db, environmentId } = scope
  const runIds = created.map(({ id }) => id)
  const runs = await db.workflowRun.findMany({
    where: { environmentId, id: { in: runIds } },
    orderBy: { id: 'asc' },
  })
  const steps = await stepRunsIn(scope, runIds)
  const stepRunIds = steps.map(({ id }) => id)
  const messages = await deliveriesIn(scope, stepRunIds)
  const errors = new Map(
    (
      await attemptsIn(
        scope,
        messages.map(({ id }) => id),
      )
    ).map(({ deliveryId, error }) => [deliveryId, error]),
  )
  const deliveries = messages.map((row) => ({
    ...shown(row),
    error: (row.status === 'failed' && errors.get(row.id)) || null,
  }))
  const notifications = await db.notification.findMany({ where: { environmentId, stepRunId: { in: stepRunIds } } })
  return runs.map(({ id, subscriberId, outcome, reason, reasonStepId }) => ({
    subscriberId,
    outcome: outcome ?? 'pending',
    reason,
    reasonStepId,
    steps: steps
      .filter(({ runId }) => runId === id)
      .map((step) => ({
        ...step,
        notification: notifications.find(({ stepRunId }) => stepRunId === step.id) ?? null,
        deliveries: deliveries.filter(({ stepRunId }) => stepRunId === step.id),
      })),
  }))
}

/** What runs have sent. */
function sentBy(runs: readonly PreviewedRun[]): Sent {
  const steps = runs.flatMap((run) => run.steps)
  return {
    ways: steps.flatMap(({ stepId, deliveries }) =>
      deliveries.map(({ channel, providerId }) => ({ channel, providerId, stepId })),
    ),
    hasNotifications: steps.some(({ notification }) => notification !== null),
  }
}

/** The status with which an event ends, and its reason. */
async function endingOf(scope: Scope, event: Event): Promise<Pick<Preview, 'eventStatus' | 'reason' | 'detail'>> {
  if (event.reason === null) await completeFanOut(scope, event)
  const { db, environmentId } = scope
  const ended = await db.event.findUniqueOrThrow({ where: { environmentId_id: { environmentId, id: event.id } } })
  return { eventStatus: statusOf(ended, noRuns), reason: reasonOf(ended), detail: ended.detail }
}

/** Unsaved parts of the workflow, which replace the stored ones. */
const unsavedParts = { steps: steps.nullish(), payloadSchema: jsonSchema.nullish() }

/**
 * @returns undefined if all parts are as stored. Only the schema can be null, which means that the workflow has none.
 */
function unsavedOf({ steps, payloadSchema }: z.output<z.ZodObject<typeof unsavedParts>>): UnsavedParts | undefined {
  if (!steps && payloadSchema === undefined) return undefined
  return { ...(steps && { steps }), ...(payloadSchema !== undefined && { payloadSchema }) }
}

/**
 * Previews a trigger with the code that executes it, in a transaction that is rolled back. Nothing is sent or stored.
 * Waits end immediately. Messages fail that the gateway or the provider would reject before a request, and all others
 * count as sent. An error in an unsaved template appears in the detail of its step.
 *
 * @throws Refusal `INVALID` if an unsaved schema cannot be used, or like `accept`.
 */
export const previewTrigger = query({
  name: 'event.preview',
  // Nothing is stored, so that a caller who only reads may preview.
  permission: 'event:read',
  rate: { category: 'trigger', cost: 1, largeCost: 100 },
  input: trigger.omit({ transactionId: true }).extend(unsavedParts),
  async run(scope, { steps, payloadSchema, ...others }): Promise<Preview> {
    await assertWorkflow(scope, { payloadSchema })
    const given = { ...others, unsaved: unsavedOf({ steps, payloadSchema }) }
    const checks = await checkPayloads(scope, [given])
    return withRollback(scope, async (inner) => {
      const { status, errors, event } = await accept(inner, await withFiles(inner, given), checks)
      if (event === null) throw new Error('the trigger of a preview was accepted without an event')
      const { runs, hasMore } = status === 'processed' ? await firstRuns(inner, event) : { runs: [], hasMore: false }
      await completeRuns(inner, event, runs)
      const ending = await endingOf(inner, event)
      const { workflowIdentifier } = event
      const previewed = await readRuns(inner, runs)
      const notes = notesAbout(asObject(event.overrides), sentBy(previewed))
      return { status, errors, workflowIdentifier, ...ending, notes, runs: previewed, hasMore }
    })
  },
})
