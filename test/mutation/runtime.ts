// The switches of mutants in a process that runs tests. Loaded before each test file, and so before the sources.

/** Calls of one mutant after which it counts as an endless loop. No test makes as many. */
const MAX_HITS = 10_000_000

interface Switches {
  /** The id of the mutant that is turned on. None has an id below 1. */
  active: number
  hits: number
  /** The mutants that were reached by a trial of none. */
  readonly reached: Set<number>
}

declare global {
  var __mutation: Switches | undefined
  var __mutant: ((id: number) => boolean) | undefined
}

export const switches: Switches = (globalThis.__mutation ??= { active: 0, hits: 0, reached: new Set() })

globalThis.__mutant ??= (id) => {
  if (switches.active < 0) switches.reached.add(id)
  if (id !== switches.active) return false
  switches.hits += 1
  if (switches.hits > MAX_HITS) throw new Error('the mutant runs in an endless loop')
  return true
}

/** Turns on one mutant, or none with 0. */
export function turnOn(id: number): void {
  switches.active = id
  switches.hits = 0
}
