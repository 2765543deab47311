// Prisma's schema engine as WebAssembly on the embedded database: it compares the migrations with the schema and writes
// the missing one, without a binary to download or a server to run.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { openPGlite } from '../src/data/embedded/pglite.ts'

const folder = import.meta.dirname
export const migrationsFolder = path.join(folder, 'migrations')

async function adapterOver(database: PGlite): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPGlite(database).connect()
  // The adapter's own version splits scripts at every semicolon, even inside function bodies.
  // It is one transaction, in which no index can be built concurrently.
  adapter.executeScript = async (script) => {
    await database.exec(script.replaceAll(' CONCURRENTLY', ''))
  }
  return adapter
}

async function databaseInMemory(): Promise<SqlMigrationAwareDriverAdapterFactory> {
  const live = await openPGlite()
  return {
    provider: 'postgres',
    adapterName: 'pglite-prisma-adapter',
    connect: () => adapterOver(live),
    connectToShadowDb: async () => adapterOver(await openPGlite()),
  }
}

function schemaFiles() {
  const file = path.join(folder, 'schema.prisma')
  return [{ path: file, content: readFileSync(file, 'utf8') }]
}

function migrationsList() {
  const names = readdirSync(migrationsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  return {
    baseDir: migrationsFolder,
    lockfile: {
      path: 'migration_lock.toml',
      content: readFileSync(path.join(migrationsFolder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: names.map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: {
          tag: 'ok' as const,
          value: readFileSync(path.join(migrationsFolder, name, 'migration.sql'), 'utf8'),
        },
      },
    })),
  }
}

/** Returns the SQL that leads from the migrations to `schema.prisma`; empty if they agree. */
export async function missingMigration(): Promise<string> {
  const require = createRequire(import.meta.url)
  const wasm = path.join(path.dirname(require.resolve('@prisma/schema-engine-wasm')), 'schema_engine_bg.wasm')
  const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {
    './schema_engine_bg.js': bindings as unknown as WebAssembly.ModuleImports,
  })
  bindings.__wbg_set_wasm(instance.exports)
  ;(instance.exports['__wbindgen_start'] as () => void)()

  const files = schemaFiles()
  const engine = await bindings.SchemaEngine.new(
    { datamodels: files.map((file): [string, string] => [file.path, file.content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(await databaseInMemory()),
  )
  const difference = await engine.diff({
    from: { tag: 'migrations', ...migrationsList() },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  })
  return difference.exitCode === 0 ? '' : (difference.stdout ?? '')
}
