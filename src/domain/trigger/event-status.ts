// The status of an event, with the reason why it was skipped or failed, and its counts.
import { z } from 'zod'
import { type Tally, tallies } from '../../data/event.ts'
import type { Event } from '../../data/prisma/client.ts'
import { query } from '../resolver/resolver.ts'
import type { TriggeredWorkflow } from './triggered-workflow.ts'

export type { Tally }

const skipped = (detail: string, advice: string) => ({ status: 'skipped', detail, advice }) as const
const failed = (detail: string, advice: string) => ({ status: 'failed', detail, advice }) as const

/** The reasons why an event was skipped or failed, with the default detail of each and what to do. The codes are part of the API. */
export const eventReasons = {
  workflow_inactive: skipped(
    'The workflow is not active.',
    'Activate the workflow, then trigger it again under another transaction id.',
  ),
  no_steps: skipped(
    'The workflow has no steps.',
    'Add a step to the workflow, then trigger it again under another transaction id.',
  ),
  no_active_steps: skipped(
    'The workflow has no active steps.',
    'Activate a step of the workflow, then trigger it again under another transaction id.',
  ),
  no_subscriptions: skipped(
    'Nobody is subscribed to the topics under exactly the contexts of the trigger.',
    'Subscribe people to the topic under exactly the contexts of the trigger, or trigger with the contexts of the existing subscriptions.',
  ),
  no_subscribers: skipped(
    'The environment has no subscribers.',
    'Create subscribers, then trigger again under another transaction id.',
  ),
  all_excluded: skipped(
    'The trigger excludes every subscriber of its topics.',
    'Everyone who is subscribed is the actor or is excluded by the trigger. Check the recipients of the trigger.',
  ),
  recipients_deleted: skipped(
    'Every recipient was deleted before its run was created.',
    'Nothing can be sent to deleted subscribers. Create them again if they were deleted by mistake.',
  ),
  workflow_suspended: failed(
    'The workflow is suspended.',
    'The code of the workflow was stopped too often. Correct the template or condition, which ends the suspension, then retry the event.',
  ),
  fan_out_failed: failed(
    'The runs of the event could not be created because of an internal error; see the log.',
    'The log of the gateway has the error. Remove the cause, then retry the event.',
  ),
} as const

export type EventReason = keyof typeof eventReasons

type ReasonOf<Status> = {
  [Reason in EventReason]: (typeof eventReasons)[Reason]['status'] extends Status ? Reason : never
}[EventReason]
export type SkipReason = ReasonOf<'skipped'>
export type FailureReason = ReasonOf<'failed'>

const isReason = (code: string): code is EventReason => Object.hasOwn(eventReasons, code)

export const eventReasonCodes = Object.keys(eventReasons).filter(isReason)

/**
 * Reads the reason in a column. Null if there is none. @throws TypeError for an unknown code, which only a newer
 * version writes.
 */
export function reasonOf({ reason }: Pick<Event, 'reason'>): EventReason | null {
  if (reason === null || isReason(reason)) return reason
  throw new TypeError(`the event has the unknown reason "${reason}"`)
}

/** What to do about an event that was skipped or failed, in sentences. Null for other events. */
export function eventAdviceOf(event: Pick<Event, 'reason'>): string | null {
  const reason = reasonOf(event)
  return reason === null ? null : eventReasons[reason].advice
}

/** Reasons of events that can be retried. */
export const failureReasons = eventReasonCodes.filter((code) => eventReasons[code].status === 'failed')

/** Reasons of events without runs that need none. */
export const skipReasons = eventReasonCodes.filter((code) => eventReasons[code].status === 'skipped')

export const eventStatusCodes = ['accepted', 'running', 'completed', 'skipped', 'failed', 'cancelled'] as const
export type EventStatus = (typeof eventStatusCodes)[number]

/** Returns the status of an event with these run counts. */
export function statusOf(
  event: Pick<Event, 'cancelledAt' | 'reason' | 'fannedOutAt'>,
  { running, waiting, completed, failed, cancelled }: Tally['runs'],
): EventStatus {
  if (event.cancelledAt !== null) return 'cancelled'
  const reason = reasonOf(event)
  if (reason !== null) return eventReasons[reason].status
  if (running + waiting > 0) return 'running'
  if (event.fannedOutAt !== null) return 'completed'
  return completed + failed + cancelled > 0 ? 'running' : 'accepted'
}

/** A status in the form in which lists of events filter by it: by a reason or by the runs. */
export function listedStatus(status: EventStatus) {
  if (status === 'skipped') return skipReasons
  return status === 'failed' ? failureReasons : status
}

/**
 * Why a trigger of a workflow has no effect: the status of the response, and the end of a sentence about the workflow.
 */
const idleness = {
  workflow_inactive: { status: 'trigger_not_active', why: 'is not active' },
  no_steps: { status: 'no_workflow_steps_defined', why: 'has no steps' },
  no_active_steps: { status: 'no_workflow_active_steps_defined', why: 'has no active steps' },
} as const satisfies Partial<Record<SkipReason, object>>

type Workflow = Pick<TriggeredWorkflow, 'identifier' | 'active' | 'steps'>

function idleReasonOf({ active, steps }: Workflow): keyof typeof idleness | undefined {
  if (!active) return 'workflow_inactive'
  if (steps.length === 0) return 'no_steps'
  return steps.some((step) => step.active) ? undefined : 'no_active_steps'
}

/** Returns why a trigger of a workflow has no effect, or undefined if the workflow runs. */
export function idlenessOf(workflow: Workflow) {
  const reason = idleReasonOf(workflow)
  if (reason === undefined) return undefined
  const { status, why } = idleness[reason]
  return { status, reason, error: `Workflow "${workflow.identifier}" ${why}` }
}

/** Reads the counts of an event. Batched. */
export const tallyOf = query({
  name: 'event.getTally',
  permission: 'event:read',
  input: z.object({ eventId: z.uuid() }),
  run: ({ load }, { eventId }) => load(tallies, eventId),
})
