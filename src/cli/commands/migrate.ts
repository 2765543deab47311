// migrate: applies the missing migrations, or lists them.
import path from 'node:path'
import { onOneConnection } from '../../data/connection/database.ts'
import { DATABASE_FOLDER, locationOf } from '../../data/driver/database-location.ts'
import { migrate, pendingMigrations } from '../../data/connection/migrate.ts'
import { command, flagOption } from '../command/command.ts'
import { assertExists } from '../command/file-error.ts'
import { locationsOf } from '../command/named-database.ts'
import { HOW_TO_FIND_DATABASE } from '../command/open.ts'

function textOf(migrations: readonly string[], dryRun: boolean): string {
  const heading = dryRun ? 'Missing migrations:' : 'Applied migrations:'
  return migrations.length === 0 ? 'No migration is missing.' : [heading, ...migrations].join('\n  ')
}

export const migrateDatabase = command({
  place: 'process',
  description: 'Applies the missing migrations to all databases, or lists them with --dry-run.',
  details:
    'A gateway applies them when it starts, if its database user may. If that user has no right to create tables, run this command with the user that owns the database, before the gateways of the new version start. Running gateways of the last version keep serving.',
  examples: [
    ['migrate --dry-run', 'the names of the missing migrations, in their order'],
    ['migrate', 'applies them, each in a transaction'],
  ],
  parameters: { dryRun: flagOption('changes nothing') },
  async run({ settings, logger }, { dryRun }) {
    const location = locationOf(settings)
    if ('directory' in location) {
      await assertExists(path.join(location.directory, DATABASE_FOLDER), HOW_TO_FIND_DATABASE)
    }
    const found: { readonly database: string; readonly migrations: readonly string[] }[] = []
    for (const [database, location] of locationsOf(settings)) {
      const migrations = await onOneConnection(location, logger, async (connection) => {
        const missing = await pendingMigrations(connection)
        if (!dryRun) await migrate(connection)
        return missing
      })
      found.push({ database, migrations })
    }
    const [{ migrations } = { migrations: [] }, ...others] = found
    const key = dryRun ? 'pending' : 'applied'
    if (others.length === 0) return { text: textOf(migrations, dryRun), result: { [key]: migrations } }
    return {
      text: found.map(({ database, migrations: own }) => `${database}: ${textOf(own, dryRun)}`).join('\n'),
      result: { databases: found.map(({ database, migrations: own }) => ({ database, [key]: own })) },
    }
  },
})
