// The names, labels and descriptions of the metrics of a process and its database, and what every metric has.

export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly name: `notification_gateway_${string}` | `process_${string}`
  /** The help text, which each scrape prints. Starts with a noun. */
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[]
}

/** From an idle event loop to one that cannot answer health checks. */
const loopBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export const processDefinitions = {
  databaseUp: {
    type: 'gauge',
    name: 'notification_gateway_database_up',
    help: '1 if the database answered this scrape within two seconds, otherwise 0. The metrics of the queue are absent then.',
    labels: [],
  },
  databasesUp: {
    type: 'gauge',
    name: 'notification_gateway_environments_database_up',
    help: '1 if one of DATABASES answered this scrape, otherwise 0.',
    labels: ['database'],
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
  replicaDelay: {
    type: 'gauge',
    name: 'notification_gateway_replica_lag_seconds',
    help: 'Time for which the replica has lacked the oldest write-ahead log that it has not replayed. Absent while it cannot be used.',
    labels: [],
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
} as const satisfies Record<string, MetricDefinition>
