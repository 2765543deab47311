// `npm run settings` prints the settings into docs/operations.md and .env.example. With `--check` it fails if one of the
// files is out of date.
import { markdownTable, printFiles } from './printed-files.ts'
import { lines, settings } from './table.ts'

const rows = Object.entries(settings.shape).map(([variable, schema]) => {
  const line = lines.get(schema)
  if (line === undefined) throw new Error(`${variable} has no line in the documentation`)
  return { variable, ...line }
})

const documented = markdownTable([
  ['variable', 'default', 'meaning'],
  ...rows.map(({ variable, byDefault, meaning }) => [`\`${variable}\``, byDefault, meaning]),
])

const example = `# Settings of the gateway, with their defaults. Copy this file to \`.env\` and uncomment the lines that you change.
# Variables of the environment win over this file. docs/operations.md describes each of them.

${rows.map(({ variable, example }) => `# ${variable}=${example}\n`).join('')}`

printFiles(
  {
    'docs/operations.md': (text) => text.replace(/^\| variable .*\n(\|.*\n)*/m, () => documented),
    '.env.example': () => example,
  },
  'npm run settings',
)
