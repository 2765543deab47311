// Decides what a retry of a run repeats: messages that failed, and steps that were not sent for a reason that may be gone.
import { UNDECIDED } from '../data/repeatable-step.ts'
import type { EndedRun, EndedStep } from '../data/run-retry.ts'
import type { RetriedVersion } from '../domain/trigger/current-workflow.ts'
import type { TriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import { durationOf, expiresAfterOf, isChannelStep, type Step, stepsReferredTo } from '../domain/workflow-step.ts'

/** The steps of a run that a retry repeats, by position. */
export interface Repetition {
  /** Steps that are decided again. */
  readonly executed: readonly number[]
  /** Steps whose failed messages are sent again as they are. */
  readonly resent: readonly number[]
  /** True if nothing was decided for the run, so that all of its steps are executed. */
  readonly isNew: boolean
  /** The position from which the run continues. Undefined if it does not. */
  readonly from: number | undefined
  /** The position of the step that the run waits in. Undefined if it does not wait. */
  readonly waitsAt: number | undefined
}

interface Retry {
  /** The workflow to execute. */
  readonly workflow: TriggeredWorkflow
  readonly version: RetriedVersion
  /** True if a failed run continues even if it has no step to repeat. */
  readonly continuesFailed: boolean
  readonly now: Date
}

/** The reasons of steps with failed messages. */
const refused = ['refused', 'time_limit']

const refersTo = ({ condition }: Step, stepIds: ReadonlySet<string>) =>
  stepsReferredTo(condition).some((stepId) => stepIds.has(stepId))

/** @returns undefined if there is nothing to repeat. */
export function repetitionOf(
  { status, position, steps, eventCreatedAt }: EndedRun,
  { workflow, version, continuesFailed, now }: Retry,
): Repetition | undefined {
  const nothing = { executed: [], resent: [], isNew: false, from: undefined, waitsAt: undefined }
  const waiting = steps.find((step) => step.status === 'waiting')
  // A wait is not started again, because that would delay the run twice or lose the digest's triggers.
  if (status === 'failed' && waiting)
    return continuesFailed ? { ...nothing, from: position, waitsAt: waiting.position } : undefined
  const matching = steps.filter(({ matches }) => matches)
  if (matching.some(({ reason }) => reason === UNDECIDED)) return { ...nothing, isNew: true, from: 0 }
  const chosen = withDependents(workflow, steps, matching.filter(isOfUse(workflow, steps, eventCreatedAt, now)))
  const isResent = ({ reason }: EndedStep) => version === 'triggered' && reason !== null && refused.includes(reason)
  const resent = chosen.filter(isResent).map((step) => step.position)
  const executed = chosen.filter((step) => !isResent(step)).map((step) => step.position)
  const continues = status === 'failed' && (continuesFailed || chosen.length > 0)
  if (chosen.length === 0 && !continues) return undefined
  const from = Math.min(...executed, ...(continues ? [position] : []))
  return { ...nothing, executed, resent, from: Number.isFinite(from) ? from : undefined }
}

/**
 * True for steps whose messages are still of use: the workflow has the step, its message would not have expired, and no
 * fallback was sent in its place.
 */
const isOfUse =
  ({ steps: defined }: TriggeredWorkflow, steps: readonly EndedStep[], eventCreatedAt: Date, now: Date) =>
  ({ position }: EndedStep): boolean => {
    const step = defined[position]
    if (!step?.active) return false
    const expiresAfter = expiresAfterOf(step)
    if (expiresAfter !== null && eventCreatedAt.getTime() + durationOf(expiresAfter) <= now.getTime()) return false
    const sent = steps.filter(({ status }) => status === 'sent' || status === 'sending')
    return !sent.some((other) => {
      const fallback = defined[other.position]
      return fallback !== undefined && refersTo(fallback, new Set([step.stepId]))
    })
  }

/** Adds the steps whose conditions were not met, but read the outcome of a step that is repeated. */
function withDependents(
  { steps: defined }: TriggeredWorkflow,
  steps: readonly EndedStep[],
  chosen: readonly EndedStep[],
): readonly EndedStep[] {
  const repeated = new Set(chosen.flatMap(({ position }) => defined[position]?.stepId ?? []))
  const dependents = steps.filter(({ position, reason }) => {
    const step = defined[position]
    if (reason !== 'condition' || !step?.active || !isChannelStep(step) || !refersTo(step, repeated)) return false
    repeated.add(step.stepId)
    return true
  })
  return [...chosen, ...dependents]
}
