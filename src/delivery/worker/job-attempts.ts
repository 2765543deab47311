// How often a job is attempted, and when the next attempt is due.

/**
 * Attempts of a job that fails with an internal error, takes too long or ends with its process. Rejections by providers
 * are counted elsewhere. An hour without a database must not use up the attempts.
 */
const MAX_JOB_ATTEMPTS = 13
/** Milliseconds before the second attempt. Each further pause is about twice as long. */
const FIRST_PAUSE = 1_000

export const attemptsAreUsedUp = (count: number): boolean => count >= MAX_JOB_ATTEMPTS

/**
 * Returns when a job is attempted again after this number of attempts. Randomized, so that jobs that failed together
 * spread out.
 */
export function retryAt(now: Date, attemptCount: number): Date {
  const longest = FIRST_PAUSE * 2 ** (Math.min(attemptCount, MAX_JOB_ATTEMPTS) - 1)
  return new Date(now.getTime() + longest / 2 + (Math.random() * longest) / 2)
}
