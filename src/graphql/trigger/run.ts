// Workflow runs: the execution of an event's workflow for each recipient, step by step.
import { RunStatus as runStatuses, StepStatus as stepStatuses } from '../../data/prisma/enums.ts'
import {
  eventOfRun,
  isCancellable,
  type StepRun as StepRunRow,
  stepRunsOf,
  workflowRun,
  type WorkflowRun as WorkflowRunRow,
  workflowRuns,
  workflowRunsOfContext,
  workflowRunsOfEvent,
  workflowRunsOfSubscriber,
  workflowRunsOfWorkflow,
} from '../../domain/execution/run.ts'
import { runOutcome } from '../../domain/execution/run-outcome.ts'
import { subscriber } from '../../domain/subscriber.ts'
import { retryWorkflowRun } from '../../engine/retry.ts'
import { Context } from '../context.ts'
import { builder } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { connectionOf, createdFields, listArgs } from '../schema/connection.ts'
import { readWorkflowCondition, replacedBy, workflowConditions } from '../schema/former-name.ts'
import { mutationField } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { defineNode } from '../schema/node.ts'
import { edge, edgeList, edgeView, queryList } from '../schema/query.ts'
import { Subscriber } from '../subscriber.ts'
import { Event } from './event.ts'
import { causeField, FailureCause } from './failure-cause.ts'
import { reasonStepDescription, RunOutcome } from './event-outcome.ts'
import { retriableField, retriedVersionField } from './retried-version.ts'
import { formerReason, RunReason, runReason, runReasonOf, stepReasonFields } from './step-reason.ts'
import { StepType } from '../workflow-step.ts'
import { Workflow } from '../workflow.ts'
import { anyOfThe, createdAt, exactContexts, keyOf, newestFirst, nodeIdOf, updatedAt } from '../schema/wording.ts'

const RunStatus = builder.enumType('RunStatus', {
  description: 'The status of a run.',
  values: {
    RUNNING: { value: runStatuses.running, description: 'The run is in progress.' },
    WAITING: {
      value: runStatuses.waiting,
      description: 'The run waits: for a delay, for a digest, or for the result of an earlier step.',
    },
    COMPLETED: {
      value: runStatuses.completed,
      description: 'All steps were executed or skipped. Messages may still be in delivery.',
    },
    FAILED: {
      value: runStatuses.failed,
      description:
        'A fault of the gateway stopped the run at every attempt. Retry the run with `retryWorkflowRun`, or several with `retryWorkflowRuns`.',
    },
    CANCELLED: {
      value: runStatuses.cancelled,
      description: 'The run or its event was cancelled, or the subscriber deleted, before the run completed.',
    },
  } as const,
})

export const StepStatus = builder.enumType('StepStatus', {
  description: 'The status of a step in a run.',
  values: {
    WAITING: { value: stepStatuses.waiting, description: 'The step waits until `dueAt`.' },
    COMPLETED: { value: stepStatuses.completed, description: 'The wait is over.' },
    MERGED: { value: stepStatuses.merged, description: 'Merged into an earlier digest that was still open.' },
    SKIPPED: { value: stepStatuses.skipped, description: 'The step was not executed. `reasonCode` says why.' },
    SENDING: { value: stepStatuses.sending, description: 'Messages are in delivery.' },
    SENT: { value: stepStatuses.sent, description: 'At least one destination accepted the message.' },
    FAILED: { value: stepStatuses.failed, description: 'No destination accepted the message. `reasonCode` says why.' },
    CANCELLED: {
      value: stepStatuses.cancelled,
      description: 'Cancelled before the step was executed. `reasonCode` says why.',
    },
  } as const,
})

