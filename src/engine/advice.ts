// What to do about each reason why a step was not sent, in sentences for people who are not programmers.
import { type FailureCause, failureCauses } from '../domain/channel/failure-cause.ts'
import { isStepReason, type StepReason } from '../domain/trigger/step-reason.ts'

const byReason = {
  step_inactive: 'Activate the step in the workflow if it should be executed.',
  condition: 'Compare the condition with the values, and correct the one that is wrong.',
  condition_failed: 'Correct the condition of the step, then retry the run with the current workflow.',
  topic_preference:
    'If the subscriber should receive this workflow, change the preferences of the topic subscription, or create the subscription again.',
  subscription_condition_failed:
    'Correct the condition in the preferences of the topic subscription, then retry the run.',
  subscriber_workflow_preference: 'The subscriber decides this. A critical workflow ignores preferences.',
  subscriber_category_preference: 'The subscriber decides this. A critical workflow ignores preferences.',
  subscriber_global_preference: 'The subscriber decides this. A critical workflow ignores preferences.',
  category_default: 'Turn the channel on in the defaults of the category, or in the preferences of the subscriber.',
  workflow_default: 'Turn the channel on in the preferences of the workflow, or in those of the subscriber.',
  outside_schedule:
    'The subscriber decides this. A delay or a digest with `extendToSchedule` before the step makes messages wait for the next hours. Critical workflows ignore the schedule.',
  no_integration:
    'Create or activate an integration for this channel whose conditions match the contexts of the trigger, or correct the integration that the step selects. Then retry the run.',
  integration_condition_failed: 'Correct the conditions of the integration, then retry the run.',
  no_destination:
    'Add the missing address, credential or channel endpoint under exactly the contexts of the trigger, then retry the run. Or trigger under the contexts of the endpoint.',
  suppressed:
    'Read since when and why. If the address works again and its owner wants messages, delete the suppression, then retry the run.',
  content:
    'Correct the template of the step, then retry the run with the current workflow. If the payload lacks a value that the template needs, trigger again.',
  refused: 'Read the attempts of the messages. Remove the cause, then retry the messages.',
  expired: 'The message was no longer of use. To send it after all, trigger again under another transaction id.',
  time_limit: 'Read the attempts of the messages. Retry the messages, which starts a new time limit.',
  cancelled: 'To send it after all, trigger again under another transaction id.',
  subscriber_deleted: 'Nothing can be sent to a deleted subscriber.',
} as const satisfies Record<StepReason, string>

const byCause = {
  provider_not_implemented:
    'Use an integration of a provider that this gateway implements, then retry the run with the current workflow.',
  credentials_invalid: 'Complete the settings of the integration, then retry the message.',
  credentials_unreadable: 'Restore the encryption key of the gateway, or enter the secrets again.',
  credentials_rejected:
    'Correct the credentials of the integration, or the token of the channel connection, then retry the message.',
  account_restricted:
    'Read what the provider answered, and correct the account or the sender there. Then retry the message.',
  destination_not_supported:
    'Give the subscriber an endpoint of a type to which the provider delivers, then retry the run with the current workflow.',
  address_blocked: 'Use a public address, or have the operator allow this one.',
  integration_unusable: 'Activate the integration or correct its conditions, then retry the message.',
  connection_unusable: 'Create the channel connection, or give the endpoint another one, then retry the message.',
  attachment_unavailable:
    'Make the file available at its URL, then retry the message. An upload that is gone needs a new trigger.',
  destination_gone: 'Give the subscriber a destination again, then retry the run with the current workflow.',
  suppressed:
    'Read since when and why. If the address works again and its owner wants messages, delete the suppression, then retry the message.',
  device_unregistered:
    'Nothing has to be corrected. Once the app registers the device again, its new token receives the next messages.',
  rejected: 'Correct the address of the subscriber or the content of the message, then retry the message.',
  unavailable: 'Retry the message when the provider responds again.',
  unconfirmed:
    'Ask the recipient, or look at the messages of the provider: it may have arrived. If it has not, retry the message.',
  expired: 'The message was no longer of use. To send it after all, trigger again under another transaction id.',
  time_limit: 'Retry the message, which starts a new time limit.',
  interrupted: 'Retry the message. The log of the gateway says what happened.',
} as const satisfies Record<FailureCause, string>

/** What to do about a message that the environment has captured. */
export const CAPTURED =
  'Read the message in the inbox of captured messages. To send messages, change the sending mode of the environment, then trigger again under another transaction id.'

const isCause = (code: string): code is FailureCause => code in failureCauses

/** Returns what to do about a step. The cause of its failed messages is more precise than the reason. Null for others. */
export function adviceOn({ reason, cause }: { readonly reason: string | null; readonly cause: string | null }) {
  if (cause !== null && isCause(cause)) return byCause[cause]
  return reason !== null && isStepReason(reason) ? byReason[reason] : null
}
