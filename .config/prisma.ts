// Tells the Prisma CLI where the schema and the migrations are.
import { defineConfig } from 'prisma/config'

// `generate` does not run the schema engine, but downloads it if it is missing. Any existing program passes that check.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

export default defineConfig({
  schema: '../prisma/schema.prisma',
  migrations: { path: '../prisma/migrations' },
})
