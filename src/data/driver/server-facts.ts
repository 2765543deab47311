// The properties of a database server and the rights of its user.
import pg from 'pg'
import { labelled } from '../statement/label.ts'

export interface ServerFacts {
  /** The version in the form of `server_version_num`, such as 150004. */
  readonly version: number
  readonly versionName: string
  readonly encoding: string
  readonly time: Date
  /** Rights that the user lacks for creating tables, in the words of GRANT. */
  readonly lackingToMigrate: readonly string[]
  /** Rights that the user lacks on existing tables. */
  readonly lackingToRun: readonly string[]
}

/** Reads the properties. Writes nothing. */
export async function readServer(connection: pg.ClientBase): Promise<ServerFacts> {
  const { rows } = await connection.query<ServerFacts>(
    labelled(
      'server-facts.readServer',
      `
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "versionName",
           current_setting('server_encoding') AS encoding, clock_timestamp() AS time,
           ARRAY(SELECT needed FROM (VALUES
             ('CREATE on the schema public', has_schema_privilege('public', 'CREATE')),
             ('CREATE on the database', has_database_privilege(current_database(), 'CREATE'))
           ) AS rights(needed, held) WHERE NOT held) AS "lackingToMigrate",
           ARRAY(SELECT DISTINCT needed || ' on all tables' FROM pg_class,
             unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS needed
             WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'
               AND NOT has_table_privilege(pg_class.oid, needed)
           UNION ALL
           SELECT 'USAGE on all sequences' FROM pg_class
             WHERE relnamespace = 'public'::regnamespace
               -- In no other order: it fails for what is no sequence.
               AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(pg_class.oid, 'USAGE') ELSE false END
           LIMIT 10) AS "lackingToRun"`,
    ),
  )
  const [facts] = rows
  if (facts === undefined) throw new Error('the database returned no row')
  return facts
}

/** Reads the number of connections to the server, and how many an ordinary user can have. */
export async function readConnections(config: pg.ClientConfig): Promise<{ used: number; most: number }> {
  const client = new pg.Client(config)
  // The statement fails with the same error.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ used: number; most: number }>(
      labelled(
        'server-facts.readConnections',
        `
      SELECT count(*)::int AS used,
             current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most
      FROM pg_stat_activity WHERE backend_type = 'client backend'`,
      ),
    )
    const [found] = rows
    if (found === undefined) throw new Error('the database returned no row')
    return found
  } finally {
    await client.end().catch(() => {})
  }
}
