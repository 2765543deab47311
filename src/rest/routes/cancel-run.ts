// Routes of cancellations of runs: one run, or all that match a filter.
import { z } from 'zod'
import { RunOutcome, RunStatus } from '../../data/prisma/enums.ts'
import { failureCauseCodes } from '../../domain/channel/failure-cause.ts'
import { runReasonCodes } from '../../domain/trigger/step-reason.ts'
import { MAX_CANCELLED, MAX_COUNTED_RUNS } from '../../engine/cancel-all.ts'
import { cancelWorkflowRun, cancelWorkflowRuns } from '../../engine/cancel-runs.ts'
import { route } from '../route.ts'
import { dateOf, timestamp, valuesField } from '../views.ts'

const { dryRun } = cancelWorkflowRuns.definition.input.shape

export const cancelRunRoutes = [
  route({
    method: 'post',
    path: '/v1/workflow-runs/cancel',
    summary: `Cancel up to ${MAX_CANCELLED} matching runs that are not over`,
    example: { transactionId: 'order-1', subscriberIds: ['ada', 'grace'], dryRun: true },
    // Without a misspelled condition, more runs would be cancelled.
    body: z.strictObject({
      status: z.enum(RunStatus).optional().meta({ description: 'Status of the run.' }),
      statuses: valuesField(z.enum(RunStatus), 'statuses of the run'),
      outcome: z.enum(RunOutcome).optional().meta({ description: 'Outcome of the run.' }),
      outcomes: valuesField(z.enum(RunOutcome), 'outcomes of the run'),
      reasons: valuesField(z.enum(runReasonCodes), 'reasons why nothing arrived'),
      causes: valuesField(z.enum(failureCauseCodes), 'causes by which the messages of a step failed'),
      stepId: z.string().optional().meta({ description: 'Step id of the step that decided that nothing arrived.' }),
      stepIds: valuesField(z.string(), 'steps that decided that nothing arrived, by step id'),
      subscriberId: z.string().optional().meta({ description: 'Subscriber id of the recipient.' }),
      subscriberIds: valuesField(z.string(), 'recipients, by subscriber id'),
      workflow: z.string().optional().meta({ description: 'Identifier of the workflow.' }),
      workflowIdentifiers: valuesField(z.string(), 'workflows, by identifier'),
      transactionId: z.string().optional().meta({ description: 'Transaction id of the event.' }),
      contextKeys: z.array(z.string()).optional().meta({ description: 'Exact set of context keys.' }),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation. Inclusive.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which the run was created. Exclusive.' }),
      dryRun: dryRun.meta({ description: `True counts the runs, up to ${MAX_COUNTED_RUNS}, and cancels none.` }),
    }),
    resolver: cancelWorkflowRuns,
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
    response: z.object({
      cancelledCount: z.number().int().meta({
        description: 'Number of runs that are now cancelled. In a dry run, the number of runs that would be.',
      }),
      remainingCount: z
        .number()
        .int()
        .meta({
          description: `Number of matching runs that are not over yet, counted up to ${MAX_COUNTED_RUNS}: repeat the call until it is 0. In a dry run, all that match.`,
        }),
    }),
    view: ({ cancelled, remaining }) => ({ cancelledCount: cancelled, remainingCount: remaining }),
  }),
  route({
    method: 'post',
    path: '/v1/workflow-runs/{id}/cancel',
    summary: 'Cancel a run that is not over, with its unsent messages',
    params: z.object({ id: z.uuid().meta({ description: '`_id` of the run.' }) }),
    resolver: cancelWorkflowRun,
    input: ({ params: { id } }) => ({ id }),
    statuses: [200],
    response: z
      .object({ _id: z.string(), subscriberId: z.string(), status: z.enum(RunStatus) })
      .meta({ id: 'CancelledRun', description: 'A run that was cancelled.' }),
    view: ({ id, subscriberId, status }) => ({ _id: id, subscriberId, status }),
  }),
]
