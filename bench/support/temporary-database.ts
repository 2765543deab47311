// A temporary database on a PostgreSQL server.
import pg from 'pg'

export interface TemporaryDatabase {
  readonly url: string
  /** Removes the database, even if it is in use. */
  readonly remove: () => Promise<void>
}

let created = 0

/** @param purpose the beginning of the name of the database. */
export async function createDatabase(server: string, purpose: string): Promise<TemporaryDatabase> {
  const name = `${purpose}_${process.pid}_${(created += 1)}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await run(`CREATE DATABASE ${name}`)
  const own = new URL(server)
  own.pathname = `/${name}`
  return { url: own.href, remove: () => run(`DROP DATABASE ${name} WITH (FORCE)`) }
}
