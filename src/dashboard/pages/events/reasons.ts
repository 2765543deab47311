// Advice for each reason why an event did not have the intended result, and where the causes of steps can be changed.
import type { graphql } from '../../graph/graphql.ts'

type EventReason = ReturnType<typeof graphql.scalar<'EventReason'>>

/** The page where the cause can be changed. */
export type Place = 'workflow' | 'subscriber' | 'integrations' | 'topics'

export interface Remedy {
  /** The advice, in sentences. */
  readonly advice: string
  readonly place?: Place
}

/** The names of the reasons of events, for a filter. */
export const eventReasonLabels = {
  WORKFLOW_INACTIVE: 'Workflow inactive',
  NO_STEPS: 'No steps',
  NO_ACTIVE_STEPS: 'No active steps',
  NO_SUBSCRIPTIONS: 'No subscriptions',
  ALL_EXCLUDED: 'Everyone excluded',
  RECIPIENTS_DELETED: 'Recipients deleted',
  WORKFLOW_SUSPENDED: 'Workflow suspended',
  FAN_OUT_FAILED: 'Runs not created',
} as const satisfies Record<EventReason, string>

/** Advice by the reason of an event. */
export const eventRemedies = {
  WORKFLOW_INACTIVE: {
    advice: 'Activate the workflow, then trigger it again under another transaction id.',
    place: 'workflow',
  },
  NO_STEPS: {
    advice: 'Add a step to the workflow, then trigger it again under another transaction id.',
    place: 'workflow',
  },
  NO_ACTIVE_STEPS: {
    advice: 'Activate a step of the workflow, then trigger it again under another transaction id.',
    place: 'workflow',
  },
  NO_SUBSCRIPTIONS: {
    advice:
      'Subscribe people to the topic under exactly the contexts of the trigger, or trigger with the contexts of the existing subscriptions.',
    place: 'topics',
  },
  ALL_EXCLUDED: {
    advice:
      'Everyone who is subscribed is the actor or is excluded by the trigger. Check the recipients of the trigger.',
    place: 'topics',
  },
  RECIPIENTS_DELETED: {
    advice: 'Nothing can be sent to deleted subscribers. Create them again if they were deleted by mistake.',
  },
  WORKFLOW_SUSPENDED: {
    advice:
      'The code of the workflow was stopped too often. Correct the template or condition, which ends the suspension, then retry the event.',
    place: 'workflow',
  },
  FAN_OUT_FAILED: {
    advice: 'The log of the gateway has the error. Remove the cause, then retry the event.',
  },
} as const satisfies Record<EventReason, Remedy>

/** A code in words. A newer gateway may return other codes. */
export const reasonInWords = (code: string): string => code.replaceAll('_', ' ')

/**
 * The page where the cause can be changed, by the reason of a step. The schema has these codes as strings, because a newer
 * gateway may return others.
 */
export const stepPlaces: Readonly<Record<string, Place>> = {
  step_inactive: 'workflow',
  condition: 'workflow',
  condition_failed: 'workflow',
  topic_preference: 'subscriber',
  subscription_condition_failed: 'subscriber',
  subscriber_workflow_preference: 'subscriber',
  subscriber_global_preference: 'subscriber',
  workflow_default: 'workflow',
  no_integration: 'integrations',
  integration_condition_failed: 'integrations',
  no_destination: 'subscriber',
  content: 'workflow',
}
