// `npm run migration -- <name>` writes the migration for changes in schema.prisma; `--check` fails if one is missing.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { migrationsFolder, missingMigration } from './schema-engine.ts'

const [argument] = process.argv.slice(2)
const sql = await missingMigration()

if (argument === '--check') {
  if (sql !== '') {
    console.error(`${sql}\nprisma/schema.prisma is ahead of the migrations: run npm run migration -- <name>`)
    process.exit(1)
  }
  console.log('The migrations and prisma/schema.prisma agree.')
} else if (argument === undefined || !/^[a-z0-9_]+$/.test(argument)) {
  console.error('Name the migration in snake_case: npm run migration -- add_colour')
  process.exit(1)
} else if (sql === '') {
  console.log('Nothing to do: the migrations and prisma/schema.prisma agree.')
} else {
  const stamp = new Date().toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)
  const directory = path.join(migrationsFolder, `${stamp}_${argument}`)
  mkdirSync(directory)
  writeFileSync(path.join(directory, 'migration.sql'), sql)
  console.log(`Wrote ${path.relative(process.cwd(), directory)}/migration.sql: read it before you commit it.`)
}
// PGlite would otherwise keep the process alive.
process.exit(0)
