// The embedded database: PGlite with the extensions that the migrations need.
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import pg from 'pg'
import { PGliteStream } from './pglite-stream.ts'

/** @param directory where the data is stored; in memory if omitted. */
export function openEmbedded(directory?: string): Promise<PGlite> {
  const extensions = { btree_gin, pg_trgm }
  return directory === undefined ? PGlite.create({ extensions }) : PGlite.create(directory, { extensions })
}

/**
 * A pool over PGlite's only connection. The user must be `postgres`: PGlite exits with any other.
 *
 * @param timeout time to wait for the connection while it is in use, in milliseconds.
 */
export function embeddedPool(database: PGlite, timeout: number): pg.Pool {
  return new pg.Pool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: timeout,
    stream: () => new PGliteStream(database),
  })
}
