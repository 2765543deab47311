// The clock: the database's time, which all processes on the database share whatever their own clocks say.
import type { Connection } from './database.ts'

export interface Clock {
  readonly now: () => Date
  /** Runs a statement that returns the database's time, and sets the clock by it. */
  readonly measure: <Result extends { readonly databaseTime: Date }>(read: () => Promise<Result>) => Promise<Result>
}

/** @param system this process's own clock, in milliseconds since 1970. */
export function createClock(system: () => number = Date.now): Clock {
  /** Milliseconds that the database is ahead of this process. */
  let offset: number | undefined
  return {
    now: () => new Date(system() + (offset ?? 0)),
    async measure(read) {
      const sent = system()
      const result = await read()
      // The database read its clock between the two, so the offset is between these bounds. A slow statement says little.
      const least = result.databaseTime.getTime() - system()
      const most = result.databaseTime.getTime() - sent
      offset = Math.min(Math.max(offset ?? (least + most) / 2, least), most)
      return result
    },
  }
}

export async function readDatabaseTime(db: Connection): Promise<{ readonly databaseTime: Date }> {
  const [read] = await db.$queryRaw<[{ databaseTime: Date }]>`SELECT clock_timestamp() AS "databaseTime"`
  return read
}
