// Retries of all failed messages that match a filter, in the graph.
import { MAX_MATCHED, MAX_RETRIED, retryDeliveries } from '../../engine/retry-all.ts'
import { Channel } from '../channel.ts'
import { builder } from '../schema/builder.ts'
import { createdFields } from '../schema/connection.ts'
import { readWorkflowCondition, workflowConditions } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { FailureCause } from './failure-cause.ts'
import { anyOfThe, byDefault, exactContexts, identifierOf } from '../schema/wording.ts'

const FailedDeliveryFilter = builder.inputType('FailedDeliveryFilter', {
  description: 'Selects failed messages. An absent or null field matches all messages.',
  fields: (t) => ({
    integrationIdentifier: t.string({ description: identifierOf('integration') }),
    integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
    ...workflowConditions(t),
    workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    causes: t.field({ type: [FailureCause], description: anyOfThe('causes of the failure') }),
    subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
    subscriberIds: t.stringList({ description: anyOfThe('recipients, by subscriberId') }),
    contextKeys: t.stringList({ description: exactContexts('messages of events') }),
    transactionId: t.string({ description: 'The transaction id of the event.' }),
    reason: t.string({ description: 'A part of the error of the last attempt. Case-insensitive.' }),
    failedAfter: t.field({ type: 'DateTime', description: 'The earliest time of the failure. Inclusive.' }),
    failedBefore: t.field({ type: 'DateTime', description: 'The time before which the message failed. Exclusive.' }),
    ...createdFields(t),
  }),
})

mutationField('retryDeliveries', {
  description: `Sends failed messages again, oldest first, each with a full set of attempts. One call retries at most ${MAX_RETRIED}: repeat it with \`after\` until \`next\` is null. Messages whose subscriber was deleted or whose event was cancelled are skipped. No message is sent twice, even if two calls overlap.`,
  input: (t) => ({
    filter: t.field({
      type: FailedDeliveryFilter,
      description: `Selects the messages. ${byDefault('all failed messages of the environment')}`,
    }),
    dryRun: t.boolean({
      description: `True counts the messages, up to ${MAX_MATCHED}, and retries none. ${byDefault('false')}`,
    }),
    after: t.string({
      description: `The \`next\` of the previous call. ${byDefault('start with the oldest message')}`,
    }),
  }),
  resolver: retryDeliveries,
  decode: readWorkflowCondition,
  payload: {
    retriedCount: (t) =>
      part(
        t,
        'Int',
        'The number of messages that are pending again. In a dry run, the number of messages that would be.',
        ({ retried }) => retried,
      ),
    next: (t) =>
      part(t, 'String', 'The value of `after` for the next call, or null if no messages remain.', ({ next }) => next),
  },
})
