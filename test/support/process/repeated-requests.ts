// Clients that send requests one after the other until they are stopped.
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two requests of a client. */
export const PAUSE = 10

/** Repeats a request until stopped. @returns the number of responses by status. */
export function repeat(request: () => Promise<{ readonly status: number }>) {
  const statuses = new Map<number, number>()
  let isStopped = false
  const run = async () => {
    while (!isStopped) {
      const { status } = await request()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await pause(PAUSE)
    }
  }
  const running = run()
  return {
    statuses,
    async stop() {
      isStopped = true
      await running
    },
  }
}
