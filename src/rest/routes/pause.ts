// Routes that pause and resume integrations, workflows and environments.
import { z } from 'zod'
import {
  pauseEnvironment,
  pauseIntegration,
  pauseWorkflow,
  type Resumed,
  resumeEnvironment,
  resumeIntegration,
  resumeWorkflow,
} from '../../domain/execution/pause.ts'
import { route } from '../route.ts'

const { reason } = pauseIntegration.definition.input.shape
const pauseBody = z
  .object({ reason: reason.meta({ description: 'A note for other people: 1 to 255 characters.' }) })
  .optional()

const pausedView = z
  .object({ paused: z.literal(true) })
  .meta({ id: 'Paused', description: 'The pause. Runs and messages wait until it ends.' })
const paused = (): z.input<typeof pausedView> => ({ paused: true })

const resumedView = z
  .object({
    paused: z.literal(false),
    releasedCount: z.number().int().meta({
      description: 'Number of released jobs: messages, events, and groups of up to 100 runs.',
    }),
  })
  .meta({ id: 'Resumed', description: 'The object is not paused.' })
const resumed = ({ released }: Resumed<unknown>): z.input<typeof resumedView> => ({
  paused: false,
  releasedCount: released,
})

/** The parts shared by the routes of a pause. */
const pausing = {
  method: 'post',
  example: { reason: 'The provider is down' },
  body: pauseBody,
  statuses: [200],
  response: pausedView,
  view: paused,
} as const
const resuming = { method: 'post', statuses: [200], response: resumedView, view: resumed } as const

const named = (noun: string) => z.object({ id: z.string().meta({ description: `\`_id\` of the ${noun}.` }) })
const workflowNamed = z.object({ identifier: z.string().meta({ description: 'Identifier of the workflow.' }) })

export const pauseRoutes = [
  route({
    ...pausing,
    path: '/v1/integrations/{id}/pause',
    summary: 'Pause an integration: its messages wait until the pause ends',
    params: named('integration'),
    resolver: pauseIntegration,
  }),
  route({
    ...resuming,
    path: '/v1/integrations/{id}/resume',
    summary: 'Resume an integration: the messages that waited are sent',
    params: named('integration'),
    resolver: resumeIntegration,
  }),
  route({
    ...pausing,
    path: '/v2/workflows/{identifier}/pause',
    summary: 'Pause a workflow: its runs and unsent messages wait until the pause ends',
    params: workflowNamed,
    resolver: pauseWorkflow,
  }),
  route({
    ...resuming,
    path: '/v2/workflows/{identifier}/resume',
    summary: 'Resume a workflow: its runs continue, and its messages are sent',
    params: workflowNamed,
    resolver: resumeWorkflow,
  }),
  route({
    ...pausing,
    path: '/v1/environments/{id}/pause',
    summary: 'Pause an environment: its runs and unsent messages wait until the pause ends',
    params: named('environment'),
    resolver: pauseEnvironment,
  }),
  route({
    ...resuming,
    path: '/v1/environments/{id}/resume',
    summary: 'Resume an environment: its runs continue, and its messages are sent',
    params: named('environment'),
    resolver: resumeEnvironment,
  }),
]
