// Routes of retries of all failed messages that match a filter.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import { failureCauseCodes } from '../../domain/channel/failure-cause.ts'
import { MAX_MATCHED, MAX_RETRIED, retryDeliveries } from '../../engine/retry-all.ts'
import { route } from '../route.ts'
import { dateOf, timestamp, valuesField } from '../views.ts'

const { dryRun, after } = retryDeliveries.definition.input.shape

export const retryAllRoutes = [
  route({
    method: 'post',
    path: '/v1/messages/retry',
    summary: `Send up to ${MAX_RETRIED} failed messages again, oldest first`,
    example: { integrationIdentifier: 'acme-sms', reason: '503', dryRun: true },
    // Without a misspelled condition, more messages would be sent again.
    body: z.strictObject({
      integrationIdentifier: z.string().optional().meta({ description: 'Identifier of the integration.' }),
      integrationIdentifiers: valuesField(z.string(), 'integrations, by identifier'),
      workflow: z.string().optional().meta({ description: 'Identifier of the workflow.' }),
      workflowIdentifiers: valuesField(z.string(), 'workflows, by identifier'),
      stepIds: valuesField(z.string(), 'steps that sent the message, by step id'),
      channel: z.enum(Channel).optional().meta({ description: 'Channel.' }),
      channels: valuesField(z.enum(Channel), 'channels'),
      causes: valuesField(z.enum(failureCauseCodes), 'causes of the failure'),
      subscriberId: z.string().optional().meta({ description: 'Subscriber id of the recipient.' }),
      subscriberIds: valuesField(z.string(), 'recipients, by subscriber id'),
      contextKeys: z.array(z.string()).optional().meta({ description: 'Exact set of context keys.' }),
      transactionId: z.string().optional().meta({ description: 'Transaction id of the event.' }),
      reason: z.string().optional().meta({ description: 'Part of the error of the last attempt. Case-insensitive.' }),
      failedAfter: timestamp.optional().meta({ description: 'Earliest time of the failure. Inclusive.' }),
      failedBefore: timestamp.optional().meta({ description: 'Time before which the message failed. Exclusive.' }),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation. Inclusive.' }),
      createdBefore: timestamp
        .optional()
        .meta({ description: 'Time before which the message was created. Exclusive.' }),
      dryRun: dryRun.meta({ description: `True counts the messages, up to ${MAX_MATCHED}, and retries none.` }),
      after: after.meta({ description: '`next` of the previous call. Default: start with the oldest message.' }),
    }),
    resolver: retryDeliveries,
    input: ({
      body: { workflow, dryRun, after, failedAfter, failedBefore, createdAfter, createdBefore, ...filter },
    }) => ({
      filter: {
        ...filter,
        workflowIdentifier: workflow,
        failedAfter: dateOf(failedAfter),
        failedBefore: dateOf(failedBefore),
        createdAfter: dateOf(createdAfter),
        createdBefore: dateOf(createdBefore),
      },
      dryRun,
      after,
    }),
    statuses: [200],
    response: z.object({
      retriedCount: z.number().int().meta({
        description: 'Number of messages that are pending again. In a dry run, the number of messages that would be.',
      }),
      remainingCount: z
        .number()
        .int()
        .meta({
          description: `Number of matching messages that later calls will retry, counted up to ${MAX_MATCHED}. In a dry run, all that match.`,
        }),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Value of `after` for the next call. Null if no messages remain.' }),
    }),
    view: ({ retried, remaining, next }) => ({ retriedCount: retried, remainingCount: remaining, next }),
  }),
]
