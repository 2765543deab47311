// A load generator, and the CPU time that a server uses for the load.
import { readFile } from 'node:fs/promises'
import type { Pool } from 'undici'

export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON. Absent for GET. */
  readonly body?: string
}

/** Sends one request and reads its response. @throws Error if the response is not a success. */
function send(pool: Pool, { method, path, body }: LoadRequest, headers: Record<string, string>): Promise<void> {
  // `dispatch` costs a fraction of `request`, and the generator shares its core with the server.
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method, path, body, headers },
      {
        onRequestStart: () => {},
        onResponseStart(_controller, status) {
          if (status >= 300) reject(new Error(`${method} ${path}: ${status}`))
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

/**
 * Sends requests for a number of milliseconds, over each connection one after the other.
 *
 * @returns the number of responses, and the milliseconds until the last one.
 * @throws Error if a response is not a success.
 */
export async function load(
  pool: Pool,
  {
    connections,
    milliseconds,
    headers,
    next,
  }: {
    readonly connections: number
    readonly milliseconds: number
    readonly headers: Record<string, string>
    readonly next: () => LoadRequest
  },
): Promise<{ readonly responses: number; readonly elapsed: number }> {
  const start = performance.now()
  let responses = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - start < milliseconds) {
        await send(pool, next(), headers)
        responses += 1
      }
    }),
  )
  return { responses, elapsed: performance.now() - start }
}

/** Microseconds in a clock tick of `/proc`. */
const TICK = 10_000

/** The CPU time that a process has used so far, in microseconds. Undefined where it is not available. */
export async function cpuTime(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The process name, in parentheses, may contain spaces. User and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}
