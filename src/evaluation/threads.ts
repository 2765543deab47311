// The threads that evaluate code from callers. They start when they are first needed, and end when they are idle.
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { LogCounter } from '../lib/log-counter.ts'
import { threadEntry } from '../lib/thread-entry.ts'
import type { ThreadBatch } from './thread.ts'
import { type Input, type Kind, type Evaluated, type Output } from './work.ts'

/** Megabytes of memory for one thread. A thread that needs more ends. */
const THREAD_MEGABYTES = 64

/** Milliseconds after which a thread ends that is not the last one. */
const IDLE = 10_000

/**
 * Milliseconds after the start of a batch in which its thread must return. It usually stops its own items, so a thread
 * that does not return is stuck in a function that cannot be interrupted.
 */
const LAST_RESORT = 1_500

/** At least two, so that one environment cannot use them all. */
export const threadCount = Math.min(Math.max(availableParallelism(), 2), 4)

interface BatchResult<Value> {
  /** The results of items in the batch, starting with the first item. */
  readonly outcomes: readonly Evaluated<Value>[]
  /** The time that the batch took, in milliseconds, without the start of the thread. */
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

/** @param entry the module that a thread runs. Default: the one that evaluates. */
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
      // Nothing of the process's configuration, which has secrets.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES, maxYoungGenerationSizeMb: 16, stackSizeMb: 1 },
      recordTiming: false,
    })
    // A thread without a batch failed, such as one that replaces another. Without a listener, that ends the process.
    pool.on('error', (error) => failures.add(error))
    return pool
  }

  /** Aborts a batch that does not return in time. The time counts from its start, not from the start of its thread. */
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
        // The thread ended with all its results. The item that it was at is the cause.
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
