// Route of triggers that created no event.
import { z } from 'zod'
import { UnprocessedTriggerKind } from '../../data/prisma/enums.ts'
import { MAX_TRACED, rejectionCodes } from '../../domain/trigger/trigger-trace.ts'
import {
  adviceOf,
  codeOf,
  triggerErrorsOf,
  explanationOf,
  tracedRecipientsOf,
  type UnprocessedTrigger,
  unprocessedTriggers,
} from '../../domain/trigger/unprocessed-trigger.ts'
import { issueReasons } from '../../lib/errors.ts'
import { present } from '../../lib/present.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { dateOf, timestamp, valuesField } from '../views.ts'

const unprocessedView = z
  .object({
    _id: z.string(),
    kind: z.enum(UnprocessedTriggerKind).meta({
      description: '`repeated` if an event has the transaction id already, `rejected` if the trigger had an error.',
    }),
    explanation: z.string().meta({ description: 'Why the trigger created no event, in words.' }),
    advice: z.string().meta({ description: 'What to do, so that the next trigger creates an event.' }),
    workflowIdentifier: z.string().optional().meta({ description: 'As the trigger named it.' }),
    transactionId: z.string().optional().meta({ description: 'As the trigger named it.' }),
    recipients: z
      .array(
        z.union([
          z.object({ subscriberId: z.string() }),
          z.object({ topicKey: z.string() }),
          z.object({ everyone: z.literal(true) }),
        ]),
      )
      .meta({ description: `The first ${MAX_TRACED} recipients that the trigger named.` }),
    recipientCount: z.int().meta({ description: 'Number of all recipients that the trigger named.' }),
    code: z.enum(rejectionCodes).optional().meta({ description: 'Kind of the error. Absent for a repeated trigger.' }),
    errors: z
      .array(z.object({ field: z.string().optional(), message: z.string(), reason: z.enum(issueReasons).optional() }))
      .meta({ description: `The first ${MAX_TRACED} errors, without values. Empty for a repeated trigger.` }),
    count: z.int().meta({ description: 'Number of identical triggers in the hour.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: 'UnprocessedTrigger',
    description: 'A trigger that created no event. Identical triggers of the same hour are one object.',
  })

function showUnprocessed(row: UnprocessedTrigger): z.input<typeof unprocessedView> {
  const { id, kind, workflowIdentifier, transactionId, recipientCount, count, createdAt, updatedAt } = row
  return {
    _id: id,
    kind,
    explanation: explanationOf(row),
    advice: adviceOf(row),
    ...present({ workflowIdentifier, transactionId }),
    recipients: tracedRecipientsOf(row),
    recipientCount,
    ...present({ code: codeOf(row) }),
    errors: triggerErrorsOf(row).map(({ field, message, reason }) => ({
      ...(field.length > 0 && { field: field.join('.') }),
      message,
      ...present({ reason }),
    })),
    count,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

export const unprocessedTriggerRoutes = [
  route({
    method: 'get',
    path: '/v2/unprocessed-triggers',
    summary: 'List the triggers of the last day that created no event: repeated and rejected ones',
    query: pageQuery.extend({
      kind: z.enum(UnprocessedTriggerKind).optional().meta({ description: 'Filter by kind.' }),
      workflowIdentifier: z.string().optional().meta({ description: 'Filter by workflow. It need not exist.' }),
      workflowIdentifiers: valuesField(z.string(), 'workflows, by identifier'),
      transactionId: z.string().optional().meta({ description: 'Filter by transaction id. Exact match.' }),
      subscriberId: z
        .string()
        .optional()
        .meta({ description: `Filter by one of the first ${MAX_TRACED} recipients, by subscriberId.` }),
      subscriberIds: valuesField(z.string(), 'recipients, by subscriberId'),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which the trigger was recorded.' }),
    }),
    resolver: unprocessedTriggers,
    input: ({ query: { kind, transactionId, createdAfter, createdBefore, ...query } }) => {
      const { workflowIdentifier, workflowIdentifiers, subscriberId, subscriberIds, ...page } = query
      const named = { workflowIdentifier, workflowIdentifiers, subscriberId, subscriberIds }
      return {
        ...pageOfQuery(page),
        filter: {
          kind,
          transactionId,
          ...named,
          createdAfter: dateOf(createdAfter),
          createdBefore: dateOf(createdBefore),
        },
      }
    },
    statuses: [200],
    response: pageSchema(unprocessedView),
    view: (page, scope) => showPage(scope, page, showUnprocessed),
  }),
]
