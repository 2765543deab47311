// The metrics of one gateway: counts what the floors report, reads the rest at each scrape, and prints all for Prometheus.
import type { QueueState } from '../data/queue-state.ts'
import type { Door, Metrics } from '../lib/metrics.ts'
import { definitions } from './definitions.ts'
import { Instruments, type Sample } from './instruments.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { createQueueProbe } from './queue-probe.ts'

/** What is read at each scrape. */
export interface MetricSources {
  /** The connections to the database. */
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
  readonly readQueue: () => Promise<readonly QueueState[]>
  readonly now: () => Date
  /** Numbers that change as rows are deleted. */
  readonly sweepProgress: {
    readonly deleted: Readonly<Record<string, number>>
    readonly oldestExpired: Readonly<Record<string, number>>
  }
}

export interface GatewayMetrics extends Metrics {
  /** Reads from the open gateway at each scrape from now on. */
  readonly watch: (sources: MetricSources) => void
  /** The metrics in the text format of Prometheus. Does not fail, and waits at most two seconds for the database. */
  readonly print: () => Promise<string>
  readonly close: () => void
}

/** Keeps what `create` returns for each key, so that a report looks it up instead of creating it. */
function kept<Key, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const all = new Map<Key, Value>()
  return (key) => {
    const known = all.get(key)
    if (known !== undefined) return known
    const created = create(key)
    all.set(key, created)
    return created
  }
}

/** Adds the metrics of the database and its queue. */
function addDatabaseMetrics(instruments: Instruments, sources: () => MetricSources | undefined): void {
  // Before the queue, which is read through the same pool.
  instruments.readGauge(definitions.databaseConnections, () => {
    const { totalCount, idleCount } = sources()?.pool ?? { totalCount: 0, idleCount: 0 }
    return [
      [totalCount - idleCount, 'used'],
      [idleCount, 'idle'],
    ]
  })
  instruments.readGauge(definitions.databaseWaiting, () => [[sources()?.pool.waitingCount ?? 0]])
  const probe = createQueueProbe(() => sources()?.readQueue())
  instruments.readGauge(definitions.queueJobs, async () => {
    const states = (await probe()) ?? []
    return states.flatMap(({ kind, due, scheduled }): Sample[] => [
      [due, kind, 'due'],
      [scheduled, kind, 'scheduled'],
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
}

const samplesOf = (values: Readonly<Record<string, number>> = {}): readonly Sample[] =>
  Object.entries(values).map(([label, value]) => [value, label])

/** Creates the metrics of one gateway. Gateways share none. */
export function createMetrics(): GatewayMetrics {
  const instruments = new Instruments()
  const requests = instruments.counter(definitions.requests)
  const requestDuration = instruments.histogram(definitions.requestDuration)
  const operationsOf = kept((door: Door) =>
    kept((operation: string) => ({
      duration: requestDuration.labels(door, operation),
      withStatus: kept((status: number) => requests.labels(door, operation, String(status))),
    })),
  )
  const rejections = instruments.counter(definitions.rejections)
  const triggersAccepted = instruments.counter(definitions.triggersAccepted)
  const messages = instruments.counter(definitions.messages)
  const attempts = instruments.counter(definitions.attempts)
  const attemptDuration = instruments.histogram(definitions.attemptDuration)
  const streams = instruments.gauge(definitions.streams)
  const evaluationTime = instruments.counter(definitions.evaluationTime)
  const evaluationsStopped = instruments.counter(definitions.evaluationsStopped)
  const replicaReads = instruments.counter(definitions.replicaReads)
  let sources: MetricSources | undefined
  addDatabaseMetrics(instruments, () => sources)
  instruments.readCounter(definitions.sweptRows, () => samplesOf(sources?.sweepProgress.deleted))
  instruments.readGauge(definitions.sweepBehind, () => samplesOf(sources?.sweepProgress.oldestExpired))
  const stopMeasuring = addProcessMetrics(instruments)

  return {
    answered(door, operation, status, seconds) {
      const { duration, withStatus } = operationsOf(door)(operation)
      duration.observe(seconds)
      withStatus(status).inc()
    },
    rejected: (door, code) => rejections.labels(door, code).inc(),
    triggersAccepted: (count) => triggersAccepted.inc(count),
    attempted(channel, provider, result, seconds) {
      attempts.labels(channel, provider, result).inc()
      attemptDuration.labels(channel, provider).observe(seconds)
    },
    messagesEnded: (channel, provider, end, count) => messages.labels(channel, provider, end).inc(count),
    evaluated: (kind, place, seconds) => evaluationTime.labels(kind, place).inc(seconds),
    evaluationStopped: (kind, cause) => evaluationsStopped.labels(kind, cause).inc(),
    replicaRead: (outcome) => replicaReads.labels(outcome).inc(),
    streamOpened(transport) {
      const open = streams.labels(transport)
      open.inc()
      return () => open.dec()
    },
    watch(opened) {
      sources = opened
    },
    print: () => instruments.registry.metrics(),
    close: stopMeasuring,
  }
}
