// Tries mutants: runs the tests that reach each of them, and says which of them no test notices.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Mutant } from './mutants.ts'
import type { Result, Trial } from './plan.ts'
import { runEachAlone, runTrials } from './processes.ts'
import { relevanceOf } from './relevance.ts'
import { candidatesOf, filesOf, places, root, sample } from './sample.ts'

/** The tests of these places. */
const rooms = [
  'access',
  'data',
  'delivery',
  'domain',
  'execution',
  'graphql',
  'housekeeping',
  'http',
  'rest',
  'trigger',
]

/** The part of the mutants that tests must notice. */
export const MIN_KILLED = 0.85
/** The maximum number of test files to run for one mutant. */
const MAX_FILES = 8
/** Maximum milliseconds that these files take when no mutant is turned on. So long that a busy machine tries the same. */
const MAX_TIME = 120_000

export interface Outcome {
  readonly mutant: Mutant
  /** The test that failed, or `hung`. Undefined if none did. */
  readonly killedBy: string | undefined
  /** True if that test timed out, twice. */
  readonly hasTimedOut: boolean
  /** The number of test files that were to be run. 0 if no test reaches the mutant. */
  readonly files: number
}

/** Orders test files for a mutant: those named alike, then the most relevant. */
function orderOf({ file, declaration }: Mutant, relevant: ReturnType<typeof relevanceOf>): readonly string[] {
  const isNamedAlike = (test: string) => path.basename(test).startsWith(path.basename(file, '.ts'))
  const ordered = relevant(`${file} ${declaration}`)
  return [...ordered.filter(isNamedAlike), ...ordered.filter((test) => !isNamedAlike(test))]
}

/** Takes the first of these test files, as far as there is time. */
function asLongAsThereIsTime(files: readonly string[], passed: ReadonlyMap<string, Result>): string[] {
  let left = MAX_TIME
  return files
    .filter((file) => {
      const took = passed.get(file)?.took
      if (took === undefined || left < took) return false
      left -= took
      return true
    })
    .slice(0, MAX_FILES)
}

interface Attempted {
  readonly count: number
  readonly seed: number
  /** Files and folders of sources. */
  readonly of?: readonly string[]
  /** Files and folders of tests. */
  readonly tests?: readonly string[]
  /** Called with a line for each test file and each mutant. */
  readonly onProgress?: (line: string) => void
}

/** Tries mutants, in two processes, on the embedded database. */
export async function tryMutants({
  count,
  seed,
  of = places,
  tests = rooms.map((room) => `test/${room}`),
  onProgress = () => {},
}: Attempted): Promise<Outcome[]> {
  const mutants = sample(candidatesOf(of), count, seed)
  const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'))
  let done = 0
  const onResult = ({ ended, killedBy }: Result) => {
    const mutant = mutants.find(({ id }) => id === ended)
    done += 1
    if (mutant === undefined)
      onProgress(`${done} test files without a mutant${killedBy ? `, failed: ${killedBy}` : ''}`)
    else onProgress(`${done}: ${killedBy ? 'killed' : 'survived'} ${describe(mutant)}`)
  }
  const run = { mutants, folder, onResult }
  try {
    const files = tests.flatMap((place) => filesOf(place, '.test.ts')).map((file) => path.join(root, file))
    const without = files.map((file, index) => ({ id: -1 - index, files: [file] }))
    const first = await runTrials('without', run, without, -1)
    // A file that fails without a mutant cannot kill one.
    const passed = new Map(
      without.flatMap(({ id, files: [file = ''] }) => {
        const result = first.results.get(id)
        return result?.killedBy === null ? [[file, result] as const] : []
      }),
    )
    if (passed.size === 0) throw new Error('no test has passed without a mutant')

    const relevant = relevanceOf(files.map((file) => ({ file, text: readFileSync(file, 'utf8') })))
    const trials = mutants.map((mutant): Trial => {
      const reaching = orderOf(mutant, relevant).filter((file) => passed.get(file)?.reached.includes(mutant.id))
      return { id: mutant.id, files: asLongAsThereIsTime(reaching, passed) }
    })
    done = 0
    const reachable = trials.filter((trial) => trial.files.length > 0)
    const { results } = await runTrials('mutants', run, reachable)

    // What runs while files are loaded has run before a mutant is turned on.
    const loaded = mutants.filter(({ id }) => first.loaded.has(id) && (results.get(id)?.killedBy ?? null) === null)
    const again = loaded.map((mutant) => ({
      id: mutant.id,
      files: asLongAsThereIsTime(orderOf(mutant, relevant), passed),
    }))
    const alone = await runEachAlone(run, again)
    const filesOfTrial = new Map([...trials, ...again].map(({ id, files: own }) => [id, own.length]))
    return mutants.map((mutant) => {
      const result = alone.get(mutant.id) ?? results.get(mutant.id)
      return {
        mutant,
        killedBy: result?.killedBy ?? undefined,
        hasTimedOut: result?.hasTimedOut ?? false,
        files: filesOfTrial.get(mutant.id) ?? 0,
      }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Describes a mutant: its place, and what replaces what. */
function describe({ file, line, kind, original, replacement = '' }: Mutant): string {
  const text =
    kind === 'call left out' || kind.startsWith('without ')
      ? ''
      : ` → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 100)}`
  return `${file}:${line} ${kind}: ${original.slice(0, 100)}${text}`
}

/** Describes the mutants that no test notices, one line each. */
export function survivorsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .filter(({ killedBy }) => killedBy === undefined)
    .map(({ mutant, files }) => `${describe(mutant)} (${files === 0 ? 'no test reaches it' : `${files} test files`})`)
}

/** A sentence with the part of the mutants that tests notice. */
export function scoreOf(outcomes: readonly Outcome[]): { readonly score: number; readonly sentence: string } {
  const killed = outcomes.filter(({ killedBy }) => killedBy !== undefined)
  const late = killed.filter(({ hasTimedOut }) => hasTimedOut)
  const score = killed.length / outcomes.length
  return {
    score,
    sentence: `${killed.length} of ${outcomes.length} killed (${Math.floor(score * 1000) / 10} %), ${late.length} of them by a test that timed out twice`,
  }
}
