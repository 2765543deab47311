// The contents of the queue of an environment, with what is paused, for operators.
import { z } from 'zod'
import { pausesHere } from '../../data/pause.ts'
import { type QueuedJobs, readQueuedJobs } from '../../data/queue/queued-jobs.ts'
import { integrationsById } from '../../data/integration.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'

/** Something that is paused. */
interface PausedPart {
  /** Such as `integration acme-sms`. */
  readonly named: string
  readonly pausedAt: Date
  readonly pausedBy: string
  readonly reason: string | null
}

export interface QueueContents {
  readonly jobs: readonly QueuedJobs[]
  readonly pauses: readonly PausedPart[]
}

async function readPauses({ load, environmentId }: Scope): Promise<PausedPart[]> {
  const pauses = await load(pausesHere, environmentId)
  return Promise.all(
    pauses.map(async ({ integrationId, workflowIdentifier, pausedAt, pausedBy, reason }) => {
      const integration = integrationId === null ? null : await load(integrationsById, integrationId)
      const workflow = workflowIdentifier === null ? 'environment' : `workflow ${workflowIdentifier}`
      return { named: integration ? `integration ${integration.identifier}` : workflow, pausedAt, pausedBy, reason }
    }),
  )
}

/** Reads what waits in the queue of the environment, by kind and integration. Reads every job, so it is for operators. */
export const queueContents = query({
  name: 'queue.read',
  permission: 'event:read',
  input: z.object({}),
  run: async (scope): Promise<QueueContents> => ({
    jobs: await readQueuedJobs(scope, scope.now()),
    pauses: await readPauses(scope),
  }),
})
