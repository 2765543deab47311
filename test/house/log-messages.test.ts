// Every message that the program logs is described in docs/operations.md, under "Logs".
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** Functions that pass a message on to the log, with their level. The message is in their callers. */
const passedOn: Readonly<Record<string, string>> = {
  'src/domain/resolver/audit.ts': 'audit',
  'src/domain/resolver/shared-gateway.ts': 'warn',
}
const levelOf: Readonly<Record<string, string>> = { audit: 'info', warn: 'warn' }

const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/^(dashboard|inbox|data\/prisma)\b/.test(name))
  .map((name) => ({ name: `src/${name}`, text: readFileSync(path.join(root, 'src', name), 'utf8') }))
  .filter(({ text }) => /\b(log|logger|warn|audit)\b/i.test(text))

/** The levels of a call to the log or to a function that passes messages on. Empty for other calls. */
function levelsOf({ expression }: ts.CallExpression): readonly string[] {
  if (ts.isIdentifier(expression)) return [levelOf[expression.text] ?? []].flat()
  if (!ts.isPropertyAccessExpression(expression) && !ts.isElementAccessExpression(expression)) return []
  if (!/(^|[.#])(\w*Log|log|logger)$/.test(expression.expression.getText())) return []
  const given = ts.isPropertyAccessExpression(expression)
    ? [expression.name.text]
    : (expression.argumentExpression.getText().match(/\w+/g) ?? [])
  return given.filter((word) => levels.includes(word))
}

/** The messages that are logged, each with its levels, and the files with a message that cannot be read. */
function logged() {
  const messages = new Map<string, Set<string>>()
  const unread: string[] = []
  for (const { name, text } of sources) {
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
    const constants = new Map(
      [...text.matchAll(/^(?:export )?const (\w+) = '([^']+)'$/gm)].map(([, key, value]) => [key, value]),
    )
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isCallExpression(node)) return
      const used = levelsOf(node)
      if (used.length === 0) return
      const message = node.arguments
        .map((argument) => (ts.isStringLiteral(argument) ? argument.text : constants.get(argument.getText())))
        .find((found) => found !== undefined)
      if (message === undefined) unread.push(name)
      else messages.set(message, new Set([...(messages.get(message) ?? []), ...used]))
    }
    visit(file)
  }
  return { messages, unread }
}

/** The messages in the first cells of the tables under "Logs", with their levels. */
function described(): [string, string][] {
  const [, page = ''] = readFileSync(path.join(root, 'docs/operations.md'), 'utf8').split('\n## Logs\n')
  const [logs = ''] = page.split('\n## ')
  const rows = [...logs.matchAll(/^\| (`.+?) +\| ([^|]+?) +\|/gm)]
  return rows.flatMap(([, cell = '', second = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']): [string, string] => [
      message,
      // The table of administrative acts has their fields instead.
      /^(?:(?:fatal|error|warn|info|debug)(?:, )?)+$/.test(second) ? second : 'info',
    ]),
  )
}

const pairs = (found: Iterable<readonly [string, string]>) =>
  [...found]
    .filter(([message]) => message !== 'msg')
    .map(([message, level]) => `${message}: ${level}`)
    .sort()

test('the documentation describes every log message with its level, and no other messages', () => {
  const { messages, unread } = logged()
  expect(messages.size).toBeGreaterThan(50)
  expect(unread).toEqual(Object.keys(passedOn))
  const inCode = [...messages].map(
    ([message, used]) => [message, levels.filter((level) => used.has(level)).join(', ')] as const,
  )
  expect(pairs(described())).toEqual(pairs(inCode))
})

test('a message is one searchable phrase, with what follows from it after a colon', () => {
  const { messages } = logged()
  const odd = [...messages.keys()].filter(
    (message) => !/^(?:[a-z]|API|LISTEN|[A-Z]+_)/.test(message) || /[,.;]$|, |\. /.test(message) || message.length > 80,
  )
  expect(odd).toEqual([])
})
