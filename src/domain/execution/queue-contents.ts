// The contents of an environment's queue, and what keeps messages from being sent, for operators.
import { z } from 'zod'
import { pausesHere } from '../../data/pause.ts'
import { type QueuedJobs, readQueuedJobs } from '../../data/queue/queued-jobs.ts'
import { integrationsById } from '../../data/integration.ts'
import { type SendingRules, sendingRulesOf } from '../access/sending.ts'
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

/** An integration whose provider or account is down. */
interface OpenPart {
  readonly integrationIdentifier: string
  readonly isFallback: boolean
  readonly openedAt: Date
  readonly nextProbeAt: Date | null
}

export interface QueueContents {
  readonly rules: SendingRules
  readonly jobs: readonly QueuedJobs[]
  readonly pauses: readonly PausedPart[]
  /** The circuits that are not closed. */
  readonly circuits: readonly OpenPart[]
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

async function readCircuits({ db, environmentId }: Scope): Promise<OpenPart[]> {
  const rows = await db.integrationCircuit.findMany({
    where: { environmentId, openedAt: { not: null } },
    select: { openedAt: true, probeAt: true, integration: { select: { identifier: true, isFallback: true } } },
    orderBy: { integrationId: 'asc' },
  })
  return rows.flatMap(({ openedAt, probeAt, integration: { identifier, isFallback } }) =>
    openedAt === null ? [] : [{ integrationIdentifier: identifier, isFallback, openedAt, nextProbeAt: probeAt }],
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
    rules: await sendingRulesOf(scope),
    jobs: await readQueuedJobs(scope, scope.now()),
    pauses: await readPauses(scope),
    circuits: await readCircuits(scope),
  }),
})
