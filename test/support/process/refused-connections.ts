// A database that refuses connections for a while.
import type pg from 'pg'

type Callback = (error: Error) => void

/** Lets a pool fail as if its server were away, while `work` runs. */
export async function refusingConnections<Result>(pool: pg.Pool, work: () => Promise<Result>): Promise<Result> {
  const connect = (callback?: Callback) => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    if (callback === undefined) return Promise.reject(error)
    callback(error)
    return undefined
  }
  Object.defineProperty(pool, 'connect', { value: connect, configurable: true })
  try {
    return await work()
  } finally {
    // The method of the prototype is visible again.
    Reflect.deleteProperty(pool, 'connect')
  }
}
