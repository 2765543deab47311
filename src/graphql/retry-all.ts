// Retries of all failed messages that match a filter, in the graph.
import { MAX_MATCHED, MAX_RETRIED, retryDeliveries } from '../engine/retry-all.ts'
import { Channel } from './channel.ts'
import { builder } from './schema/builder.ts'
import { createdFields } from './schema/connection.ts'
import { mutationField, part } from './schema/mutation.ts'

const FailedDeliveryFilter = builder.inputType('FailedDeliveryFilter', {
  description: 'Selects failed messages. An absent or null field matches all messages.',
  fields: (t) => ({
    integrationIdentifier: t.string({ description: 'The identifier of the integration.' }),
    workflow: t.string({ description: 'The identifier of the workflow.' }),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
    transactionId: t.string({ description: 'The transaction id of the event.' }),
    reason: t.string({ description: 'A part of the error of the last attempt. Case-insensitive.' }),
    failedAfter: t.field({ type: 'DateTime', description: 'The earliest time of the failure. Inclusive.' }),
    failedBefore: t.field({ type: 'DateTime', description: 'The time before which the message failed. Exclusive.' }),
    ...createdFields(t),
  }),
})

mutationField('retryDeliveries', {
  description: `Sends failed messages again, oldest first, each with a full set of attempts. One call retries at most ${MAX_RETRIED}: repeat it with \`after\` until \`next\` is null. Messages whose subscriber was deleted or whose event was cancelled are left out. No message is sent twice, even if two calls overlap.`,
  input: (t) => ({
    filter: t.field({
      type: FailedDeliveryFilter,
      description: 'Selects the messages. Default: all failed messages of the environment.',
    }),
    dryRun: t.boolean({
      description: `True counts the messages, up to ${MAX_MATCHED}, and retries none. False by default.`,
    }),
    after: t.string({ description: 'The `next` of the previous call. Default: start with the oldest message.' }),
  }),
  resolver: retryDeliveries,
  decode: (input) => input,
  payload: {
    retriedCount: (t) =>
      part(
        t,
        'Int',
        'The number of messages that are pending again. In a dry run, the number of messages that would be. Null if the mutation failed.',
        ({ retried }) => retried,
      ),
    next: (t) =>
      part(
        t,
        'String',
        'The value of `after` for the next call. Null if no messages remain, or if the mutation failed.',
        ({ next }) => next,
      ),
  },
})
