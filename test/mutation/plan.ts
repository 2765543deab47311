// The input and the output of a process that runs mutation tests.
import type { Mutant } from './mutants.ts'

/** A mutant that is turned on while test files run, until the first test fails. */
export interface Trial {
  /** The id of the mutant. Below 0, none is turned on, and the mutants that are reached are recorded. */
  readonly id: number
  /** Absolute paths of test files, the most promising first. */
  readonly files: readonly string[]
}

/**
 * What happened. A process that ends after `begun` was hung by the mutant. `loaded` has the mutants that are reached while
 * the files are loaded, before any test runs.
 */
export type Note = { readonly loaded: readonly number[] } | { readonly begun: number } | Result

export interface Result {
  readonly ended: number
  /** The test that failed first, such as `/test/domain/topic.test.ts: is found by its key`. Null if none did. */
  readonly killedBy: string | null
  /**
   * True if that test timed out. It may leave something behind that disturbs others, so the process tries no other
   * mutant.
   */
  readonly hasTimedOut: boolean
  /** The mutants that were reached while none was turned on. */
  readonly reached: readonly number[]
  /** Milliseconds. */
  readonly took: number
}

export interface Plan {
  readonly mutants: readonly Mutant[]
  readonly trials: readonly Trial[]
  /** The id of the mutant that is turned on while the files are loaded. 0 for none, below 0 to record those reached. */
  readonly loadedWith: number
  /** Times the usual time for a test. */
  readonly patience: number
  /** The file to which notes are appended, one line of JSON each. */
  readonly results: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    mutation: Pick<Plan, 'trials' | 'loadedWith' | 'results'> & { readonly hookTimeout: number }
  }
}
