// The metrics of one gateway: counts events, reads state at each scrape, and prints everything for Prometheus.
import type { Door, Metrics } from '../lib/metrics.ts'
import { definitions } from './definitions.ts'
import { firstLabels } from './first-labels.ts'
import { Instruments } from './instruments.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { addStateMetrics, type MetricSources } from './state-metrics.ts'

export interface GatewayMetrics extends Metrics {
  /** Reads the state of the open gateway at each scrape from now on. */
  readonly watch: (sources: MetricSources) => void
  /**
   * Returns the metrics in the text format of Prometheus. Does not fail, and waits at most four seconds for the
   * database.
   */
  readonly print: () => Promise<string>
  readonly close: () => void
}

/** Caches the result of `create` by key, so that a report does not create it again. */
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
  const rejections = instruments.counter(definitions.rejections, firstLabels.rejections)
  const triggersAccepted = instruments.counter(definitions.triggersAccepted)
  const messages = instruments.counter(definitions.messages, firstLabels.messages)
  const reports = instruments.counter(definitions.reports, firstLabels.reports)
  const unknownReports = instruments.counter(definitions.unknownReports)
  const triggerToSent = instruments.histogram(definitions.triggerToSent, firstLabels.triggerToSent)
  const sentOn = kept((channel: string) => triggerToSent.labels(channel))
  const eventsFailed = instruments.counter(definitions.eventsFailed, firstLabels.eventsFailed)
  const runsFailed = instruments.counter(definitions.runsFailed)
  const attempts = instruments.counter(definitions.attempts, firstLabels.attempts)
  const attemptDuration = instruments.histogram(definitions.attemptDuration)
  const webhookAttempts = instruments.counter(definitions.webhookAttempts, firstLabels.webhookAttempts)
  const webhookAttemptDuration = instruments.histogram(definitions.webhookAttemptDuration)
  const webhooksDisabled = instruments.counter(definitions.webhooksDisabled, firstLabels.webhooksDisabled)
  const streams = instruments.gauge(definitions.streams)
  const evaluationTime = instruments.counter(definitions.evaluationTime, firstLabels.evaluationTime)
  const evaluationsStopped = instruments.counter(definitions.evaluationsStopped, firstLabels.evaluationsStopped)
  const replicaReads = instruments.counter(definitions.replicaReads, firstLabels.replicaReads)
  let sources: MetricSources | undefined
  addStateMetrics(instruments, () => sources)
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
    messagesSent(channel, seconds, count) {
      const sent = sentOn(channel)
      // The clocks of two processes may differ slightly.
      for (let counted = 0; counted < count; counted += 1) sent.observe(Math.max(0, seconds))
    },
    eventFailed: (reason) => eventsFailed.labels(reason).inc(),
    runsFailed: (count) => runsFailed.inc(count),
    messagesEnded: (channel, provider, end, count) => messages.labels(channel, provider, end).inc(count),
    webhookAttempted(outcome, seconds) {
      webhookAttempts.labels(outcome).inc()
      webhookAttemptDuration.observe(seconds)
    },
    webhookDisabled: (cause) => webhooksDisabled.labels(cause).inc(),
    reportsReceived: (channel, provider, kind, count) => reports.labels(channel, provider, kind).inc(count),
    reportsUnknown: (provider, count) => unknownReports.labels(provider).inc(count),
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
