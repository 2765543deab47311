// The time of messages: until when a message is of use, and for how long it may be attempted.
import { advanceJobs, type NewJob, type Priority } from '../data/queue/job.ts'
import type { Delivery } from '../data/prisma/client.ts'
import type { FailureCause } from '../domain/channel/failure-cause.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { durationOf, expiresAfterOf, type Step, timeLimitOf } from '../domain/workflow-step.ts'
import { groupBy } from '../lib/group-by.ts'
import type { RunContext } from './decision/run-context.ts'

type Limits = Partial<Pick<Delivery, 'expiresAt' | 'timeLimit' | 'timeLimitAt'>>

/** The causes of messages that were not sent in time. Each is also the reason of its step. */
export type Overdue = Extract<FailureCause, 'expired' | 'time_limit'>

export const isOverdue = (cause: string | null | undefined): cause is Overdue =>
  cause === 'expired' || cause === 'time_limit'

/** @returns the limits of the messages that a step creates, and true if they would have expired already. */
export function limitsOf({
  scope,
  runContext: { event },
  step,
  dueAt,
}: {
  readonly scope: EnvironmentScope
  readonly runContext: RunContext
  readonly step: Step
  readonly dueAt: Date
}): { readonly limits: Limits; readonly hasExpired: boolean } {
  const expiresAfter = expiresAfterOf(step)
  const timeLimit = timeLimitOf(step)
  // In a preview, waits end immediately, so the step is due in the future.
  const start = Math.max(scope.now().getTime(), dueAt.getTime())
  const expiresAt = expiresAfter && new Date(event.createdAt.getTime() + durationOf(expiresAfter))
  const length = timeLimit && durationOf(timeLimit)
  return {
    // Columns without values are left out of the statement.
    limits: {
      ...(expiresAt && { expiresAt }),
      ...(length && { timeLimit: length / 1000, timeLimitAt: new Date(start + length) }),
    },
    hasExpired: expiresAt !== null && expiresAt.getTime() <= start,
  }
}

/** @returns when a pending message ends if it was not sent, and why. Undefined if there is no such time. */
export function deadlineOf({
  expiresAt = null,
  timeLimitAt = null,
}: Limits): { readonly at: Date; readonly cause: Overdue } | undefined {
  if (expiresAt !== null && (timeLimitAt === null || expiresAt <= timeLimitAt))
    return { at: expiresAt, cause: 'expired' }
  return timeLimitAt === null ? undefined : { at: timeLimitAt, cause: 'time_limit' }
}

/** The step of a run that sends messages with limits. */
export interface LimitedStep extends Limits {
  readonly runId: string
  readonly position: number
}

/**
 * Jobs that end the messages of steps at their deadline, even if the messages wait behind others or for the end of a
 * pause. Steps without limits need none.
 */
export function deadlineJobs(steps: readonly LimitedStep[], priority?: Priority): NewJob[] {
  const limited = steps.flatMap((step) => {
    const deadline = deadlineOf(step)
    return deadline ? [{ ...step, at: deadline.at }] : []
  })
  const together = groupBy(limited, ({ position, at }) => `${position} ${at.getTime()}`)
  return [...together.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const runIds = [...new Set(group.map(({ runId }) => runId))]
    return advanceJobs(runIds, {
      expires: first.position,
      dueAt: first.at,
      ...(priority !== undefined && { priority }),
    })
  })
}
