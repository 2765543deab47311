// The reasons why a step was not sent, and why nothing arrived of a run. The engine writes their codes into the log.

/**
 * The reasons why a step was not sent, each in a sentence. The details of steps are more precise: they name what is meant.
 * The codes are part of the API.
 */
export const stepReasons = {
  step_inactive: 'The step is inactive.',
  condition: "The step's condition is not met.",
  condition_failed: "The step's condition could not be evaluated.",
  topic_preference: "The subscriber's topic subscriptions exclude this workflow or no longer exist.",
  subscription_condition_failed: "A condition of the subscriber's topic subscription could not be evaluated.",
  subscriber_workflow_preference: 'The subscriber turned this channel off for this workflow.',
  subscriber_category_preference: "The subscriber turned this channel off for the workflow's category.",
  subscriber_global_preference: 'The subscriber turned this channel off for all workflows.',
  category_default: "The category's default for this channel is off, and the subscriber has no preference.",
  workflow_default: "The workflow's default for this channel is off, and the subscriber has no preference.",
  outside_schedule: "It was outside the hours of the subscriber's schedule.",
  no_integration: 'No active integration for this channel matches the contexts.',
  integration_condition_failed: 'No integration matches, and a condition of one could not be evaluated.',
  no_destination: 'The subscriber has no destination for this channel.',
  suppressed: "The subscriber's address is suppressed, for example because an earlier message bounced.",
  content: "The step's content could not be rendered.",
  expired: 'The message expired before it was sent.',
  time_limit: "The step's time limit ended before the message was sent.",
  refused: 'Every destination rejected the message.',
  cancelled: 'The event was cancelled.',
  subscriber_deleted: 'The subscriber was deleted.',
} as const satisfies Record<string, string>

export type StepReason = keyof typeof stepReasons

export const isStepReason = (code: string): code is StepReason => Object.hasOwn(stepReasons, code)

/**
 * The reasons why nothing arrived of a run, each in a sentence: those of the step that decided it, and those of the run.
 * `run_outcome` in the migrations computes them. The codes are part of the API.
 */
export const runReasons = {
  ...stepReasons,
  merged: 'The run was merged into an open digest, whose run sends the messages for both.',
  run_failed: 'A fault of the gateway stopped the run at every attempt.',
  no_message_step: 'The run has no step that sends a message.',
} as const satisfies Record<string, string>

export const isRunReason = (code: string): code is keyof typeof runReasons => Object.hasOwn(runReasons, code)

export const runReasonCodes = Object.keys(runReasons).filter(isRunReason)
