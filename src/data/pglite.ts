// PGlite with the extensions that the migrations need.
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/** @param directory where the data is stored; in memory if omitted. */
export function openPGlite(directory?: string): Promise<PGlite> {
  const extensions = { btree_gin, pg_trgm }
  return directory === undefined ? PGlite.create({ extensions }) : PGlite.create(directory, { extensions })
}
