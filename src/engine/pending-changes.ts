// Pending changes: what was decided about runs and is not written yet. One statement writes all of it.
import { type ActiveRun, type NewRun, type RunState } from '../data/run.ts'
import { type RunChanges, writeRunChanges } from '../data/run-changes.ts'
import type { Subscriber } from '../data/subscriber.ts'
import type { EnvironmentScope } from '../domain/scope.ts'

/** Changes other than new runs. */
type Changes = Omit<RunChanges, 'newRuns'>

/** The changes of one transaction. */
export class PendingChanges {
  readonly #scope: EnvironmentScope
  #runs = new Map<string, NewRun>()
  #changes: Changes[] = []

  constructor(scope: EnvironmentScope) {
    this.#scope = scope
  }

  /** Creates a run at the first step. */
  create(eventId: string, subscriber: Subscriber): ActiveRun {
    const id = this.#scope.newId()
    const { subscriberId, id: subscriberRowId } = subscriber
    const state = { status: 'running', position: 0 } as const
    this.#runs.set(id, { id, eventId, subscriberId, subscriberRowId, ...state, error: null })
    return { id, eventId, subscriber, ...state }
  }

  /** Sets the state of a run, which may be a new one. */
  move(id: string, state: RunState): void {
    const created = this.#runs.get(id)
    if (created) this.#runs.set(id, { ...created, ...state })
    else this.add({ states: [{ id, ...state }] })
  }

  add(changes: Changes): void {
    this.#changes.push(changes)
  }

  /** Writes the changes so far. Required before a statement that reads them. */
  async write(): Promise<void> {
    const [runs, all] = [this.#runs, this.#changes]
    this.#runs = new Map()
    this.#changes = []
    await writeRunChanges(this.#scope, {
      newRuns: [...runs.values()],
      states: all.flatMap(({ states = [] }) => states),
      steps: all.flatMap(({ steps = [] }) => steps),
      notifications: all.flatMap(({ notifications = [] }) => notifications),
      deliveries: all.flatMap(({ deliveries = [] }) => deliveries),
      jobs: all.flatMap(({ jobs = [] }) => jobs),
      fannedOut: all.flatMap(({ fannedOut = [] }) => fannedOut),
    })
  }
}
