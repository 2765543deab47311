// Mutation tests: changes the sources in small ways, one at a time, and reports the changes that no test notices.
//   npx tsx test/mutation/run.ts [--count 200] [--seed 1] [--tests <pattern>]... [folder or file of src]...
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chanceOf } from '../support/chance.ts'
import { changesOf, type Mutant } from './mutants.ts'
import type { Plan, Trial } from './plan.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The engine, the domain, and the pipeline of a request. */
const places = ['src/engine', 'src/domain', 'src/graphql/door', 'src/graphql/plugins']

/** The most test files that are run for one mutant. */
const MAX_FILES = 6
/** Milliseconds without a result after which a process counts as hung, and its mutant as killed. */
const PATIENCE = 120_000
const HUNG = 'hung'

export interface Outcome {
  readonly mutant: Mutant
  /** The test that failed, or `hung`. Undefined if none did. */
  readonly killedBy: string | undefined
  /** The number of test files that were run. 0 if no test reaches the mutant. */
  readonly files: number
}

/** Returns all mutants of these places, without ids. */
function allMutants(of: readonly string[]): Omit<Mutant, 'id'>[] {
  const files = of.flatMap((place) =>
    statSync(path.join(root, place)).isFile()
      ? [place]
      : readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts'))
          .map((name) => `${place}/${name}`),
  )
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    return changesOf(file, text).map((change) => ({
      ...change,
      file,
      line: text.slice(0, change.start).split('\n').length,
      original: text.slice(change.start, change.end).replaceAll(/\s+/g, ' ').slice(0, 80),
    }))
  })
}

/** Chooses mutants at random, the same for the same seed. */
function sample(mutants: readonly Omit<Mutant, 'id'>[], count: number, seed: number): Mutant[] {
  const chance = chanceOf(seed)
  return mutants
    .map((mutant) => ({ mutant, at: chance.below(2 ** 32) }))
    .toSorted((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ mutant }, index) => ({ ...mutant, id: index + 1 }))
}

const linesOf = (file: string): unknown[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : []

function start(folder: string, name: string, plan: Omit<Plan, 'results'>): { child: ChildProcess; results: string } {
  const results = path.join(folder, `${name}.jsonl`)
  const file = path.join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ ...plan, results } satisfies Plan))
  const child = spawn('npx', ['vitest', 'run', '--config', '.config/vitest.mutation.ts', '--root', '.'], {
    cwd: root,
    // The mutants are reported by the tests themselves.
    stdio: 'ignore',
    detached: true,
    // eslint-disable-next-line no-restricted-properties
    env: { ...process.env, MUTATION_PLAN: file },
  })
  return { child, results }
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })

interface Reach {
  readonly file: string
  readonly reached: readonly number[]
  readonly took: number
}

/** Chooses the test files for a mutant: those that are named like its file first, then those that reach the fewest others. */
function trialOf({ id, file }: Mutant, reaches: readonly Reach[]): Trial {
  const stem = path.basename(file, '.ts')
  const rank = (reach: Reach) => (path.basename(reach.file).startsWith(stem) ? 0 : reach.reached.length * reach.took)
  const files = reaches
    .filter(({ reached }) => reached.includes(id))
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAX_FILES)
  return { id, files: files.map((reach) => reach.file) }
}

type Note = { readonly begun: number } | { readonly ended: number; readonly killedBy: string | null }

/** Runs trials in one process, and in another one after a mutant that hangs. @returns what killed each. */
async function kill(folder: string, name: string, plan: Omit<Plan, 'results'>): Promise<Map<number, string | null>> {
  const outcomes = new Map<number, string | null>()
  for (let round = 1, left = plan.trials; left.length > 0; round += 1) {
    const { child, results } = start(folder, `${name}-${round}`, { ...plan, trials: left })
    const exit = ended(child)
    let known = -1
    for (let isOver = false; !isOver;) {
      isOver = await Promise.race([exit.then(() => true), setTimeout(PATIENCE, false)])
      const { length } = linesOf(results)
      if (!isOver && length === known && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      known = length
    }
    const notes = linesOf(results) as Note[]
    for (const note of notes) if ('ended' in note) outcomes.set(note.ended, note.killedBy)
    const last = notes.at(-1)
    if (last === undefined) throw new Error('no mutant was tried: run one of its tests by hand')
    if ('begun' in last) outcomes.set(last.begun, HUNG)
    left = left.filter(({ id }) => !outcomes.has(id))
  }
  return outcomes
}

/** The test file of a kill, such as `/tests/topic.test.ts: are found by their key`. */
const fileOf = (killedBy: string) => killedBy.split(': ')[0] ?? ''

/** Runs the files that killed mutants once more, with none turned on. @returns those that fail even so. */
async function unreliableFiles(
  folder: string,
  plan: Omit<Plan, 'results'>,
  kills: readonly (string | null)[],
): Promise<ReadonlySet<string>> {
  const files = [
    ...new Set(kills.flatMap((killedBy) => (killedBy === null || killedBy === HUNG ? [] : fileOf(killedBy)))),
  ]
  // No mutant has these ids.
  const trials = files.map((file, index) => ({ id: -1 - index, files: [file] }))
  const outcomes = await kill(folder, 'control', { ...plan, trials })
  return new Set(trials.filter(({ id }) => outcomes.get(id) !== null).flatMap((trial) => trial.files))
}

/** Tries mutants, in two processes. */
export async function tryMutants({
  count,
  seed,
  of = places,
  tests = ['test/**/*.test.ts'],
}: {
  readonly count: number
  readonly seed: number
  readonly of?: readonly string[]
  readonly tests?: readonly string[]
}): Promise<Outcome[]> {
  const mutants = sample(allMutants(of), count, seed)
  const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'))
  try {
    const first = start(folder, 'reach', { mutants, trials: [], tests })
    await ended(first.child)
    const reaches = linesOf(first.results) as Reach[]
    const trials = mutants.map((mutant) => trialOf(mutant, reaches))
    const tried = trials.filter(({ files }) => files.length > 0)
    const halves = [0, 1].map((half) => tried.filter((_trial, index) => index % 2 === half))
    const killed = await Promise.all(
      halves.map((half, index) => kill(folder, `kill-${index}`, { mutants, trials: half, tests })),
    )
    const outcomes = new Map(killed.flatMap((half) => [...half]))
    const unreliable = await unreliableFiles(folder, { mutants, trials, tests }, [...outcomes.values()])
    return mutants.map((mutant, index) => {
      const killedBy = outcomes.get(mutant.id) ?? undefined
      const isReliable = killedBy === undefined || !unreliable.has(fileOf(killedBy))
      return { mutant, killedBy: isReliable ? killedBy : undefined, files: trials[index]?.files.length ?? 0 }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      tests: { type: 'string', multiple: true },
    },
  })
  const outcomes = await tryMutants({
    count: Number(values.count),
    seed: Number(values.seed),
    ...(positionals.length > 0 && { of: positionals }),
    ...(values.tests && { tests: values.tests }),
  })
  const killed = outcomes.filter(({ killedBy }) => killedBy !== undefined)
  for (const { mutant, files } of outcomes.filter(({ killedBy }) => killedBy === undefined)) {
    const { file, line, kind, original } = mutant
    console.log(`${file}:${line} ${kind}: ${original} (${files === 0 ? 'no test reaches it' : `${files} test files`})`)
  }
  console.log(`${killed.length} of ${outcomes.length} killed`)
}
