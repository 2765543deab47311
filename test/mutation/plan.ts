// What a run of the mutation tests works on, which its processes are given.
import type { Mutant } from './mutants.ts'

/** A mutant, and the test files that may kill it, the most promising first. */
export interface Trial {
  readonly id: number
  /** Absolute paths. */
  readonly files: readonly string[]
}

export interface Plan {
  readonly mutants: readonly Mutant[]
  /** Empty in the first phase, which finds the tests that reach each mutant. */
  readonly trials: readonly Trial[]
  /** Patterns of the test files. */
  readonly tests: readonly string[]
  /** The file to which results are appended, a line of JSON each. */
  readonly results: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    mutation: Pick<Plan, 'trials' | 'results'>
  }
}
