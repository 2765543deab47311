// The metrics of state: the database, its queue, the replica and the background work. They are read at each scrape.
import type { QueueState } from '../data/queue/queue-state.ts'
import type { ReplicaLag } from '../data/replica/replica.ts'
import type { Readiness } from '../domain/resolver/readiness.ts'
import { definitions } from './definitions.ts'
import type { Instruments, Sample } from './instruments.ts'
import { createProbe } from './probe.ts'

/** The state that is read at each scrape. */
export interface MetricSources {
  /** The connections to the database. */
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
  readonly readQueue: () => Promise<readonly QueueState[]>
  readonly now: () => Date
  /** The progress of housekeeping. */
  readonly housekeeping: {
    readonly deleted: Readonly<Record<string, number>>
    readonly oldestExpired: Readonly<Record<string, number>>
    /** How often each task ended, by its name and outcome. */
    readonly ended: Readonly<Record<string, { readonly finished: number; readonly failed: number }>>
  }
  /** Whether the databases beside the main one answer, by name. */
  readonly databasesUp: () => Promise<Readonly<Record<string, boolean>>>
  readonly readiness: () => Promise<Pick<Readiness, 'checks'>>
  /** The state of the installation as a whole, which changes slowly. */
  readonly readInstallation: () => Promise<InstallationState>
  readonly failingIntegrations: () => number
  /** The places for messages of this process. */
  readonly places: { readonly held: number; readonly free: number; readonly inFlight: number }
  /** Bytes on the disk of the embedded database. */
  readonly freeSpace: () => Promise<number | undefined>
  /**
   * How far the replica is behind. The result is undefined while the replica is unusable. The function is absent if no
   * replica is configured.
   */
  readonly replicaLag?: (() => Promise<ReplicaLag | undefined>) | undefined
}

export interface InstallationState {
  readonly suspendedWorkflows: number
  readonly openCircuits: number
  /** The times at which tasks last finished, by name. */
  readonly finished: Readonly<Record<string, Date>>
}

/** Milliseconds for which the state of the installation is reused. Shorter than the time between two scrapes. */
const INSTALLATION_KEPT = 10_000
/** Milliseconds to wait for the readiness check, which itself waits for the database. */
const READINESS_PATIENCE = 4_000

type Sources = () => MetricSources | undefined

const sampleOf = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [[value]])

const samplesOf = (values: Readonly<Record<string, number>> = {}): readonly Sample[] =>
  Object.entries(values).map(([label, value]) => [value, label])

/** Adds the metrics of an open gateway. */
export function addStateMetrics(instruments: Instruments, sources: Sources): void {
  addPool(instruments, sources)
  addQueue(instruments, sources)
  addReadiness(instruments, sources)
  addReplica(instruments, sources)
  addInstallation(instruments, sources)
  addHousekeeping(instruments, sources)
  addPlaces(instruments, sources)
  instruments.readGauge(definitions.integrationsFailing, () => sampleOf(sources()?.failingIntegrations()))
}

/** Call it before metrics that are read through the same pool. */
function addPool(instruments: Instruments, sources: Sources): void {
  instruments.readGauge(definitions.databaseConnections, () => {
    const { totalCount, idleCount } = sources()?.pool ?? { totalCount: 0, idleCount: 0 }
    return [
      [totalCount - idleCount, 'used'],
      [idleCount, 'idle'],
    ]
  })
  instruments.readGauge(definitions.databaseWaiting, () => [[sources()?.pool.waitingCount ?? 0]])
}

function addQueue(instruments: Instruments, sources: Sources): void {
  const probe = createProbe(() => sources()?.readQueue())
  instruments.readGauge(definitions.queueJobs, async () => {
    const states = (await probe()) ?? []
    return states.flatMap(({ kind, due, scheduled, held, limited }): Sample[] => [
      [due, kind, 'due'],
      [scheduled, kind, 'scheduled'],
      [held, kind, 'paused'],
      [limited, kind, 'rate_limited'],
    ])
  })
  instruments.readGauge(definitions.queueOldestAge, async () => {
    const states = (await probe()) ?? []
    const now = sources()?.now().getTime() ?? 0
    return states.map(({ kind, oldestSince }): Sample => {
      const since = oldestSince?.getTime() ?? now
      return [Math.max(0, now - since) / 1000, kind]
    })
  })
  instruments.readGauge(definitions.databaseUp, async () => [[(await probe()) === undefined ? 0 : 1]])
  const others = createProbe(() => sources()?.databasesUp())
  instruments.readGauge(definitions.databasesUp, async () =>
    Object.entries((await others()) ?? {}).map(([name, isUp]): Sample => [isUp ? 1 : 0, name]),
  )
}

function addPlaces(instruments: Instruments, sources: Sources): void {
  instruments.readGauge(definitions.messagesInFlight, () => sampleOf(sources()?.places.inFlight))
  instruments.readGauge(definitions.messagePlaces, () => {
    const places = sources()?.places
    if (places === undefined) return []
    return [
      [places.held, 'used'],
      [places.free, 'free'],
    ]
  })
}

function addHousekeeping(instruments: Instruments, sources: Sources): void {
  instruments.readCounter(definitions.sweptRows, () => samplesOf(sources()?.housekeeping.deleted))
  instruments.readGauge(definitions.sweepBehind, () => samplesOf(sources()?.housekeeping.oldestExpired))
  instruments.readCounter(definitions.tasksEnded, () =>
    Object.entries(sources()?.housekeeping.ended ?? {}).flatMap(([task, { finished, failed }]): Sample[] => [
      [finished, task, 'finished'],
      [failed, task, 'failed'],
    ]),
  )
}

function addReadiness(instruments: Instruments, sources: Sources): void {
  const probe = createProbe(() => sources()?.readiness(), { patience: READINESS_PATIENCE })
  instruments.readGauge(definitions.ready, async () => {
    const found = await probe()
    return Object.entries(found?.checks ?? {}).map(([check, result]): Sample => [result === 'ok' ? 1 : 0, check])
  })
  const space = createProbe(() => sources()?.freeSpace())
  instruments.readGauge(definitions.diskFree, async () => sampleOf(await space()))
}

function addReplica(instruments: Instruments, sources: Sources): void {
  const isConfigured = () => sources()?.replicaLag !== undefined
  const probe = createProbe(() => sources()?.replicaLag?.())
  instruments.readGauge(definitions.replicaUp, async () =>
    isConfigured() ? [[(await probe()) === undefined ? 0 : 1]] : [],
  )
  instruments.readGauge(definitions.replicaLag, async () => sampleOf((await probe())?.bytes))
  instruments.readGauge(definitions.replicaDelay, async () => sampleOf((await probe())?.seconds))
}

function addInstallation(instruments: Instruments, sources: Sources): void {
  const probe = createProbe(() => sources()?.readInstallation(), { kept: INSTALLATION_KEPT })
  instruments.readGauge(definitions.workflowsSuspended, async () => sampleOf((await probe())?.suspendedWorkflows))
  instruments.readGauge(definitions.openCircuits, async () => sampleOf((await probe())?.openCircuits))
  instruments.readGauge(definitions.taskFinished, async () =>
    Object.entries((await probe())?.finished ?? {}).map(([task, at]): Sample => [at.getTime() / 1000, task]),
  )
}
