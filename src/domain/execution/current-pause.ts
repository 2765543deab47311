// The pause of an integration, a workflow or an environment, and the pause that an event, a run or a message waits for.
import { z } from 'zod'
import { environmentsById } from '../../data/access/environment.ts'
import { tallies } from '../../data/event.ts'
import { environmentPauses, type Pause as Paused, pausesHere } from '../../data/pause.ts'
import type { Event, Pause } from '../../data/prisma/client.ts'
import { DeliveryStatus, RunStatus } from '../../data/prisma/enums.ts'
import { statusOf } from '../trigger/event-status.ts'
import { mainScope, scopeOn } from '../resolver/databases.ts'
import { query } from '../resolver/resolver.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

const byId = z.object({ id: z.uuid() })

export type PausedKind = 'environment' | 'integration' | 'workflow'

/** The kind of a paused object. */
export function pausedKindOf({ integrationId, workflowId }: Pick<Pause, 'integrationId' | 'workflowId'>): PausedKind {
  if (integrationId !== null) return 'integration'
  return workflowId === null ? 'environment' : 'workflow'
}

/** Finds the pause of an environment of the organization. Null if it is not paused. Batched. */
export const pauseOfEnvironment = query({
  name: 'environment.getPause',
  permission: 'environment:read',
  input: byId,
  async run(scope, { id }): Promise<Pause | null> {
    if (scope.databases.names.length === 0) return scope.load(environmentPauses, id)
    const environment = await mainScope(scope).load(environmentsById, id)
    if (environment === null) return null
    const { db } = scopeOn(scope, environment.database)
    return db.pause.findUnique({ where: { environmentId_targetId: { environmentId: id, targetId: id } } })
  },
})

/** Finds the environment's first pause that matches a condition. */
async function findPause(
  { load, environmentId }: Pick<EnvironmentScope, 'load' | 'environmentId'>,
  fits: (pause: Paused) => boolean,
): Promise<Pause | null> {
  return (await load(pausesHere, environmentId)).find(fits) ?? null
}

/** Finds the pause of an integration. Null if it is not paused. Batched. */
export const pauseOfIntegration = query({
  name: 'integration.getPause',
  permission: 'integration:read',
  input: byId,
  run: (scope, { id }) => findPause(scope, ({ targetId }) => targetId === id),
})

/** Finds the pause of a workflow. Null if it is not paused. Batched. */
export const pauseOfWorkflow = query({
  name: 'workflow.getPause',
  permission: 'workflow:read',
  input: byId,
  run: (scope, { id }) => findPause(scope, ({ targetId }) => targetId === id),
})

/** True if a pause applies to the whole environment or to the workflow. */
const stopsRuns =
  (workflowIdentifier: string | null) =>
  (pause: Paused): boolean =>
    pause.targetId === pause.environmentId ||
    (pause.workflowIdentifier !== null && pause.workflowIdentifier === workflowIdentifier)

/** Finds the pause that an event waits for. Null if there is none, or if the event has no work left. Batched. */
export const pauseOfEvent = query({
  name: 'event.getPause',
  permission: 'event:read',
  input: z.custom<Event>(),
  async run(scope, event) {
    const pause = await findPause(scope, stopsRuns(event.workflowIdentifier))
    if (pause === null) return null
    const tally = await scope.load(tallies, event.id)
    const status = statusOf(event, tally.runs)
    return status === 'accepted' || status === 'running' || tally.messages.pending > 0 ? pause : null
  },
})

/** Finds the pause that a run waits for. Null if there is none, or the run has ended. Batched. */
export const pauseOfRun = query({
  name: 'workflowRun.getPause',
  permission: 'event:read',
  input: z.object({ status: z.enum(RunStatus), workflowIdentifier: z.string().nullable() }),
  async run(scope, { status, workflowIdentifier }) {
    if (status !== 'running' && status !== 'waiting') return null
    return findPause(scope, stopsRuns(workflowIdentifier))
  },
})

/** Finds the pause that a message waits for. Null if there is none, or the message has ended. Batched. */
export const pauseOfDelivery = query({
  name: 'delivery.getPause',
  permission: 'event:read',
  input: z.object({
    status: z.enum(DeliveryStatus),
    integrationId: z.string().nullable(),
    workflowIdentifier: z.string().nullable(),
  }),
  async run(scope, { status, integrationId, workflowIdentifier }) {
    if (status !== 'pending') return null
    const stopsRun = stopsRuns(workflowIdentifier)
    return findPause(
      scope,
      (pause) => stopsRun(pause) || (integrationId !== null && pause.integrationId === integrationId),
    )
  },
})
