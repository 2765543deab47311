// The names of all metrics, their labels and what they mean. docs/operations.md has the same table, which a test compares.

interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly name: `notification_gateway_${string}` | `process_${string}`
  /** Shown with each scrape. A noun first. */
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[]
}

/** From a cached answer to a client that gives up. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
/** From a receiver nearby to the timeout of a request. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15] as const

export const definitions = {
  requests: {
    type: 'counter',
    name: 'notification_gateway_requests_total',
    help: 'Requests, and operations over WebSocket, by HTTP status.',
    labels: ['door', 'operation', 'status'],
  },
  requestDuration: {
    type: 'histogram',
    name: 'notification_gateway_request_duration_seconds',
    help: 'Time until a response begins. Waiting for a turn is included.',
    labels: ['door', 'operation'],
    buckets: requestBuckets,
  },
  rejections: {
    type: 'counter',
    name: 'notification_gateway_rejections_total',
    help: 'Errors that callers received, by code.',
    labels: ['door', 'code'],
  },
  triggersAccepted: {
    type: 'counter',
    name: 'notification_gateway_triggers_accepted_total',
    help: 'Triggers that were recorded as events. Repeated transaction ids do not count.',
    labels: [],
  },
  messages: {
    type: 'counter',
    name: 'notification_gateway_messages_total',
    help: 'Messages that ended: sent, or failed for good. In-app messages have the provider "feed".',
    labels: ['channel', 'provider', 'outcome'],
  },
  attempts: {
    type: 'counter',
    name: 'notification_gateway_attempts_total',
    help: 'Attempts to send a message: accepted, retried later, or failed for good.',
    labels: ['channel', 'provider', 'outcome'],
  },
  attemptDuration: {
    type: 'histogram',
    name: 'notification_gateway_attempt_duration_seconds',
    help: 'Time that a provider took to answer an attempt.',
    labels: ['channel', 'provider'],
    buckets: attemptBuckets,
  },
  queueJobs: {
    type: 'gauge',
    name: 'notification_gateway_queue_jobs',
    help: 'Jobs in the queue of all processes: due, or scheduled for later, in progress or to be repeated. At most 10000 are counted.',
    labels: ['kind', 'state'],
  },
  queueOldestAge: {
    type: 'gauge',
    name: 'notification_gateway_queue_oldest_due_age_seconds',
    help: 'Time since the oldest due job could be taken. 0 if none is due.',
    labels: ['kind'],
  },
  databaseUp: {
    type: 'gauge',
    name: 'notification_gateway_database_up',
    help: '1 if the database answered this scrape within two seconds, otherwise 0. The metrics of the queue are absent then.',
    labels: [],
  },
  databaseConnections: {
    type: 'gauge',
    name: 'notification_gateway_database_connections',
    help: 'Connections in the pool of this process.',
    labels: ['state'],
  },
  databaseWaiting: {
    type: 'gauge',
    name: 'notification_gateway_database_waiting',
    help: 'Statements and transactions that wait for a connection of the pool.',
    labels: [],
  },
  replicaReads: {
    type: 'counter',
    name: 'notification_gateway_replica_reads_total',
    help: 'Reads with a replica configured: answered by the replica, or by the primary because it was behind or away. Repeated ones failed on the replica first.',
    labels: ['outcome'],
  },
  sweptRows: {
    type: 'counter',
    name: 'notification_gateway_sweep_deleted_rows_total',
    help: 'Rows that the sweeps of this process deleted because they had expired.',
    labels: ['table'],
  },
  sweepBehind: {
    type: 'gauge',
    name: 'notification_gateway_sweep_oldest_expired_seconds',
    help: 'Time since the oldest row of the last portion expired. 0 if no sweep is in progress in this process.',
    labels: ['kind'],
  },
  streams: {
    type: 'gauge',
    name: 'notification_gateway_streams_open',
    help: 'Open feed streams.',
    labels: ['transport'],
  },
  evaluationTime: {
    type: 'counter',
    name: 'notification_gateway_evaluation_seconds_total',
    help: 'Time spent on templates, conditions and payload schemas, on the event loop or in a thread.',
    labels: ['kind', 'place'],
  },
  evaluationsStopped: {
    type: 'counter',
    name: 'notification_gateway_evaluations_stopped_total',
    help: 'Templates, conditions and payload schemas that a limit of time or memory stopped.',
    labels: ['kind', 'cause'],
  },
  loopDelay: {
    type: 'gauge',
    name: 'notification_gateway_event_loop_delay_seconds',
    help: 'Delay of timers since the last scrape. The quantile 1 is the longest one.',
    labels: ['quantile'],
  },
  loopUtilization: {
    type: 'gauge',
    name: 'notification_gateway_event_loop_utilization',
    help: 'Share of the time since the last scrape that the event loop was busy, from 0 to 1.',
    labels: [],
  },
  residentMemory: {
    type: 'gauge',
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    labels: [],
  },
  cpuTime: {
    type: 'counter',
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, of all threads.',
    labels: [],
  },
  startTime: {
    type: 'gauge',
    name: 'process_start_time_seconds',
    help: 'Start time of the process since the Unix epoch.',
    labels: [],
  },
  buildInfo: {
    type: 'gauge',
    name: 'notification_gateway_build_info',
    help: 'Always 1. The labels have the versions of the gateway and of Node.js.',
    labels: ['version', 'node'],
  },
} as const satisfies Record<string, Definition>

export type MetricDefinition = Definition
