// What slows down or blocks the load of a backup: foreign keys, triggers and indexes are removed, and created again.
import type pg from 'pg'
import { labelled } from '../statement/label.ts'
import { nameOf, type StoredTable } from './dump.ts'

/** Reports progress, and throws if the restore was aborted. Called between statements. */
export type RestoreStep = (done: number, all: number, unit: string) => void

/** Statements that remove what slows down or blocks the load, and statements that create it again, both in order. */
interface Suspended {
  readonly remove: readonly string[]
  readonly create: readonly string[]
}

async function foreignKeysOf(connection: pg.ClientBase): Promise<Suspended> {
  const { rows } = await connection.query<{ table: string; name: string; definition: string }>(
    labelled(
      'suspended-checks.foreignKeysOf',
      `
    SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
    ),
  )
  return {
    remove: rows.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    create: rows.map(({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`),
  }
}

/** Indexes that are not part of a constraint. */
async function indexesOf(connection: pg.ClientBase): Promise<Suspended> {
  const { rows } = await connection.query<{ name: string; definition: string }>(
    labelled(
      'suspended-checks.indexesOf',
      `
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype <> 'f')`,
    ),
  )
  return {
    remove: rows.map(({ name }) => `DROP INDEX ${name}`),
    create: rows.map(({ definition }) => definition),
  }
}

const triggersOf = (tables: readonly StoredTable[]): Suspended => ({
  remove: tables.map((table) => `ALTER TABLE ${nameOf(table)} DISABLE TRIGGER USER`),
  create: tables.map((table) => `ALTER TABLE ${nameOf(table)} ENABLE TRIGGER USER`),
})

/**
 * Removes foreign keys, triggers and indexes. Rows arrive in any order, and already contain what the triggers would
 * write. Building an index or checking a foreign key for all rows at once takes a fraction of the time.
 *
 * @returns a function that creates them again.
 */
export async function suspendChecks(
  connection: pg.ClientBase,
  tables: readonly StoredTable[],
  step: RestoreStep,
): Promise<() => Promise<void>> {
  const [foreignKeys, indexes] = [await foreignKeysOf(connection), await indexesOf(connection)]
  const triggers = triggersOf(tables)
  const execute = async (statements: readonly string[], unit: string) => {
    for (const [index, statement] of statements.entries()) {
      step(index, statements.length, unit)
      await connection.query(labelled('suspended-checks.suspendChecks', statement))
    }
  }
  // A foreign key needs the unique index on the columns it refers to.
  await execute([...triggers.remove, ...foreignKeys.remove, ...indexes.remove], 'indexes and rules removed')
  return () => execute([...indexes.create, ...foreignKeys.create, ...triggers.create], 'indexes and rules created')
}
