// Pending changes: decisions about runs that are not written yet. One statement writes all of them.
import type { ActiveRun, RunState } from '../data/run.ts'
import { type RunChanges, writeRunChanges } from '../data/run-changes.ts'
import { wantedAmong } from '../domain/outbox/webhook-message.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'

/** The name that stands in for a provider: in-app messages are delivered by the feed. */
export const FEED = 'feed'

/** The changes of one transaction. */
export class PendingChanges {
  readonly #scope: EnvironmentScope
  #changes: RunChanges[] = []

  constructor(scope: EnvironmentScope) {
    this.#scope = scope
  }

  /** Sets the state of a run, unless it is unchanged. */
  move({ id, status, position }: ActiveRun, state: RunState): void {
    if (status === state.status && position === state.position) return
    this.add({ states: [{ id, ...state }] })
  }

  add(changes: RunChanges): void {
    this.#changes.push(changes)
  }

  /** Writes the changes so far. Required before a statement that reads them. */
  async write(): Promise<void> {
    const all = this.#changes
    this.#changes = []
    const notifications = all.flatMap(({ notifications = [] }) => notifications)
    const states = all.flatMap(({ states = [] }) => states)
    await writeRunChanges(this.#scope, {
      states,
      steps: all.flatMap(({ steps = [] }) => steps),
      notifications,
      deliveries: all.flatMap(({ deliveries = [] }) => deliveries),
      jobs: all.flatMap(({ jobs = [] }) => jobs),
      fannedOut: all.flatMap(({ fannedOut = [] }) => fannedOut),
      tellsSent: notifications.length > 0 && (await wantedAmong(this.#scope, ['message.sent'])).length > 0,
    })
    const { metrics, afterCommit } = this.#scope
    const failed = states.filter(({ status }) => status === 'failed').length
    if (failed > 0) afterCommit(() => metrics.runsFailed(failed))
    if (notifications.length > 0) {
      afterCommit(() => metrics.messagesEnded('in_app', FEED, 'sent', notifications.length))
    }
  }
}

/** The messages that a transaction has room for. The run that exceeds it is the last one with messages. */
export interface MessageRoom {
  left: number
}

/**
 * Messages per run that a transaction has room for: usual workflows send one through each channel at most. A run may have
 * hundreds, which take long to write.
 */
const MESSAGES_PER_RUN = 5

/** The room of a transaction that executes a number of runs. */
export const messageRoom = (runs: number): MessageRoom => ({ left: runs * MESSAGES_PER_RUN })
