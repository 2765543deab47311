// How often a job is attempted, and when again.

/**
 * Attempts of a job that fails by an internal error, takes too long or ends with its process. Attempts that a provider
 * rejects are counted elsewhere. An hour without a database must not use them up.
 */
const MAX_ATTEMPTS = 13
/** Milliseconds before the second attempt. Each further pause is about twice as long. */
const FIRST_PAUSE = 1_000

export const attemptsAreUsedUp = (count: number): boolean => count >= MAX_ATTEMPTS

/**
 * The time of the next attempt of a job after this number of attempts. Randomized, so that jobs that failed together
 * spread out.
 */
export function retryAt(now: Date, attemptCount: number): Date {
  const longest = FIRST_PAUSE * 2 ** (Math.min(attemptCount, MAX_ATTEMPTS) - 1)
  return new Date(now.getTime() + longest / 2 + (Math.random() * longest) / 2)
}
