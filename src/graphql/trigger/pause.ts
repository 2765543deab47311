// Pauses in the graph: of integrations, workflows and environments, and of the events, runs and messages that wait.
import {
  type PausedKind as Kind,
  pausedKindOf,
  pauseOfDelivery,
  pauseOfEnvironment,
  pauseOfEvent,
  pauseOfIntegration,
  pauseOfRun,
  pauseOfWorkflow,
} from '../../domain/execution/current-pause.ts'
import {
  type Pause as PauseRow,
  pauseEnvironment,
  pauseIntegration,
  pauseWorkflow,
  type Resumed,
  resumeEnvironment,
  resumeIntegration,
  resumeWorkflow,
} from '../../domain/execution/pause.ts'
import { Environment, namedEnvironment } from '../access/environment.ts'
import { Delivery } from './delivery.ts'
import { Integration, namedIntegration } from '../integration.ts'
import { WorkflowRun } from './run.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { mutationField, part, type PayloadFields } from '../schema/mutation.ts'
import { edge } from '../schema/query.ts'
import { Event } from './event.ts'
import { namedWorkflow, Workflow } from '../workflow.ts'
import { byDefault } from '../schema/wording.ts'

const PausedKind = builder.enumType('PausedKind', {
  description: 'The kind of the paused object.',
  values: {
    ENVIRONMENT: { value: 'environment', description: 'An environment. All of its runs and messages wait.' },
    INTEGRATION: { value: 'integration', description: 'An integration. Its messages wait.' },
    WORKFLOW: { value: 'workflow', description: 'A workflow. Its runs and messages wait.' },
  } as const satisfies Record<Uppercase<Kind>, { value: Kind; description: string }>,
})

export const Pause = builder.objectRef<PauseRow>('Pause').implement({
  description:
    'The pause of an integration, a workflow or an environment. Pending messages and runs wait until the pause ends. Nothing fails, and no attempt is used up.',
  fields: (t) => ({
    kind: t.field({ type: PausedKind, description: 'The kind of the paused object.', resolve: pausedKindOf }),
    pausedAt: t.expose('pausedAt', { type: 'DateTime', description: 'The time the pause began.' }),
    pausedBy: t.exposeString('pausedBy', {
      description: 'The caller that began the pause: the name of an API key, the dashboard or the command line.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The note of the caller that began the pause. Null if there is none.',
    }),
  }),
})

builder.objectField(Integration, 'pause', (t) =>
  edge(t, {
    description: 'The pause of the integration. Null if it is not paused.',
    type: Pause,
    nullable: true,
    resolver: pauseOfIntegration,
    decode: ({ id }) => ({ id }),
  }),
)

builder.objectField(Workflow, 'pause', (t) =>
  edge(t, {
    description: 'The pause of the workflow. Null if it is not paused.',
    type: Pause,
    nullable: true,
    resolver: pauseOfWorkflow,
    decode: ({ id }) => ({ id }),
  }),
)

builder.objectField(Environment, 'pause', (t) =>
  edge(t, {
    description: 'The pause of the environment. Null if it is not paused.',
    type: Pause,
    nullable: true,
    resolver: pauseOfEnvironment,
    decode: ({ id }) => ({ id }),
  }),
)

builder.objectField(Event, 'pause', (t) =>
  edge(t, {
    description:
      'The pause of the workflow or environment that holds the event. Null if there is none, or if the event has ended.',
    type: Pause,
    nullable: true,
    resolver: pauseOfEvent,
    decode: (event) => event,
  }),
)

builder.objectField(WorkflowRun, 'pause', (t) =>
  edge(t, {
    description:
      'The pause of the workflow or environment that holds the run. Null if there is none, or if the run has ended.',
    type: Pause,
    nullable: true,
    resolver: pauseOfRun,
    decode: ({ status, workflowIdentifier }) => ({ status, workflowIdentifier }),
  }),
)

builder.objectField(Delivery, 'pause', (t) =>
  edge(t, {
    description:
      'The pause of the integration, workflow or environment that holds the message. Null if there is none, or if the message is not pending.',
    type: Pause,
    nullable: true,
    resolver: pauseOfDelivery,
    decode: ({ status, integrationId, workflowIdentifier }) => ({ status, integrationId, workflowIdentifier }),
  }),
)

const reasonField = (t: InputFields) =>
  t.string({ description: `A note for other people: 1 to 255 characters. ${byDefault('none')}` })

/** The payload field with the number of released jobs. */
const releasedCount = (t: PayloadFields<Resumed<unknown>>) =>
  part(
    t,
    'Int',
    'The number of released jobs: messages, events, and groups of up to 100 runs.',
    ({ released }) => released,
  )

mutationField('pauseIntegration', {
  description:
    'Pauses an integration: its pending and new messages wait until the pause ends. Messages that are being sent are not stopped. Has no effect if the integration is paused. To stop using an integration permanently, set `active` to false instead, which fails its pending messages.',
  input: (t) => ({ ...namedIntegration.fields(t), reason: reasonField(t) }),
  resolver: pauseIntegration,
  decode: namedIntegration.decode,
  payload: { integration: Integration },
})

mutationField('resumeIntegration', {
  description: 'Resumes a paused integration: the messages that waited are sent. Has no effect without a pause.',
  input: namedIntegration.fields,
  resolver: resumeIntegration,
  decode: namedIntegration.decode,
  payload: {
    integration: (t) => part(t, Integration, 'The integration.', ({ resumed }) => resumed),
    releasedCount,
  },
})

mutationField('pauseWorkflow', {
  description:
    'Pauses a workflow: its runs and unsent messages wait until the pause ends. Triggers are accepted, and wait too. Runs whose delay or digest ends during the pause continue after it. Has no effect if the workflow is paused.',
  input: (t) => ({ ...namedWorkflow.fields(t), reason: reasonField(t) }),
  resolver: pauseWorkflow,
  decode: namedWorkflow.decode,
  payload: { workflow: Workflow },
})

mutationField('resumeWorkflow', {
  description:
    'Resumes a paused workflow: its runs continue, and its messages are sent. Has no effect without a pause.',
  input: namedWorkflow.fields,
  resolver: resumeWorkflow,
  decode: namedWorkflow.decode,
  payload: {
    workflow: (t) => part(t, Workflow, 'The workflow.', ({ resumed }) => resumed),
    releasedCount,
  },
})

mutationField('pauseEnvironment', {
  description:
    'Pauses an environment: its runs and unsent messages wait until the pause ends. Triggers are accepted, and wait too. Erasures continue. Has no effect if the environment is paused. Requires the rights of `updateEnvironment`.',
  input: (t) => ({ ...namedEnvironment.fields(t), reason: reasonField(t) }),
  resolver: pauseEnvironment,
  decode: namedEnvironment.decode,
  payload: { environment: Environment },
})

mutationField('resumeEnvironment', {
  description:
    'Resumes a paused environment: its runs continue, and its messages are sent. Has no effect without a pause.',
  input: namedEnvironment.fields,
  resolver: resumeEnvironment,
  decode: namedEnvironment.decode,
  payload: {
    environment: (t) => part(t, Environment, 'The environment.', ({ resumed }) => resumed),
    releasedCount,
  },
})
