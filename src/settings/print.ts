// `npm run settings` prints the settings into docs/operations.md and .env.example. With `--check` it fails if one of the
// files is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { lines, settings } from './table.ts'

const rows = Object.entries(settings.shape).map(([variable, schema]) => {
  const line = lines.get(schema)
  if (line === undefined) throw new Error(`${variable} has no line in the documentation`)
  return { variable, ...line }
})

/** A Markdown table as Prettier formats it. */
function table(cells: readonly (readonly string[])[]): string {
  const [head = [], ...body] = cells
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const printed = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(printed).join('')
}

const documented = table([
  ['variable', 'default', 'meaning'],
  ...rows.map(({ variable, byDefault, meaning }) => [`\`${variable}\``, byDefault, meaning]),
])

const example = `# Settings of the gateway, with their defaults. Copy this file to \`.env\` and uncomment the lines that you change.
# Variables of the environment win over this file. docs/operations.md describes each of them.

${rows.map(({ variable, example }) => `# ${variable}=${example}\n`).join('')}`

const root = new URL('../../', import.meta.url)

const printed: Readonly<Record<string, (text: string) => string>> = {
  'docs/operations.md': (text) => text.replace(/^\| variable .*\n(\|.*\n)*/m, () => documented),
  '.env.example': () => example,
}

for (const [name, print] of Object.entries(printed)) {
  const file = new URL(name, root)
  const text = readFileSync(file, 'utf8')
  if (print(text) === text) continue
  if (!process.argv.includes('--check')) writeFileSync(file, print(text))
  else {
    console.error(`${name} is out of date: run npm run settings`)
    process.exitCode = 1
  }
}
