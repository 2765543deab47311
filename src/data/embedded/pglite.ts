// PGlite with the extensions that the migrations need.
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/**
 * A quarter of the default, which takes 120 MB more memory. Other pages are read from files, which the system caches as
 * well.
 */
const memory = ['-c', 'shared_buffers=32MB']
/** A third of the default, so that ANALYZE of a table, for which everyone waits, takes a third of the time. */
const statistics = ['-c', 'default_statistics_target=30']
const startParams = [...PGlite.defaultStartParams, ...memory, ...statistics]

/** @param directory where the data is stored; in memory if omitted. */
export function openPGlite(directory?: string): Promise<PGlite> {
  const options = { extensions: { btree_gin, pg_trgm }, startParams }
  return directory === undefined ? PGlite.create(options) : PGlite.create(directory, options)
}
