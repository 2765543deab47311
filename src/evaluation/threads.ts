// The threads that evaluate code from callers. They start when they are first needed, and end when they are idle.
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { LogCounter } from '../lib/log-counter.ts'
import { threadEntry } from '../lib/thread-entry.ts'
import type { ThreadBatch } from './thread.ts'
import { type Input, type Kind, type Evaluated, type Output } from './work.ts'

/** Maximum memory of one thread, in megabytes. A thread that needs more is ended. */
const THREAD_MEGABYTES = 64

/** Milliseconds after which an idle thread ends, unless it is the last one. */
const IDLE = 10_000

/**
 * Milliseconds after the start of a batch in which its thread must return. A thread usually stops its own items, so one
 * that does not return is stuck in a function that cannot be interrupted.
 */
const LAST_RESORT = 1_500

/** At least two, so that one environment cannot use them all. */
export const threadCount = Math.min(Math.max(availableParallelism(), 2), 4)

interface BatchResult<Value> {
  /** The results of items in the batch, starting with the first. */
  readonly outcomes: readonly Evaluated<Value>[]
  /** The time that the batch took, in milliseconds, without starting the thread. */
  readonly milliseconds: number
}

export interface Threads {
  /** Evaluates a batch. @throws Error if threads cannot be started. */
  run<Name extends Kind>(
    kind: Name,
    inputs: readonly Input<Name>[],
    milliseconds: number,
  ): Promise<BatchResult<Output<Name>>>
  /** Ends all threads. Batches that are running fail. */
  close(): Promise<void>
}

const isOutOfMemory = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

const isAborted = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/** Writes to the log. */
export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** @param entry the module to run in a thread. Default: the evaluation thread. */
export function createThreads(warn: Warn, entry = threadEntry(import.meta.url, 'thread')): Threads {
  const failures = new LogCounter<unknown>((count, err) => warn({ count, err }, 'evaluation thread failed'))
  let pool: Piscina | undefined
  const open = (): Piscina => {
    if (pool !== undefined) return pool
    pool = new Piscina({
      ...entry,
      minThreads: 1,
      maxThreads: threadCount,
      idleTimeout: IDLE,
      // The thread must not see the process's configuration, which contains secrets.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES, maxYoungGenerationSizeMb: 16, stackSizeMb: 1 },
      recordTiming: false,
    })
    // A thread without a batch failed, for example one that replaces another. Without a listener, the process would
    // end.
    pool.on('error', (error) => failures.add(error))
    return pool
  }

  /** Aborts a batch that does not return in time. Time counts from the start of the batch, not of its thread. */
  function watch(progress: Float64Array) {
    const controller = new AbortController()
    const check = () => {
      const startedAt = progress[0] ?? 0
      const left = startedAt === 0 ? LAST_RESORT : startedAt + LAST_RESORT - Date.now()
      if (left > 0) timer = setTimeout(check, left)
      else controller.abort()
    }
    let timer = setTimeout(check, LAST_RESORT)
    return { signal: controller.signal, end: () => clearTimeout(timer) }
  }

  return {
    async run<Name extends Kind>(kind: Name, inputs: readonly Input<Name>[], milliseconds: number) {
      const progress = new Float64Array(new SharedArrayBuffer(16))
      const took = () => (progress[0] ? Math.max(0, Date.now() - progress[0]) : 0)
      const watched = watch(progress)
      const batch: ThreadBatch<Name> = { kind, inputs, milliseconds, progress }
      try {
        const outcomes = (await open().run(batch, { signal: watched.signal })) as readonly Evaluated<Output<Name>>[]
        return { outcomes, milliseconds: took() }
      } catch (error) {
        if (!isOutOfMemory(error) && !isAborted(error)) throw error
        // The thread ended with all its results. The current item is the cause.
        const cause = isOutOfMemory(error) ? 'memory' : 'time'
        const at = progress[1] ?? 0
        const lost = Array.from({ length: at }, () => ({ status: 'deferred' }) as const)
        return { outcomes: [...lost, { status: 'failed', cause, message: '' } as const], milliseconds: took() }
      } finally {
        watched.end()
      }
    },
    async close() {
      await pool?.destroy()
      pool = undefined
      failures.close()
    },
  }
}
