// `npm run schema` writes schema.graphql; `--check` fails when the file is behind the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { printedSchema } from './schema.ts'

const file = new URL('../../../schema.graphql', import.meta.url)

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== printedSchema) {
    console.error('schema.graphql is behind the code: run npm run schema')
    process.exit(1)
  }
} else {
  writeFileSync(file, printedSchema)
}
