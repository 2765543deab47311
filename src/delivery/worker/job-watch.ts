// Watches for jobs and wakes the loops that wait for them, at announcements of new jobs and for jobs that became due.
import type { Clock } from '../../data/connection/clock.ts'
import type { Database } from '../../data/connection/database.ts'
import { lookForJobs } from '../../data/queue/job-taking.ts'
import { JOB_CHANNEL, readAnnouncement } from '../../data/queue/job.ts'
import type { StopListening } from '../../data/connection/listen.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import type { Loop } from './loop.ts'
import { rest } from './repeat.ts'

/**
 * Milliseconds between looks into an empty queue. New jobs wake the worker at once; a look finds jobs that became due.
 */
const IDLE = 1_100

export interface JobWatchOptions {
  readonly gateway: Pick<Gateway, 'db'>
  /** Set by each look. */
  readonly clock: Clock
  readonly database: Pick<Database, 'listen'>
}

export class JobWatch {
  readonly #options: JobWatchOptions
  #isListening = false
  #stopListening: StopListening = () => {}

  constructor(options: JobWatchOptions) {
    this.#options = options
  }

  /** False while announcements are missed. */
  get isListening(): boolean {
    return this.#isListening
  }

  /** Wakes loops at announcements until `stop`. @throws if listening to the database fails. */
  async start(loops: readonly Loop[]): Promise<void> {
    const wakeAll = () => {
      for (const loop of loops) loop.wake()
    }
    this.#stopListening = await this.#options.database.listen(JOB_CHANNEL, {
      onMessage: (payload) => {
        const announced = readAnnouncement(payload)
        if (announced === undefined) wakeAll()
        else loops.find(({ kind }) => kind === announced.kind)?.announce(announced)
      },
      onDisconnect: () => {
        this.#isListening = false
      },
      onReconnect: () => {
        this.#isListening = true
        wakeAll()
      },
    })
    this.#isListening = true
  }

  stop(): void {
    this.#stopListening()
  }

  /** Looks for available jobs while the process is idle: jobs that became due, and jobs of processes that died. */
  async look(loops: readonly Loop[], stopping: AbortSignal): Promise<void> {
    const { gateway, clock } = this.#options
    await rest(IDLE, stopping)
    const { kinds } = await clock.measure(() => lookForJobs(gateway.db, clock.now()))
    for (const loop of loops) if (kinds.includes(loop.kind)) loop.wake()
  }
}
