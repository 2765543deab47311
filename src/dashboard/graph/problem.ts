// Errors as the page describes them: what happened, and what to do about it.
import type { CombinedError } from 'urql'

export interface Problem {
  readonly message: string
  /** The path of the input field that caused the error. */
  readonly field?: readonly string[]
}

/** The advice for each `extensions.code`. For other codes, the message is sufficient. */
const advice: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Your session has ended. Sign in again.',
  FORBIDDEN: 'Sign in with a key that has more access.',
  RATE_LIMITED: 'Wait a moment, then try again.',
}

/** True if a change was rejected because the object has another version than the expected one. */
export const isStale = (problems: readonly Problem[]): boolean =>
  problems.some(({ field }) => field?.join() === 'expectedVersion')

const isPath = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string')

/** Nothing came back. Queries and pages are loaded again by themselves. */
export const noAnswer: Problem = {
  message: 'The gateway does not respond. Check that it is running and that you are online, then try again.',
}

/** Describes a failed request. */
export function problemOf(error: CombinedError): Problem {
  if (error.networkError !== undefined) return noAnswer
  const [first] = error.graphQLErrors
  if (first === undefined) return { message: error.message }
  const { code, errorId, field } = first.extensions
  const hint = typeof code === 'string' ? advice[code] : undefined
  const reference = typeof errorId === 'string' ? `Find error ${errorId} in the log of the gateway.` : undefined
  const message = [first.message, hint, reference].filter((text) => text !== undefined).join(' ')
  return isPath(field) ? { message, field } : { message }
}
