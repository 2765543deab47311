// Where Prisma's own command line finds the schema and the migrations.
import { defineConfig } from 'prisma/config'

// `generate` runs no engine, but looks for one and downloads it when missing. Any program that exists satisfies it.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

export default defineConfig({
  schema: '../prisma/schema.prisma',
  migrations: { path: '../prisma/migrations' },
})
