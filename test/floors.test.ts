// The house: who may import whom, and what every file keeps to.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/** From the ground up. Rooms on one floor do not know each other; a room imports itself and what is below. */
const floors = [
  ['lib'],
  ['data'],
  ['domain'],
  ['engine'],
  ['http', 'delivery'],
  ['graphql', 'rest'],
  ['app', 'config'],
  ['main'],
]

/** From the oldest on, each with its files: only the younger noun knows the older, and owns what lies between them. */
const nouns = [
  ['environment', 'api-key'],
  ['context'],
  ['subscriber', 'credential', 'subscriber-credential'],
  ['session'],
  ['integration'],
  ['channel-endpoint', 'endpoint', 'endpoint-input', 'endpoint-type'],
  ['topic'],
  ['workflow', 'workflow-step', 'workflow-step-input'],
  ['preference'],
  ['topic-subscription', 'subscription-preference', 'subscribe'],
  ['triggered-workflow', 'event'],
  ['run', 'step-run'],
  ['target', 'content', 'delivery'],
  ['notification', 'notification-stream'],
]

/** What speaks of a transport, and so has no place under the doors. */
const transports = /^(graphql|graphql-.+|@pothos\/.+|hono|@hono\/.+)$/

const source = path.resolve(import.meta.dirname, '../src')

interface File {
  /** Its path under src, such as `domain/topic.ts`. */
  readonly name: string
  readonly text: string
  /** Files under src, by the same names. */
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

function read(name: string): File {
  const text = readFileSync(path.join(source, name), 'utf8')
  const specifiers = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
  const isLocal = (specifier: string) => specifier.startsWith('.')
  return {
    name,
    text,
    imports: specifiers.filter(isLocal).map((specifier) => path.posix.join(path.posix.dirname(name), specifier)),
    packages: specifiers.filter((specifier) => !isLocal(specifier)),
  }
}

const isGenerated = (name: string) => name.startsWith('data/prisma/')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter((name) => name.endsWith('.ts') && !isGenerated(name))
  .map(read)

const roomOf = (name: string) => name.replace(/(\/|\.ts$).*/, '')
const floorOf = (name: string) => floors.findIndex((rooms) => rooms.includes(roomOf(name)))
const ageOf = (name: string) => nouns.findIndex((stems) => stems.includes(path.posix.basename(name, '.ts')))

/** Every import that `isWrong`, as `who -> whom`. */
const pairs = (isWrong: (file: File, imported: string) => boolean) =>
  files.flatMap((file) => file.imports.filter((name) => isWrong(file, name)).map((name) => `${file.name} -> ${name}`))

/** The first circle of imports that is found, from a file back to itself. */
function circle(): string[] {
  const imports = new Map(files.map((file) => [file.name, file.imports]))
  const done = new Set<string>()
  const visit = (name: string, way: readonly string[]): string[] => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name]
    if (done.has(name)) return []
    for (const next of imports.get(name) ?? []) {
      const found = visit(next, [...way, name])
      if (found.length > 0) return found
    }
    done.add(name)
    return []
  }
  for (const { name } of files) {
    const found = visit(name, [])
    if (found.length > 0) return found
  }
  return []
}

const namesOf = (isWrong: (file: File) => boolean) => files.filter(isWrong).map(({ name }) => name)

describe('the floors', () => {
  test('every file stands on one', () => {
    expect(namesOf(({ name }) => floorOf(name) === -1)).toEqual([])
  })

  test('imports go downwards only', () => {
    const isUpwards = ({ name }: File, imported: string) =>
      roomOf(name) !== roomOf(imported) && floorOf(imported) >= floorOf(name)
    expect(pairs(isUpwards)).toEqual([])
  })

  test('no import comes back to where it started', () => {
    expect(circle()).toEqual([])
  })

  test('no noun imports a younger one', () => {
    const isYounger = ({ name }: File, imported: string) =>
      roomOf(name) !== 'engine' && ageOf(name) !== -1 && ageOf(imported) > ageOf(name)
    expect(pairs(isYounger)).toEqual([])
  })

  test('a transport is spoken of at the doors only', () => {
    const isUnderTheDoors = ({ name }: File) => ['lib', 'data', 'domain', 'engine', 'delivery'].includes(roomOf(name))
    expect(
      namesOf((file) => isUnderTheDoors(file) && file.packages.some((specifier) => transports.test(specifier))),
    ).toEqual([])
  })

  test('raw SQL is in data only', () => {
    const isRaw = ({ name, text }: File) => roomOf(name) !== 'data' && /\$(queryRaw|executeRaw)/.test(text)
    expect(namesOf(isRaw)).toEqual([])
  })
})

describe('every file', () => {
  test('starts with a line that says what it is for', () => {
    expect(namesOf(({ text }) => !/^\/\/ \S.{10,}/.test(text))).toEqual([])
  })

  test('is named in kebab case, by what is in it', () => {
    const isBad = ({ name }: File) => {
      const base = path.posix.basename(name, '.ts')
      return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(base) || /^(index|utils?|helpers?|common|misc)$/.test(base)
    }
    expect(namesOf(isBad)).toEqual([])
  })

  test('leaves the environment of the process to config.ts', () => {
    expect(namesOf(({ name, text }) => name !== 'config.ts' && /\bprocess\.env\b/.test(text))).toEqual([])
  })

  test('leaves the clock to whoever starts the process', () => {
    const asksTheClock = ({ name, text }: File) =>
      ['data', 'domain', 'engine', 'graphql', 'rest'].includes(roomOf(name)) &&
      /\bDate\.now\(\)|\bnew Date\(\)/.test(text)
    expect(namesOf(asksTheClock)).toEqual([])
  })
})
