// The contents of an environment's queue, and its pauses, for operators.
import { z } from 'zod'
import { pausesHere } from '../../data/pause.ts'
import { type QueuedJobs, readQueuedJobs } from '../../data/queue/queued-jobs.ts'
import { integrationsById } from '../../data/integration.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'

/** A paused object. */
interface PausedPart {
  /** The kind and the name of the object, such as `integration acme-sms`. */
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

/**
 * Reads the jobs in the environment's queue, by kind and integration. Reads every job, so only operators should use it.
 */
export const queueContents = query({
  name: 'queue.read',
  permission: 'event:read',
  input: z.object({}),
  run: async (scope): Promise<QueueContents> => ({
    jobs: await readQueuedJobs(scope, scope.now()),
    pauses: await readPauses(scope),
  }),
})
