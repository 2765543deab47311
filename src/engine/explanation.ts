// Explains what happened to a step, in sentences: also to one that waits, that was merged, or whose notification was
// deleted from the feed.
import { z } from 'zod'
import { attemptsByDelivery, deliveriesByStepRun } from '../data/delivery.ts'
import { notificationsByStepRun } from '../data/feed/notification.ts'
import type { StepRun } from '../data/prisma/client.ts'
import { stepRunsById } from '../data/step-run.ts'
import { loadRunOfStep } from '../domain/execution/run.ts'
import { describeTarget, targetOf } from '../domain/execution/target.ts'
import { query } from '../domain/resolver/resolver.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { loadEvent } from '../domain/trigger/event.ts'
import { refuse } from '../lib/errors.ts'
import { adviceOn, CAPTURED } from './advice.ts'

/** The maximum number of messages to name. */
const MAX_NAMED = 3

async function merged(scope: Scope, { mergedIntoId }: StepRun): Promise<string> {
  const digest = mergedIntoId === null ? null : await scope.load(stepRunsById, mergedIntoId)
  if (digest === null) return 'It was merged into a digest that was open. The event of the digest was deleted.'
  const { eventId } = await loadRunOfStep(scope, digest.id)
  const { transactionId } = await loadEvent(scope, eventId)
  return `It was merged into the digest of the event "${transactionId}", which was open. The run of the digest sends the messages for both.`
}

/** Names the messages in delivery, with the last error and the time of the next attempt. */
async function sending({ load }: Scope, { id }: StepRun): Promise<string> {
  const pending = (await load(deliveriesByStepRun, id)).filter(({ status }) => status === 'pending')
  const sentences = pending.slice(0, MAX_NAMED).map(async ({ id, target, integrationIdentifier }) => {
    const message = `The message to ${describeTarget(targetOf(target))} through the integration "${integrationIdentifier}"`
    const last = (await load(attemptsByDelivery, id)).at(-1)
    if (last?.nextAt == null) return `${message} is being sent.`
    return `${message} is attempted again at ${last.nextAt.toISOString()}. Attempt ${last.number} failed: ${last.error ?? 'without a response'}`
  })
  const more = pending.length > MAX_NAMED ? [`${pending.length - MAX_NAMED} more messages are in delivery.`] : []
  return [...(await Promise.all(sentences)), ...more].join(' ')
}

/** True if a step counts as sent, although the environment captured all its messages. */
async function isCaptured({ load }: Scope, { id, type, status }: StepRun): Promise<boolean> {
  if (status !== 'sent' || type === 'in_app') return false
  const accepted = (await load(deliveriesByStepRun, id)).filter(({ status }) => status === 'sent')
  return accepted.length > 0 && accepted.every(({ isCaptured }) => isCaptured)
}

/** Says whether the messages of a step left the gateway. */
const sent = async (scope: Scope, step: StepRun): Promise<string> =>
  (await isCaptured(scope, step))
    ? 'The environment captured the message: nothing was sent.'
    : 'At least one destination accepted the message.'

/** Says in which feed the notification of a step is, or since when it is not there. */
async function inFeed(scope: Scope, { id, notificationDeletedAt }: StepRun): Promise<string> {
  const { eventId, subscriberId } = await loadRunOfStep(scope, id)
  const [{ contextKeys }, notification] = await Promise.all([
    loadEvent(scope, eventId),
    scope.load(notificationsByStepRun, id),
  ])
  const contexts = contextKeys.length > 0 ? `under exactly ${contextKeys.join(', ')}` : 'without context'
  const feed = `the feed of subscriber "${subscriberId}" ${contexts}`
  if (notification !== null) return `The notification is in ${feed}, and in no other feed.`
  if (notificationDeletedAt === null) return `The notification was written to ${feed}, and was deleted since.`
  return `The notification was written to ${feed}, and was deleted from it at ${notificationDeletedAt.toISOString()}.`
}

async function explained(scope: Scope, step: StepRun): Promise<string> {
  const { status, type, detail, dueAt } = step
  if (detail !== null) return detail
  switch (status) {
    case 'waiting':
      return dueAt === null ? 'The step waits.' : `The step waits until ${dueAt.toISOString()}.`
    case 'completed':
      return 'The wait is over.'
    case 'merged':
      return merged(scope, step)
    case 'sending':
      return sending(scope, step)
    case 'sent':
      return type === 'in_app' ? inFeed(scope, step) : sent(scope, step)
    case 'skipped':
    case 'failed':
    case 'cancelled':
      return 'The reason was not stored.'
  }
}

interface Explained {
  /** What happened, in sentences. */
  readonly text: string
  /** What to do about it. Null if there is nothing to do. */
  readonly advice: string | null
}

/** Explains a step run. Batched. @throws Refusal `NOT_FOUND` if it was just deleted with its event. */
export const explainStep = query({
  name: 'workflowRun.explainStep',
  permission: 'event:read',
  input: z.object({ stepRunId: z.uuid() }),
  async run(scope, { stepRunId }): Promise<Explained> {
    const step = await scope.load(stepRunsById, stepRunId)
    if (step === null) throw refuse('NOT_FOUND', `Step "${stepRunId}" not found`)
    const advice = (await isCaptured(scope, step)) ? CAPTURED : adviceOn(step)
    return { text: await explained(scope, step), advice }
  },
})
