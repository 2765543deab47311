// What to do about each reason why a step was not sent, in sentences for people who are not programmers.
import { type FailureCause, failureCauses } from '../domain/channel/failure-cause.ts'
import type { reasons } from './decision.ts'

const byReason = {
  step_inactive: 'Activate the step in the workflow if it should be executed.',
  condition: 'Compare the condition with the values, and correct the one that is wrong.',
  condition_failed: 'Correct the condition of the step in the workflow.',
  topic_preference:
    'If the subscriber should receive this workflow, change the preferences of the topic subscription, or create the subscription again.',
  subscription_condition_failed: 'Correct the condition in the preferences of the topic subscription.',
  subscriber_workflow_preference: 'The subscriber decides this. A critical workflow ignores preferences.',
  subscriber_global_preference: 'The subscriber decides this. A critical workflow ignores preferences.',
  workflow_default: 'Turn the channel on in the preferences of the workflow, or in those of the subscriber.',
  no_integration:
    'Create or activate an integration for this channel whose conditions match the contexts of the trigger.',
  integration_condition_failed: 'Correct the conditions of the integration.',
  no_destination:
    'Add the missing address, credential or channel endpoint, under exactly the contexts of the trigger, or trigger under the contexts of the endpoint.',
  content: 'Correct the template of the step. The payload may lack a value that the template needs.',
  refused: 'Read the attempts of the messages. Remove the cause, then retry the messages.',
  expired: 'The message was no longer of use. To send it after all, trigger again under another transaction id.',
  time_limit: 'Read the attempts of the messages. Retry the messages, which starts a new time limit.',
  cancelled: 'To send it after all, trigger again under another transaction id.',
  subscriber_deleted: 'Nothing can be sent to a deleted subscriber.',
} as const satisfies Record<keyof typeof reasons, string>

const byCause = {
  provider_not_implemented: 'Use an integration of a provider that this gateway implements.',
  credentials_invalid: 'Complete the settings of the integration, then retry the message.',
  credentials_unreadable: 'Restore the encryption key of the gateway, or enter the secrets again.',
  credentials_rejected: 'Correct the credentials of the integration, then retry the message.',
  destination_not_supported: 'Give the subscriber an endpoint of a type to which the provider delivers.',
  address_blocked: 'Use a public address, or have the operator allow this one.',
  integration_unusable: 'Activate the integration or correct its conditions, then retry the message.',
  destination_gone: 'Give the subscriber a destination again, then trigger again.',
  rejected: 'Correct the address of the subscriber or the content of the message, then retry the message.',
  unavailable: 'Retry the message when the provider responds again.',
  expired: 'The message was no longer of use. To send it after all, trigger again under another transaction id.',
  time_limit: 'Retry the message, which starts a new time limit.',
  interrupted: 'Retry the message. The log of the gateway says what happened.',
} as const satisfies Record<FailureCause, string>

const isReason = (code: string): code is keyof typeof byReason => code in byReason
const isCause = (code: string): code is FailureCause => code in failureCauses

/** Returns what to do about a step. The cause of its failed messages is more precise than the reason. Null for others. */
export function adviceOn({ reason, cause }: { readonly reason: string | null; readonly cause: string | null }) {
  if (cause !== null && isCause(cause)) return byCause[cause]
  return reason !== null && isReason(reason) ? byReason[reason] : null
}
