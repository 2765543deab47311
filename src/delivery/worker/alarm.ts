// Wakes loops that wait for jobs: when new ones are announced, and by a look for those that became due.
import type { Clock } from '../../data/connection/clock.ts'
import type { Database } from '../../data/connection/database.ts'
import { lookForJobs } from '../../data/queue/job-taking.ts'
import { JOB_CHANNEL, type JobKind, jobKinds, readAnnouncement } from '../../data/queue/job.ts'
import type { StopListening } from '../../data/connection/listen.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import type { Bell } from './bell.ts'
import { rest } from './repeat.ts'

/** Milliseconds between looks into an empty queue. New jobs wake the worker at once; a look finds those that become due. */
const IDLE = 1_100

export interface AlarmOptions {
  readonly gateway: Pick<Gateway, 'db'>
  /** Set by each look. */
  readonly clock: Clock
  readonly database: Pick<Database, 'listen'>
  readonly bells: Readonly<Record<JobKind, Bell>>
  /** The number of loops that a look wakes. */
  readonly concurrency: number
  /** Called when an environment has new events. */
  readonly onEvents: (environmentId: string) => void
}

export class Alarm {
  readonly #options: AlarmOptions
  #isListening = false
  #stopListening: StopListening = () => {}

  constructor(options: AlarmOptions) {
    this.#options = options
  }

  /** False while announcements are missed. */
  get isListening(): boolean {
    return this.#isListening
  }

  /** Wakes loops at announcements until `stop`. @throws if the database cannot be listened to. */
  async start(): Promise<void> {
    const { database, bells, onEvents } = this.#options
    this.#stopListening = await database.listen(JOB_CHANNEL, {
      onMessage: (payload) => {
        const announced = readAnnouncement(payload)
        if (announced === undefined) {
          this.#ringAll()
          return
        }
        const { kind, count, environmentId } = announced
        if (kind === 'events') onEvents(environmentId)
        else bells[kind].ring(count)
      },
      onDisconnect: () => {
        this.#isListening = false
      },
      onReconnect: () => {
        this.#isListening = true
        this.#ringAll()
      },
    })
    this.#isListening = true
  }

  stop(): void {
    this.#stopListening()
  }

  /** Looks for available jobs while the process is idle: those that became due, and those of processes that died. */
  async look(stopping: AbortSignal): Promise<void> {
    const { gateway, clock, bells, concurrency } = this.#options
    await rest(IDLE, stopping)
    const { kinds } = await clock.measure(() => lookForJobs(gateway.db, clock.now()))
    for (const kind of kinds) bells[kind].ring(concurrency)
  }

  #ringAll(): void {
    const { bells, concurrency } = this.#options
    for (const kind of jobKinds) bells[kind].ring(concurrency)
  }
}