export const StepRun = builder.objectRef<StepRunRow>('StepRun').implement({
  description: 'The execution of one step in a run, and the reason for its status.',
  fields: (t) => ({
    stepId: t.exposeString('stepId', { description: keyOf('step in the workflow') }),
    type: t.expose('type', { type: StepType, description: 'The type of the step.' }),
    status: t.expose('status', { type: StepStatus, description: 'The status.' }),
    ...stepReasonFields(t, 'was skipped, has failed or was cancelled'),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'A sentence that explains the reason. Null if there is no reason.',
    }),
    cause: causeField(t, 'the messages of the step'),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time a delay or digest ends. Null for other steps.',
    }),
    notificationDeletedAt: t.expose('notificationDeletedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'The time the notification of an in-app step was deleted from the feed. Null if it was not, or before this was stored.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'The time the step run was created, when the step was decided.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('step run') }),
  }),
})

/** The outcome in the row of a run. */
const storedOutcome = ({ id, outcome, reason, reasonStepId }: WorkflowRunRow) => ({ id, outcome, reason, reasonStepId })

export const WorkflowRun = builder.objectRef<WorkflowRunRow>('WorkflowRun')
defineNode(WorkflowRun, {
  description: "One execution of an event's workflow for one recipient. At most one per recipient.",
  resolver: workflowRun,
  fields: (t) => ({
    status: t.expose('status', { type: RunStatus, description: 'The status.' }),
    outcome: edgeView(t, {
      type: RunOutcome,
      description: 'The outcome: whether anything arrived at the recipient.',
      resolver: runOutcome,
      decode: storedOutcome,
      view: ({ outcome }) => outcome,
    }),
    reasonCode: edgeView(t, {
      ...runReason,
      resolver: runOutcome,
      decode: storedOutcome,
      view: runReasonOf,
    }),
    reason: edgeView(t, {
      ...formerReason,
      type: 'String',
      resolver: runOutcome,
      decode: storedOutcome,
      view: ({ reason }) => reason,
    }),
    reasonStepId: edgeView(t, {
      type: 'String',
      nullable: true,
      description: reasonStepDescription,
      resolver: runOutcome,
      decode: storedOutcome,
      view: ({ reasonStepId }) => reasonStepId,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description:
        'The error message of a failed run, or the reason of a run that was cancelled without its event. Null for other runs.',
    }),
    event: edge(t, {
      description: 'The event.',
      type: Event,
      resolver: eventOfRun,
      decode: ({ eventId }) => ({ eventId }),
    }),
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the recipient.' }),
    subscriber: edge(t, {
      description:
        'The recipient. Null if the recipient was deleted, even if another subscriber was created later under the same `subscriberId`.',
      type: Subscriber,
      nullable: true,
      resolver: subscriber,
      decode: ({ subscriberRowId }) => ({ id: subscriberRowId }),
    }),
    steps: edge(t, {
      description: 'The steps reached so far, in order.',
      type: [StepRun],
      complexity: usualLength(10),
      resolver: stepRunsOf,
      decode: ({ id }) => ({ runId: id }),
    }),
    retriable: retriableField(t),
    cancellable: edgeView(t, {
      type: 'Boolean',
      description:
        'True if `cancelWorkflowRun` has something to cancel: the run is `RUNNING` or `WAITING`, has unsent messages, or is part of an open digest.',
      resolver: isCancellable,
      decode: ({ id }) => ({ id }),
      view: (cancellable) => cancellable,
    }),
    retriedAt: t.expose('retriedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the run was last retried to execute steps again. Null if it was not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('run') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('run') }),
  }),
})

const WorkflowRunConnection = connectionOf(WorkflowRun, 'A page of runs.')

export const runArgs = listArgs('WorkflowRun', (t) => ({
  status: t.field({ type: RunStatus, description: 'The status. `FAILED` lists dead letters.' }),
  statuses: t.field({ type: [RunStatus], description: anyOfThe('statuses') }),
  outcome: t.field({ type: RunOutcome, description: 'The outcome. `FAILED` lists runs of which nothing arrived.' }),
  outcomes: t.field({ type: [RunOutcome], description: anyOfThe('outcomes') }),
  reason: t.string({
    description: 'The code of the reason why nothing arrived, in lower case.',
    deprecationReason: replacedBy('reasons'),
  }),
  reasons: t.field({ type: [RunReason], description: anyOfThe('reasons why nothing arrived') }),
  causes: t.field({ type: [FailureCause], description: anyOfThe('causes by which the messages of a step failed') }),
  stepId: t.string({ description: 'The stepId of the step that decided that nothing arrived.' }),
  stepIds: t.stringList({ description: anyOfThe('steps that decided that nothing arrived, by stepId') }),
  subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
  subscriberIds: t.stringList({ description: anyOfThe('recipients, by subscriberId') }),
  ...workflowConditions(t),
  workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
  transactionId: t.string({ description: 'The transaction id of the event.' }),
  contextKeys: t.stringList({ description: exactContexts('runs of events') }),
  ...createdFields(t),
}))

queryList('workflowRuns', {
  description: `The runs of the environment. ${newestFirst}`,
  connection: WorkflowRunConnection,
  args: runArgs,
  resolver: workflowRuns,
  decode: readWorkflowCondition,
})

builder.objectField(Subscriber, 'workflowRuns', (t) =>
  edgeList(t, {
    description: `The runs for the subscriber, including runs for an earlier subscriber with the same \`subscriberId\`. ${newestFirst}`,
    connection: WorkflowRunConnection,
    args: runArgs,
    resolver: workflowRunsOfSubscriber,
    decode: ({ subscriberId }, args) => ({ ...readWorkflowCondition(args), subscriberId }),
  }),
)

builder.objectField(Context, 'workflowRuns', (t) =>
  edgeList(t, {
    description: `The runs of events with exactly this context. ${newestFirst}`,
    connection: WorkflowRunConnection,
    args: runArgs,
    resolver: workflowRunsOfContext,
    decode: ({ key }, args) => ({ ...readWorkflowCondition(args), key }),
  }),
)

builder.objectField(Workflow, 'runs', (t) =>
  edgeList(t, {
    description: `The runs of all versions of the workflow. ${newestFirst}`,
    connection: WorkflowRunConnection,
    args: runArgs,
    resolver: workflowRunsOfWorkflow,
    decode: ({ identifier }, args) => ({ ...readWorkflowCondition(args), identifier }),
  }),
)

builder.objectField(Event, 'runs', (t) =>
  edgeList(t, {
    description:
      'The runs of the event, newest first. There is one for each recipient, including the subscribers of topics.',
    connection: WorkflowRunConnection,
    args: (arg) => ({
      ...runArgs(arg),
      status: arg({
        type: RunStatus,
        description: 'Filters by status.',
        deprecationReason: 'Use `filter`.',
      }),
      subscriberId: arg.string({
        description: 'Filters by the subscriberId of the recipient.',
        deprecationReason: 'Use `filter`.',
      }),
    }),
    resolver: workflowRunsOfEvent,
    decode({ id }, { status, subscriberId, ...args }) {
      const { filter, ...list } = readWorkflowCondition(args)
      return {
        ...list,
        eventId: id,
        filter: { ...filter, status: filter?.status ?? status, subscriberId: filter?.subscriberId ?? subscriberId },
      }
    },
  }),
)

mutationField('retryWorkflowRun', {
  description:
    'Retries a run that has ended. Resumes a failed run at the step where it stopped, and repeats the steps that were not sent for a reason that may be gone. `CONFLICT` if there is nothing to repeat.',
  input: (t) => ({
    id: t.id({ required: true, description: nodeIdOf('run') }),
    workflowVersion: retriedVersionField(t),
  }),
  resolver: retryWorkflowRun,
  decode: ({ id, workflowVersion }) => ({ id: rowIdOf(WorkflowRun, id, 'id'), workflowVersion }),
  payload: { workflowRun: WorkflowRun },
})
