// Runs in the graph: what became of an event for each of its recipients, step by step.
import { RunStatus as runStatuses, StepStatus as stepStatuses } from '../data/prisma/enums.ts'
import { event } from '../domain/event.ts'
import {
  type StepRun as StepRunRow,
  stepRunsOf,
  workflowRun,
  type WorkflowRun as WorkflowRunRow,
  workflowRuns,
  workflowRunsOfEvent,
} from '../domain/run.ts'
import { subscriber } from '../domain/subscriber.ts'
import { retryWorkflowRun } from '../engine/retry.ts'
import { Event } from './event.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { rowIdOf } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'
import { Subscriber } from './subscriber.ts'
import { StepType } from './workflow-step.ts'

export const RunStatus = builder.enumType('RunStatus', {
  description: 'How far a run has come.',
  values: {
    RUNNING: { value: runStatuses.running, description: 'It is about to go on.' },
    WAITING: {
      value: runStatuses.waiting,
      description: 'It waits for a time, for more triggers, or for what an earlier step comes to.',
    },
    COMPLETED: { value: runStatuses.completed, description: 'Every step was decided. Messages may be on their way.' },
    FAILED: {
      value: runStatuses.failed,
      description: 'A fault of the gateway kept it from going on, however often it was tried. It can be retried.',
    },
    CANCELLED: { value: runStatuses.cancelled, description: 'Its event was cancelled before it came to its end.' },
  } as const,
})

export const StepStatus = builder.enumType('StepStatus', {
  description: 'What became of a step in a run.',
  values: {
    WAITING: { value: stepStatuses.waiting, description: 'It waits until `dueAt`.' },
    COMPLETED: { value: stepStatuses.completed, description: 'Its wait is over.' },
    MERGED: { value: stepStatuses.merged, description: 'Its trigger went on in the digest of an earlier one.' },
    SKIPPED: { value: stepStatuses.skipped, description: 'It was decided against: `reason` says why.' },
    SENDING: { value: stepStatuses.sending, description: 'Messages are on their way.' },
    SENT: { value: stepStatuses.sent, description: 'It arrived, at one destination at least.' },
    FAILED: { value: stepStatuses.failed, description: 'It arrived nowhere: `reason` says why.' },
    CANCELLED: { value: stepStatuses.cancelled, description: 'Its event was cancelled before.' },
  } as const,
})

export const StepRun = builder.objectRef<StepRunRow>('StepRun').implement({
  description: 'What was decided of one step in one run, and why.',
  fields: (t) => ({
    stepId: t.exposeString('stepId', { description: 'As the workflow calls the step.' }),
    type: t.expose('type', { type: StepType, description: 'What the step does.' }),
    status: t.expose('status', { type: StepStatus, description: 'What became of it.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why it was skipped, failed or cancelled, for programs: such as `condition`, `subscriber_workflow_preference` or `no_destination`. Null otherwise.',
    }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'The same in a sentence, with the names that matter. Null when there is no reason.',
    }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when a delay or digest waits. Null of every other step.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was decided.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
})

export const WorkflowRun = builder.objectRef<WorkflowRunRow>('WorkflowRun')
builder.node(WorkflowRun, {
  description: 'An event at work for one of its recipients, who has one run of it however often they are named.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => workflowRun(scope, { id }))),
  fields: (t) => ({
    status: t.expose('status', { type: RunStatus, description: 'How far it has come.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed. Null when it did not.' }),
    event: t.field({
      type: Event,
      nullable: true,
      description: 'The event. Never null.',
      resolve: ({ eventId }, _args, { scope }) => event(scope, { id: eventId }),
    }),
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the recipient.' }),
    subscriber: t.field({
      type: Subscriber,
      nullable: true,
      description: 'The recipient. Null when it is being deleted.',
      resolve: ({ subscriberId }, _args, { scope }) => subscriber(scope, { subscriberId }),
    }),
    steps: t.field({
      type: [StepRun],
      description: 'What was decided of each step that it has come to, in their order.',
      resolve: async ({ id }, _args, { scope }) => [...(await stepRunsOf(scope, { runId: id }))],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last went on.' }),
  }),
})

const WorkflowRunConnection = connectionOf(WorkflowRun, 'A page of runs.')

const WorkflowRunFilter = builder.inputType('WorkflowRunFilter', {
  description: 'Which runs: those that meet all that is given.',
  fields: (t) => ({
    status: t.field({ type: RunStatus, description: 'Those of this status. `FAILED` are dead letters.' }),
    subscriberId: t.string({ description: 'Exactly of the subscriber with this subscriberId.' }),
  }),
})

const WorkflowRunOrder = orderInput('WorkflowRun')

builder.queryFields((t) => ({
  workflowRuns: t.connection(
    {
      ...calls(workflowRuns),
      type: WorkflowRun,
      description: 'The runs of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: WorkflowRunFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: WorkflowRunOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await workflowRuns(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    WorkflowRunConnection,
  ),
}))

builder.objectFields(Event, (t) => ({
  runs: t.connection(
    {
      ...calls(workflowRunsOfEvent),
      type: WorkflowRun,
      description: 'What became of it for each recipient, newest first. A topic has one for each of its subscribers.',
      args: { status: t.arg({ type: RunStatus, description: 'Only those of this status. Absent means all.' }) },
      resolve: async ({ id }, { status, ...args }, { scope }) =>
        toConnection(await workflowRunsOfEvent(scope, { eventId: id, filter: { status }, page: pageRequestOf(args) })),
    },
    WorkflowRunConnection,
  ),
}))

mutationField('retryWorkflowRun', {
  description: 'Has a run that failed go on where it stood.',
  input: (t) => ({ id: t.id({ required: true, description: 'The node id of the run.' }) }),
  resolver: retryWorkflowRun,
  decode: ({ id }) => ({ id: rowIdOf(WorkflowRun, id, 'id') }),
  payload: (t) => ({
    workflowRun: t.field({
      type: WorkflowRun,
      nullable: true,
      description: 'The run. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})
