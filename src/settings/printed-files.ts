// Printed documentation: tables, and files that a script writes or compares.
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** Returns a Markdown table as Prettier formats it. @param cells the rows, of which the first is the head. */
export function markdownTable(cells: readonly (readonly string[])[]): string {
  const [head = [], ...body] = cells
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const printed = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(printed).join('')
}

/**
 * Prints into files of the repository. With the argument `--check`, the process fails if one of them is out of date.
 *
 * @param printed for each file, a function from its text to its new text.
 * @param command the command that prints, for the message.
 */
export function printFiles(printed: Readonly<Record<string, (text: string) => string>>, command: string): void {
  for (const [name, print] of Object.entries(printed)) {
    const file = new URL(name, root)
    const text = readFileSync(file, 'utf8')
    if (print(text) === text) continue
    if (!process.argv.includes('--check')) writeFileSync(file, print(text))
    else {
      console.error(`${name} is out of date: run ${command}`)
      process.exitCode = 1
    }
  }
}
