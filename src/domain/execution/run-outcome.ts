// The outcome of a run: whether anything arrived at its recipient, and why not.
import { z } from 'zod'
import { runOutcomes, type SettledRun } from '../../data/event-outcome.ts'
import type { WorkflowRun } from '../../data/prisma/client.ts'
import { RunOutcome } from '../../data/prisma/enums.ts'
import { refuse } from '../../lib/errors.ts'
import { query } from '../resolver/resolver.ts'

/** Reads the outcome of a run. Runs of earlier versions have none until it is computed. Batched. */
export const runOutcome = query({
  name: 'workflowRun.getOutcome',
  permission: 'event:read',
  input: z.object({
    id: z.uuid(),
    outcome: z.enum(RunOutcome).nullable(),
    reason: z.string().nullable(),
    reasonStepId: z.string().nullable(),
  } satisfies Record<keyof (SettledRun & Pick<WorkflowRun, 'id'>), z.ZodType>),
  async run({ load }, { id, outcome, reason, reasonStepId }): Promise<SettledRun> {
    if (outcome !== null) return { outcome, reason, reasonStepId }
    const computed = await load(runOutcomes, id)
    if (computed === null) throw refuse('NOT_FOUND', `Run "${id}" not found`)
    return computed
  },
})
