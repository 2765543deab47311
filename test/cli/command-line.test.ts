// The command line itself: help, wrong usage, and the declarations of every command.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandNamed, commands } from '../../src/cli/commands.ts'
import { parseCommandLine } from '../../src/cli/command/parser.ts'
import { version } from '../../src/lib/version.ts'
import { commandLineOf } from '../support/command-line.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)
const names = Object.keys(commands)

/** The words of a command line, without quotes. */
const words = (line: string) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

/** Checks the parameters of a command line without executing it. @returns the name of its command. */
function assertRuns(line: string): string {
  const invocation = parseCommandLine(words(line.replace(/ [<>|].*/, '')), commands, () => {})
  if (invocation === undefined) throw new Error(`not a command: ${line}`)
  commandNamed(invocation.name)?.check(invocation.given)
  return invocation.name
}

describe('the help', () => {
  test('lists every command', async () => {
    const { code, stdout, stderr } = await run('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of names) expect(stdout).toContain(`  ${name} `)
    expect(stdout).toContain('Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.')
  })

  test.each(names)('of %s describes each parameter and has examples', async (name) => {
    const { code, stdout } = await run(`${name} --help`)
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:')
    expect(stdout).toContain('--json')
  })

  test.each(Object.entries(commands))('of %s has examples that can be run', (name, { examples }) => {
    expect(examples.length).toBeGreaterThan(0)
    for (const [line] of examples) expect(assertRuns(line)).toBe(name)
  })

  test('has the version', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` })
  })
})

describe('the documentation', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/command-line.md'), 'utf8')

  test('describes every command', () => {
    const described = [...page.matchAll(/^### `(.*)`$/gm)].map(([, name]) => name)
    expect(described.toSorted()).toEqual(names.toSorted())
  })

  test('shows command lines that can be run', () => {
    const lines = [...page.matchAll(/npx notification-gateway (.*)$/gm)].map(([, line = '']) => line)
    for (const line of lines.filter((shown) => shown !== '<command>')) assertRuns(line)
    expect(lines.length).toBeGreaterThan(names.length / 2)
  })
})

describe('wrong usage exits with 2 and one line', () => {
  test.each([
    [[], 'a command is required'],
    [['keys'], 'a command is required'],
    [['keys', 'lst'], "unknown command 'lst' (Did you mean keys list?)"],
    [['imprt', 'subscribers', 'people.csv', '--environment', 'P'], "'imprt' (Did you mean import subscribers?)"],
    [['subscribers', 'import', 'people.csv'], '(Did you mean import subscribers?)'],
    [['imprt'], '(Did you mean import?)'],
    [['restor', 'gateway.backup'], '(Did you mean restore?)'],
    [['frobnicate'], "unknown command 'frobnicate': see"],
    [['keys', 'list', '--enviroment', 'P'], "'--enviroment' (Did you mean --environment?)"],
    [['keys', 'create', '--environment', 'P', '--name', ' '], 'name must not be empty'],
    [['sweep', 'contexts', '--environment', 'P', '--unused-days', '1'], 'unusedDays must be'],
    [['import', 'topics', '--environment', 'P', '--after', 'two'], 'after must be'],
    [['keys', 'list', '--colour'], "unknown option '--colour'"],
    [['keys', 'revoke'], "missing required argument 'ID': see notification-gateway keys revoke --help"],
    [['keys', 'list', 'more'], 'too many arguments'],
    [['keys', 'create'], "required option '--environment <ENVIRONMENT>' not specified"],
  ])('%j', async (line, message) => {
    const settings = {
      get databaseUrl(): never {
        throw new Error('the settings were read')
      },
    }
    const { code, stdout, stderr } = await run(line, { settings })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.match(/\n/g)).toHaveLength(1)
  })
})

test('invalid settings are reported in one line per variable, with exit code 1', async () => {
  const { code, stderr } = await run('keys list', {
    settings: {
      get databaseUrl(): never {
        throw new Error('PORT must be a port number from 0 to 65535')
      },
    },
  })
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'PORT must be a port number from 0 to 65535\n' })
})

test('an interrupted command stops', async () => {
  const interrupted = AbortSignal.abort(new Error('interrupted'))
  const { code, stdout, stderr } = await run('keys create --environment Development', { signal: interrupted })
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: 'interrupted\n' })
})
