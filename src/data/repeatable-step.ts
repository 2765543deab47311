// Steps that a retry can repeat: nothing was sent, for a reason that may be gone.
import { Prisma } from './prisma/client.ts'

/**
 * The reasons of steps that a retry can repeat. The index in the migration has the same list. Preferences, conditions that
 * are not met, cancellations, deletions and expired messages stay as they are.
 */
const repeatableReasons = [
  'condition_failed',
  'content',
  'integration_condition_failed',
  'no_destination',
  'no_integration',
  'refused',
  'subscription_condition_failed',
  'time_limit',
] as const

/** The reason of the steps of a run that no step was decided for, because a topic subscription was not readable. */
export const UNDECIDED = 'subscription_condition_failed' satisfies (typeof repeatableReasons)[number]

const listed = repeatableReasons.map((reason) => `'${reason}'`).join(', ')

/** The condition that a retry can repeat a `step`. Waits are not repeated, unless nothing was decided for their run. */
export const isRepeatable = Prisma.raw(`(
  step.reason IN (${listed}) AND step.status IN ('failed', 'skipped')
  AND (step.type NOT IN ('delay', 'digest') OR step.reason = '${UNDECIDED}')
)`)
