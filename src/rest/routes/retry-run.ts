// Routes of retries of runs: one run, or all that match a filter.
import { z } from 'zod'
import { RunOutcome, RunStatus } from '../../data/prisma/enums.ts'
import { failureCauseCodes } from '../../domain/channel/failure-cause.ts'
import { runReasonCodes } from '../../domain/trigger/step-reason.ts'
import { MAX_MATCHED, MAX_RETRIED, retryWorkflowRuns } from '../../engine/retry-all.ts'
import { retryWorkflowRun } from '../../engine/retry.ts'
import { route } from '../route.ts'
import { timestamp, valuesField } from '../views.ts'

const { dryRun, after, workflowVersion } = retryWorkflowRuns.definition.input.shape

const version = workflowVersion.meta({
  description:
    'Version of the workflow to execute: when the event was triggered, or the current one. Default: `triggered`.',
})

const dateOf = (given: string | undefined) => (given === undefined ? undefined : new Date(given))

export const retryRunRoutes = [
  route({
    method: 'post',
    path: '/v1/workflow-runs/retry',
    summary: `Retry up to ${MAX_RETRIED} runs: repeat their steps that were not sent, oldest runs first`,
    example: { transactionId: 'order-1', workflowVersion: 'current', dryRun: true },
    // Without a misspelled condition, more runs would be retried.
    body: z.strictObject({
      outcome: z.enum(RunOutcome).optional().meta({ description: 'Outcome of the run.' }),
      outcomes: valuesField(z.enum(RunOutcome), 'outcomes of the run'),
      reasons: valuesField(z.enum(runReasonCodes), 'reasons of the steps to repeat; `run_failed` selects failed runs'),
      causes: valuesField(z.enum(failureCauseCodes), 'causes by which the messages of the steps failed'),
      stepId: z.string().optional().meta({ description: 'Step id of the step to repeat.' }),
      stepIds: valuesField(z.string(), 'steps to repeat, by step id'),
      subscriberId: z.string().optional().meta({ description: 'Subscriber id of the recipient.' }),
      subscriberIds: valuesField(z.string(), 'recipients, by subscriber id'),
      workflow: z.string().optional().meta({ description: 'Identifier of the workflow.' }),
      workflowIdentifiers: valuesField(z.string(), 'workflows, by identifier'),
      transactionId: z.string().optional().meta({ description: 'Transaction id of the event.' }),
      topicKey: z.string().optional().meta({ description: 'Key of a topic that the event names as a recipient.' }),
      topicKeys: valuesField(z.string(), 'topics that the event names as recipients, by key'),
      contextKeys: z.array(z.string()).optional().meta({ description: 'Exact set of context keys.' }),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation. Inclusive.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which the run was created. Exclusive.' }),
      workflowVersion: version,
      dryRun: dryRun.meta({ description: `True counts the runs, up to ${MAX_MATCHED}, and retries none.` }),
      after: after.meta({ description: '`next` of the previous call. Default: start with the oldest run.' }),
    }),
    resolver: retryWorkflowRuns,
    input: ({ body: { workflow, workflowVersion, dryRun, after, createdAfter, createdBefore, ...filter } }) => ({
      filter: {
        ...filter,
        workflowIdentifier: workflow,
        createdAfter: dateOf(createdAfter),
        createdBefore: dateOf(createdBefore),
      },
      workflowVersion,
      dryRun,
      after,
    }),
    statuses: [200],
    response: z.object({
      retriedCount: z.number().int().meta({
        description: 'Number of runs that were retried. In a dry run, the number of runs that would be.',
      }),
      remainingCount: z
        .number()
        .int()
        .meta({
          description: `Number of matching runs that later calls will retry, counted up to ${MAX_MATCHED}. In a dry run, all that match.`,
        }),
      next: z.string().nullable().meta({ description: 'Value of `after` for the next call. Null if no runs remain.' }),
    }),
    view: ({ retried, remaining, next }) => ({ retriedCount: retried, remainingCount: remaining, next }),
  }),
  route({
    method: 'post',
    path: '/v1/workflow-runs/{id}/retry',
    summary: 'Retry a run that has ended: continue it, or repeat its steps that were not sent',
    params: z.object({ id: z.uuid().meta({ description: '`_id` of the run.' }) }),
    example: { workflowVersion: 'current' },
    // Without a misspelled version, another workflow would be executed.
    body: z.strictObject({ workflowVersion: version }).optional(),
    resolver: retryWorkflowRun,
    input: ({ params: { id }, body }) => ({ id, workflowVersion: body?.workflowVersion }),
    statuses: [200],
    response: z
      .object({ _id: z.string(), subscriberId: z.string(), status: z.enum(RunStatus) })
      .meta({ id: 'RetriedRun', description: 'A run that was retried.' }),
    view: ({ id, subscriberId, status }) => ({ _id: id, subscriberId, status }),
  }),
]
