// The embedded database: PGlite, with the extensions that the migrations ask for.
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import pg from 'pg'
import { PGliteStream } from './pglite-stream.ts'

/** @param directory where it is kept; absent means in memory. */
export function openEmbedded(directory?: string): Promise<PGlite> {
  const extensions = { btree_gin, pg_trgm }
  return directory === undefined ? PGlite.create({ extensions }) : PGlite.create(directory, { extensions })
}

/**
 * A pool over the one connection that PGlite has. Its user must be `postgres`: with another, the engine ends itself.
 *
 * @param patience how long to wait for the connection while another has it, in milliseconds.
 */
export function embeddedPool(database: PGlite, patience: number): pg.Pool {
  return new pg.Pool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: patience,
    stream: () => new PGliteStream(database),
  })
}
