// `npm run schema` writes schema.graphql. With `--check` it fails if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { printedSchema } from './schema.ts'

const file = new URL('../../../schema.graphql', import.meta.url)

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== printedSchema) {
    console.error('schema.graphql is out of date: run npm run schema')
    process.exit(1)
  }
} else {
  writeFileSync(file, printedSchema)
}
