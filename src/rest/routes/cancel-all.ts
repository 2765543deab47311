// Route of the cancellation of all events that match a filter.
import { z } from 'zod'
import { cancelEvents, MAX_CANCELLED, MAX_COUNTED_RUNS } from '../../engine/cancel-all.ts'
import { cancellationView, showCancellation } from '../cancellation-view.ts'
import { route } from '../route.ts'
import { dateOf, timestamp, valuesField } from '../views.ts'

const { dryRun } = cancelEvents.definition.input.shape

export const cancelAllRoutes = [
  route({
    method: 'post',
    path: '/v1/events/bulk/cancel',
    summary: `Cancel all matching events that are not over, up to ${MAX_CANCELLED} runs`,
    example: { workflow: 'onboarding', subscriberId: 'ada' },
    // Without a misspelled condition, more events would be cancelled.
    body: z.strictObject({
      workflow: z.string().optional().meta({ description: 'Identifier of the workflow.' }),
      workflowIdentifiers: valuesField(z.string(), 'workflows, by identifier'),
      subscriberId: z.string().optional().meta({
        description: "Subscriber id of a recipient. Only this subscriber's runs are cancelled.",
      }),
      subscriberIds: valuesField(z.string(), 'recipients, by subscriber id'),
      topicKey: z.string().optional().meta({ description: 'Key of a topic that the event names as a recipient.' }),
      topicKeys: valuesField(z.string(), 'topics that the event names as recipients, by key'),
      contextKeys: z.array(z.string()).optional().meta({ description: 'Exact set of context keys.' }),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation. Inclusive.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which the event was created. Exclusive.' }),
      dryRun: dryRun.meta({
        description: `True counts what matches, up to ${MAX_COUNTED_RUNS} runs, and cancels nothing.`,
      }),
    }),
    resolver: cancelEvents,
    input: ({ body: { workflow, dryRun, createdAfter, createdBefore, ...filter } }) => ({
      filter: {
        ...filter,
        workflowIdentifier: workflow,
        createdAfter: dateOf(createdAfter),
        createdBefore: dateOf(createdBefore),
      },
      dryRun,
    }),
    statuses: [200],
    response: cancellationView,
    view: showCancellation,
  }),
]
