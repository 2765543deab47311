// The names, labels and descriptions of all metrics. docs/operations.md has the same table, and a test compares the
// two.

interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly name: `notification_gateway_${string}` | `process_${string}`
  /** The help text, which each scrape prints. Starts with a noun. */
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[]
}

/** From a cached response to a client that gives up. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
/** From a receiver nearby to the timeout of a request. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15] as const
/** From an immediate message to one that needed all its attempts. */
const latencyBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400] as const
/** From an idle event loop to one that cannot answer health checks. */
const loopBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

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
    help: 'Messages that ended: sent, failed for good, or to a device that is no longer registered. In-app messages have the provider "feed".',
    labels: ['channel', 'provider', 'outcome'],
  },
  reports: {
    type: 'counter',
    name: 'notification_gateway_reports_total',
    help: 'Reports of providers about messages, by kind. Repeated ones do not count.',
    labels: ['channel', 'provider', 'kind'],
  },
  unknownReports: {
    type: 'counter',
    name: 'notification_gateway_unknown_reports_total',
    help: 'Reports of providers about messages that this gateway did not send, or has deleted.',
    labels: ['provider'],
  },
  triggerToSent: {
    type: 'histogram',
    name: 'notification_gateway_trigger_to_sent_seconds',
    help: 'Time from the trigger until a message was sent. After a delay or a digest, the time since its end.',
    labels: ['channel'],
    buckets: latencyBuckets,
  },
  eventsFailed: {
    type: 'counter',
    name: 'notification_gateway_events_failed_total',
    help: 'Events that failed, by reason.',
    labels: ['reason'],
  },
  runsFailed: {
    type: 'counter',
    name: 'notification_gateway_runs_failed_total',
    help: 'Workflow runs that failed.',
    labels: [],
  },
  integrationsFailing: {
    type: 'gauge',
    name: 'notification_gateway_integrations_failing',
    help: 'Integrations with several failed attempts of this process in a row, the last one within 15 minutes.',
    labels: [],
  },
  openCircuits: {
    type: 'gauge',
    name: 'notification_gateway_open_circuits',
    help: 'Integrations whose circuit is open, in all environments: their messages wait or take another integration.',
    labels: [],
  },
  workflowsSuspended: {
    type: 'gauge',
    name: 'notification_gateway_workflows_suspended',
    help: 'Workflows that are suspended, in all environments. At most 1000 are counted.',
    labels: [],
  },
  attempts: {
    type: 'counter',
    name: 'notification_gateway_attempts_total',
    help: 'Attempts to send a message: accepted, retried later, failed for good, or to a device that is no longer registered, whose token was removed.',
    labels: ['channel', 'provider', 'outcome'],
  },
  attemptDuration: {
    type: 'histogram',
    name: 'notification_gateway_attempt_duration_seconds',
    help: 'Time that a provider took to answer an attempt.',
    labels: ['channel', 'provider'],
    buckets: attemptBuckets,
  },
  webhookAttempts: {
    type: 'counter',
    name: 'notification_gateway_webhook_attempts_total',
    help: 'Attempts to send a webhook message: succeeded, retried later, or failed for good.',
    labels: ['outcome'],
  },
  webhookAttemptDuration: {
    type: 'histogram',
    name: 'notification_gateway_webhook_attempt_duration_seconds',
    help: 'Time that a receiver took to answer a webhook message.',
    ...{ labels: [], buckets: attemptBuckets },
  },
  webhooksDisabled: {
    type: 'counter',
    name: 'notification_gateway_webhook_subscriptions_disabled_total',
    help: 'Webhook subscriptions that this process deactivated: the receiver is gone, or fails for days.',
    labels: ['cause'],
  },
  queueJobs: {
    type: 'gauge',
    name: 'notification_gateway_queue_jobs',
    help: 'Jobs in the queue: due; scheduled for later, in progress or to be repeated; paused; or waiting for a rate limit. At most 10000 are counted.',
    labels: ['kind', 'state'],
  },
  queueOldestAge: {
    type: 'gauge',
    name: 'notification_gateway_queue_oldest_due_age_seconds',
    help: 'Time since the oldest due job could be taken. 0 if none is due.',
    labels: ['kind'],
  },
  messagesInFlight: {
    type: 'gauge',
    name: 'notification_gateway_messages_in_flight',
    help: 'Messages that this process is sending. Those that wait for a provider for longer than a second have no place any more.',
    labels: [],
  },
  messagePlaces: {
    type: 'gauge',
    name: 'notification_gateway_message_places',
    help: 'Places for messages of this process: used, or free. Without free ones, it takes no further message.',
    labels: ['state'],
  },
  databaseUp: {
    type: 'gauge',
    name: 'notification_gateway_database_up',
    help: '1 if the database answered this scrape within two seconds, otherwise 0. The metrics of the queue are absent then.',
    labels: [],
  },
  ready: {
    type: 'gauge',
    name: 'notification_gateway_ready',
    help: '1 if a check of /ready is in order, otherwise 0.',
    labels: ['check'],
  },
  diskFree: {
    type: 'gauge',
    name: 'notification_gateway_disk_free_bytes',
    help: 'Free space on the disk of the embedded database. Absent on a server.',
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
  replicaUp: {
    type: 'gauge',
    name: 'notification_gateway_replica_up',
    help: '1 if the replica can be used, otherwise 0. Absent if none is configured.',
    labels: [],
  },
  replicaLag: {
    type: 'gauge',
    name: 'notification_gateway_replica_lag_bytes',
    help: 'Write-ahead log that the replica has not replayed. Absent while it cannot be used.',
    labels: [],
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
  tasksEnded: {
    type: 'counter',
    name: 'notification_gateway_housekeeping_tasks_total',
    help: 'Tasks of housekeeping that ended in this process. Those that had nothing to do or were interrupted do not count.',
    labels: ['task', 'outcome'],
  },
  taskFinished: {
    type: 'gauge',
    name: 'notification_gateway_task_finished_timestamp_seconds',
    help: 'Time since the Unix epoch when a process last finished a sweep, or the command backup. Absent before the first.',
    labels: ['task'],
  },
  streams: {
    type: 'gauge',
    name: 'notification_gateway_streams_open',
    help: 'Open streams of subscriptions.',
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
    type: 'histogram',
    name: 'notification_gateway_event_loop_delay_seconds',
    help: 'Delay of a timer that ends every 20 milliseconds.',
    labels: [],
    buckets: loopBuckets,
  },
  loopBusy: {
    type: 'counter',
    name: 'notification_gateway_event_loop_busy_seconds_total',
    help: 'Time that the event loop was busy. Its increase per second is the utilization, from 0 to 1.',
    labels: [],
  },
  residentMemory: {
    type: 'gauge',
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    labels: [],
  },
  heapUsed: {
    type: 'gauge',
    name: 'notification_gateway_heap_used_bytes',
    help: 'Used memory of the JavaScript heap.',
    labels: [],
  },
  heapLimit: {
    type: 'gauge',
    name: 'notification_gateway_heap_limit_bytes',
    help: 'Size that the JavaScript heap can grow to. The process ends beyond it.',
    labels: [],
  },
  openFiles: {
    type: 'gauge',
    name: 'process_open_fds',
    help: 'Open file descriptors: connections and files. Only on Linux.',
    labels: [],
  },
  maxFiles: {
    type: 'gauge',
    name: 'process_max_fds',
    help: 'File descriptors that the process may have open. Only on Linux.',
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
