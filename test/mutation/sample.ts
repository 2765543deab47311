// Chooses the mutants to try: a sample of all changes of the engine, the domain and the pipeline.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { changesOf, type Mutant } from './mutants.ts'

export const root = path.resolve(import.meta.dirname, '../..')

/** The engine, the domain, and the pipeline of a request. */
export const places = ['src/engine', 'src/domain', 'src/graphql/door', 'src/graphql/pipeline', 'src/graphql/plugins']

/** Returns the files of a folder and its folders, or a file itself. */
export function filesOf(place: string, ending: string): string[] {
  if (statSync(path.join(root, place)).isFile()) return [place]
  return readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${place}/${name}`)
    .toSorted()
}

type Candidate = Omit<Mutant, 'id'>

/** The example data: no test says which person has which failure, and `large.ts` has a system test of its own. */
const EXAMPLE = 'src/engine/example/'

/** Returns all mutants of these places. */
export function candidatesOf(of: readonly string[]): Candidate[] {
  return of
    .flatMap((place) => filesOf(place, '.ts'))
    .filter((file) => !file.startsWith(EXAMPLE))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      return changesOf(file, text).map((change) => ({
        ...change,
        file,
        line: text.slice(0, change.start).split('\n').length,
        original: text.slice(change.start, change.end).replaceAll(/\s+/g, ' '),
      }))
    })
}

/**
 * Chooses mutants at random, the same for the same seed. The choice depends on each mutant alone, so that a change of the
 * sources replaces the mutants of that place only.
 */
export function sample(candidates: readonly Candidate[], count: number, seed: number): Mutant[] {
  const seen = new Map<string, number>()
  const rankOf = ({ file, kind, original }: Candidate) => {
    const name = [seed, file, kind, original].join(' ')
    const earlier = seen.get(name) ?? 0
    seen.set(name, earlier + 1)
    return createHash('sha256').update(`${name} ${earlier}`).digest('hex')
  }
  return candidates
    .map((mutant) => ({ mutant, rank: rankOf(mutant) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }, index) => ({ ...mutant, id: index + 1 }))
}
