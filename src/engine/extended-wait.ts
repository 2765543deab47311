// Prolongs the waits of delays and digests to the next hours of the subscriber's schedule.
import { advanceJobs } from '../data/queue/job.ts'
import type { ActiveRun } from '../data/run.ts'
import { type ProlongedWait, prolongWaits } from '../data/step-run.ts'
import { preferencesBySubscriber } from '../domain/preference/preference-rule.ts'
import { nextOpening } from '../domain/preference/schedule.ts'
import { extendsToSchedule } from '../domain/workflow-step.ts'
import { groupBy } from '../lib/group-by.ts'
import { sendingTime } from './decision/outside-schedule.ts'
import type { RunExecution } from './step.ts'

/** How often a wait is prolonged: the schedule may change meanwhile, and a run must not wait forever. */
const MAX_EXTENSIONS = 3

/** The end of a wait. */
interface EndingWait {
  /** The position of the step that waits. Undefined if the runs do not wait. */
  readonly position: number | undefined
  /** How often the wait was prolonged. Default: never. */
  readonly extended?: number | undefined
  readonly digestWorkflowId: string | null
}

/** When the wait of a run ends instead. Undefined if it ends now. */
async function laterEnd(
  { scope, runContext, dueAt }: Pick<RunExecution, 'scope' | 'runContext' | 'dueAt'>,
  { id, hasPreferences, subscriber: { subscriberId, timezone } }: ActiveRun,
): Promise<ProlongedWait | undefined> {
  if (!hasPreferences) return undefined
  const { contextKeys } = runContext.event
  const { global } = await scope.load(preferencesBySubscriber, { subscriberId, contextKeys })
  const at = sendingTime(scope, dueAt)
  const opening = nextOpening(global?.schedule ?? null, timezone, at)
  return opening && opening > at ? { runId: id, dueAt: opening } : undefined
}

/**
 * Prolongs the waits that end outside the hours of their subscriber's schedule, if their step asks for it. A critical
 * workflow ignores schedules.
 *
 * @returns the other runs.
 */
export async function withoutExtended(
  execution: Pick<RunExecution, 'scope' | 'runContext' | 'changes' | 'dueAt'>,
  runs: readonly ActiveRun[],
  { position, extended = 0, digestWorkflowId }: EndingWait,
): Promise<readonly ActiveRun[]> {
  const { scope, runContext, changes } = execution
  const { workflow, priority } = runContext
  const step = position === undefined ? undefined : workflow.steps[position]
  if (position === undefined || step === undefined || !extendsToSchedule(step)) return runs
  if (workflow.critical || extended >= MAX_EXTENSIONS) return runs
  const waiting = runs.filter(({ status }) => status === 'waiting')
  const prolonged = (await Promise.all(waiting.map((run) => laterEnd(execution, run)))).filter(
    (one) => one !== undefined,
  )
  await prolongWaits(scope, prolonged, position, scope.now())
  const together = groupBy(prolonged, ({ dueAt }) => dueAt.getTime())
  for (const [time, group] of together) {
    const dueAt = new Date(time)
    const runIds = group.map(({ runId }) => runId)
    const closesDigestOf = step.type === 'digest' ? workflow.id : undefined
    const timing = { dueAt, availableAt: dueAt, digestWorkflowId, priority }
    changes.add({ jobs: advanceJobs(runIds, { position, closesDigestOf, extended: extended + 1, ...timing }) })
  }
  const left = new Set(prolonged.map(({ runId }) => runId))
  return runs.filter(({ id }) => !left.has(id))
}
