// Advice for each reason why an event, a step or a message did not have the intended result.
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

/** Advice by the reason of a step. The schema has these codes as strings, because a newer gateway may return others. */
export const stepRemedies: Readonly<Record<string, Remedy>> = {
  step_inactive: { advice: 'Activate the step if it should be executed.', place: 'workflow' },
  condition: {
    advice: 'Compare the condition of the step with the payload, the subscriber and the contexts.',
    place: 'workflow',
  },
  condition_failed: { advice: 'Correct the condition of the step.', place: 'workflow' },
  topic_preference: {
    advice: 'Change the preferences of the topic subscription if the subscriber should receive this workflow.',
    place: 'subscriber',
  },
  subscription_condition_failed: {
    advice: 'Correct the condition in the preferences of the topic subscription.',
    place: 'subscriber',
  },
  subscriber_workflow_preference: {
    advice: 'The subscriber decides this. A critical workflow ignores preferences.',
    place: 'subscriber',
  },
  subscriber_global_preference: {
    advice: 'The subscriber decides this. A critical workflow ignores preferences.',
    place: 'subscriber',
  },
  workflow_default: {
    advice: 'Turn the channel on in the preferences of the workflow, or in those of the subscriber.',
    place: 'workflow',
  },
  no_integration: {
    advice: 'Create or activate an integration for this channel whose conditions match the contexts.',
    place: 'integrations',
  },
  integration_condition_failed: {
    advice: 'Correct the conditions of the integration.',
    place: 'integrations',
  },
  no_destination: {
    advice: 'Add the missing address, credential or channel endpoint to the subscriber.',
    place: 'subscriber',
  },
  content: { advice: 'Correct the template of the step.', place: 'workflow' },
  expired: {
    advice: 'The message was no longer of use. To send it after all, trigger again under another transaction id.',
  },
  time_limit: {
    advice: 'The attempts below show the responses of the provider. Retry the message, which starts a new time limit.',
  },
  refused: {
    advice: 'The attempts below show the responses of the provider. Remove the cause, then retry the message.',
  },
  cancelled: { advice: 'To send it after all, trigger again under another transaction id.' },
  subscriber_deleted: {
    advice: 'Nothing can be sent to a deleted subscriber.',
  },
}
