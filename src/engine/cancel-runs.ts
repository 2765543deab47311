// Cancels runs that are not over: one run, or all that match a filter, in portions. Their events continue.
import { z } from 'zod'
import type { WorkflowRun } from '../data/prisma/client.ts'
import { countMatchingRuns, findMatchingRuns } from '../data/open-run.ts'
import { runFilter, storedRunFilter } from '../domain/execution/run.ts'
import { audit } from '../domain/resolver/audit.ts'
import { assertCondition, dryRun } from '../domain/resolver/deletion.ts'
import { notFound } from '../domain/resolver/reference.ts'
import { mutation, unwrappedMutation } from '../domain/resolver/resolver.ts'
import { refuse } from '../lib/errors.ts'
import { cancelPortion, MAX_CANCELLED, MAX_COUNTED_RUNS, PORTION, untilNow } from './cancel-all.ts'

/** Cancels a run with its unsent messages. What was sent stays. @throws Refusal `CONFLICT` if it is over. */
export const cancelWorkflowRun = mutation({
  name: 'workflowRun.cancel',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }): Promise<WorkflowRun> {
    const { db, environmentId } = scope
    const where = { environmentId_id: { environmentId, id } }
    const found = await db.workflowRun.findUnique({ where, select: { eventId: true } })
    if (found === null) throw notFound('Run', { id })
    const { runs } = await cancelPortion(scope, [{ id, ...found }], false)
    const run = await db.workflowRun.findUniqueOrThrow({ where })
    if (runs === 0) {
      throw refuse('CONFLICT', `Run "${id}" is ${run.status}: only a run that is not over can be cancelled`, 'id', id)
    }
    return run
  },
})

export interface CancelledRuns {
  /** The number of runs that are cancelled now. In a dry run, the number of those that would be. */
  readonly cancelled: number
  /** The number of matching runs that are not over, counted up to `MAX_COUNTED_RUNS`. In a dry run, all that match. */
  readonly remaining: number
}

/**
 * Cancels runs that match a filter and are not over, at most `MAX_CANCELLED`. Runs that are created later, also by an event
 * that gets its runs meanwhile, are not affected. A call that is interrupted, or that reaches its limit, is continued by
 * the same call.
 */
export const cancelWorkflowRuns = unwrappedMutation({
  name: 'workflowRun.cancelAll',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({ filter: runFilter, dryRun }),
  async run(scope, { filter: given, dryRun: isDryRun }): Promise<CancelledRuns> {
    assertCondition(given)
    const filter = { ...storedRunFilter(given), createdBefore: given.createdBefore ?? untilNow(scope) }
    let cancelled = 0
    for (let met = 0; isDryRun !== true && met < MAX_CANCELLED; met += PORTION) {
      const runs = await findMatchingRuns(scope, filter, PORTION)
      if (runs.length === 0) break
      cancelled += (await scope.transaction((inner) => cancelPortion(inner, runs, false))).runs
    }
    if (cancelled > 0) {
      audit(scope, 'runs cancelled', { environmentId: scope.environmentId, filter: given, runs: cancelled })
    }
    const remaining = await countMatchingRuns(scope, filter, MAX_COUNTED_RUNS)
    return { cancelled: isDryRun === true ? remaining : cancelled, remaining }
  },
})
