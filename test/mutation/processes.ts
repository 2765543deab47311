// Runs trials in processes of their own, and reads their notes.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Mutant } from './mutants.ts'
import type { Note, Plan, Result, Trial } from './plan.ts'
import { root } from './sample.ts'

const PROCESSES = 2
/** Milliseconds without a note after which a process counts as hung. */
const MAX_SILENCE = 600_000
/** Milliseconds between two looks at the notes. */
const LOOK = 1000

export interface Run {
  readonly mutants: readonly Mutant[]
  /** The folder of the plans and notes. */
  readonly folder: string
  /** Called after each trial. */
  readonly onResult: (result: Result) => void
}

function notesOf(file: string): Note[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function start(name: string, { folder, mutants }: Run, plan: Pick<Plan, 'trials' | 'loadedWith' | 'patience'>) {
  const results = path.join(folder, `${name}.jsonl`)
  const file = path.join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ ...plan, mutants, results } satisfies Plan))
  const child = spawn('npx', ['vitest', 'run', '--config', '.config/vitest.mutation.ts', '--root', '.'], {
    cwd: root,
    // The trials record failures themselves.
    stdio: 'ignore',
    detached: true,
    // eslint-disable-next-line no-restricted-properties
    env: { ...process.env, MUTATION_PLAN: file, TEST_DATABASE_URL: '' },
  })
  return { child, results }
}

/** Waits for a process to end, and kills it if it makes no progress. @returns its notes. */
async function finish(child: ChildProcess, results: string, onNote: (note: Note) => void): Promise<Note[]> {
  const exit = new Promise<true>((resolve) => {
    child.once('exit', () => resolve(true))
  })
  let known = 0
  let silentSince = Date.now()
  for (let hasEnded = false; !hasEnded;) {
    hasEnded = await Promise.race([exit, setTimeout(LOOK, false)])
    const notes = notesOf(results)
    for (const note of notes.slice(known)) onNote(note)
    if (notes.length > known) silentSince = Date.now()
    known = notes.length
    if (!hasEnded && Date.now() - silentSince > MAX_SILENCE && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL')
  }
  return notesOf(results)
}

/**
 * Runs trials in one process, and continues in another one after a trial that hangs or times out. The machine may have
 * been busy, so such a trial only counts if it does so again with more time.
 */
async function inOneProcess(name: string, run: Run, trials: readonly Trial[], loadedWith: number): Promise<Found> {
  const found: Found = { results: new Map(), loaded: new Set() }
  const repeated = new Set<number>()
  const end = (result: Result) => {
    found.results.set(result.ended, result)
    run.onResult(result)
  }
  const endIfRepeated = (result: Result) => {
    if (repeated.has(result.ended)) end(result)
    else repeated.add(result.ended)
  }
  let left = trials
  for (let round = 1; left.length > 0; round += 1) {
    // Those to repeat come first, and alone.
    const again = left.filter(({ id }) => repeated.has(id))
    const plan = { trials: again.length > 0 ? again : left, loadedWith, patience: again.length > 0 ? 3 : 1 }
    const { child, results } = start(`${name}-${round}`, run, plan)
    const notes = await finish(child, results, (note) => {
      if ('loaded' in note) for (const id of note.loaded) found.loaded.add(id)
      if ('ended' in note) (note.hasTimedOut ? endIfRepeated : end)(note)
    })
    const last = notes.at(-1)
    const isHung = last !== undefined && 'begun' in last
    if (isHung)
      endIfRepeated({ ended: last.begun, killedBy: 'hung', hasTimedOut: true, reached: [], took: MAX_SILENCE })
    // It ended before it began: it says nothing.
    for (const { id } of again)
      if (!found.results.has(id)) end({ ended: id, killedBy: null, hasTimedOut: false, reached: [], took: 0 })
    // All have run. A file whose tests are all skipped has no result.
    const isDone = last === undefined || ('ended' in last && !last.hasTimedOut)
    if (isDone && again.length === 0) break
    left = left.filter(({ id }) => !found.results.has(id))
  }
  return found
}

export interface Found {
  /** By the id of the trial. */
  readonly results: Map<number, Result>
  /** The mutants that were reached while files were loaded. */
  readonly loaded: Set<number>
}

/** Runs trials in several processes. If `loadedWith` is below 0, mutants that are reached while files are loaded are found. */
export async function runTrials(name: string, run: Run, trials: readonly Trial[], loadedWith = 0): Promise<Found> {
  const shares = Array.from({ length: PROCESSES }, (_share, share) =>
    trials.filter((_trial, index) => index % PROCESSES === share),
  )
  const found = await Promise.all(
    shares.map((share, index) => inOneProcess(`${name}-${index}`, run, share, loadedWith)),
  )
  return {
    results: new Map(found.flatMap(({ results }) => [...results])),
    loaded: new Set(found.flatMap(({ loaded }) => [...loaded])),
  }
}

/** Runs each trial in a process of its own, with its mutant turned on before any file is loaded. */
export async function runEachAlone(run: Run, trials: readonly Trial[]): Promise<ReadonlyMap<number, Result>> {
  const results = new Map<number, Result>()
  const waiting = [...trials]
  const work = async () => {
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const found = await inOneProcess(`alone-${trial.id}`, run, [trial], trial.id)
      for (const [id, result] of found.results) results.set(id, result)
    }
  }
  await Promise.all(Array.from({ length: PROCESSES }, work))
  return results
}
