// The clock: the database's time, which all processes on the database share even if their own clocks differ.
import type { Connection } from './database.ts'
import { sql } from '../statement/statement.ts'

export interface Clock {
  readonly now: () => Date
  /** Runs a statement that returns the database's time, and adjusts the clock to it. */
  readonly measure: <Result extends { readonly databaseTime: Date }>(read: () => Promise<Result>) => Promise<Result>
}

/** @param system this process's own clock, in milliseconds since 1970. */
export function createClock(system: () => number = Date.now): Clock {
  /** Milliseconds by which the database is ahead of this process. */
  let offset: number | undefined
  return {
    now: () => new Date(system() + (offset ?? 0)),
    async measure(read) {
      const sent = system()
      const result = await read()
      // The database read its clock between these two times, so the offset is within these bounds. The slower the
      // statement, the wider they are.
      const least = result.databaseTime.getTime() - system()
      const most = result.databaseTime.getTime() - sent
      offset = Math.min(Math.max(offset ?? (least + most) / 2, least), most)
      return result
    },
  }
}

export async function readDatabaseTime(db: Connection): Promise<{ readonly databaseTime: Date }> {
  const [read] = await sql<{ databaseTime: Date }>(db, 'clock.readDatabaseTime')`
    SELECT clock_timestamp() AS "databaseTime"`
  if (read === undefined) throw new Error('the database returned no time')
  return read
}
