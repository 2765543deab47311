// The names of the reasons of events, and where the causes of events and steps can be changed.
import type { graphql } from '../../graph/graphql.ts'

type EventReason = ReturnType<typeof graphql.scalar<'EventReason'>>
type RunReason = ReturnType<typeof graphql.scalar<'RunReason'>>
type StepReason = ReturnType<typeof graphql.scalar<'StepReason'>>

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
  NO_SUBSCRIBERS: 'No subscribers',
  ALL_EXCLUDED: 'Everyone excluded',
  RECIPIENTS_DELETED: 'Recipients deleted',
  WORKFLOW_SUSPENDED: 'Workflow suspended',
  FAN_OUT_FAILED: 'Runs not created',
} as const satisfies Record<EventReason, string>

/** The page where the cause can be changed, by the reason of an event. */
export const eventPlaces: Partial<Readonly<Record<EventReason, Place>>> = {
  WORKFLOW_INACTIVE: 'workflow',
  NO_STEPS: 'workflow',
  NO_ACTIVE_STEPS: 'workflow',
  NO_SUBSCRIPTIONS: 'topics',
  ALL_EXCLUDED: 'topics',
  WORKFLOW_SUSPENDED: 'workflow',
}

/** What to do, and where. Undefined if there is nothing to do. */
export const remedyFor = (advice: string | null, place: Place | undefined): Remedy | undefined =>
  advice === null ? undefined : { advice, ...(place && { place }) }

/** The names of the reasons of runs, for counts and a filter. */
export const runReasonLabels = {
  STEP_INACTIVE: 'Step inactive',
  CONDITION: 'Condition',
  CONDITION_FAILED: 'Condition failed',
  TOPIC_PREFERENCE: 'Topic preference',
  SUBSCRIPTION_CONDITION_FAILED: 'Subscription condition failed',
  SUBSCRIBER_WORKFLOW_PREFERENCE: 'Workflow preference',
  SUBSCRIBER_CATEGORY_PREFERENCE: 'Category preference',
  SUBSCRIBER_GLOBAL_PREFERENCE: 'Global preference',
  CATEGORY_DEFAULT: 'Category default',
  OUTSIDE_SCHEDULE: 'Outside the hours',
  WORKFLOW_DEFAULT: 'Workflow default',
  NO_INTEGRATION: 'No integration',
  INTEGRATION_CONDITION_FAILED: 'Integration condition failed',
  NO_DESTINATION: 'No destination',
  SUPPRESSED: 'Suppressed address',
  CONTENT: 'Content not rendered',
  EXPIRED: 'Expired',
  TIME_LIMIT: 'Time limit',
  REFUSED: 'Rejected by every destination',
  CANCELLED: 'Cancelled',
  SUBSCRIBER_DELETED: 'Subscriber deleted',
  MERGED: 'Merged into a digest',
  RUN_FAILED: 'Run failed',
  NO_MESSAGE_STEP: 'No step that sends',
} as const satisfies Record<RunReason, string>

/** The page where the cause can be changed, by the reason of a step. */
export const stepPlaces: Readonly<Partial<Record<StepReason, Place>>> = {
  STEP_INACTIVE: 'workflow',
  CONDITION: 'workflow',
  CONDITION_FAILED: 'workflow',
  TOPIC_PREFERENCE: 'subscriber',
  SUBSCRIPTION_CONDITION_FAILED: 'subscriber',
  SUBSCRIBER_WORKFLOW_PREFERENCE: 'subscriber',
  SUBSCRIBER_CATEGORY_PREFERENCE: 'subscriber',
  SUBSCRIBER_GLOBAL_PREFERENCE: 'subscriber',
  WORKFLOW_DEFAULT: 'workflow',
  NO_INTEGRATION: 'integrations',
  INTEGRATION_CONDITION_FAILED: 'integrations',
  NO_DESTINATION: 'subscriber',
  SUPPRESSED: 'subscriber',
  CONTENT: 'workflow',
}
