// The names, labels and descriptions of all metrics. docs/operations.md has the same table, and a test compares the
// two.
import { type MetricDefinition, processDefinitions } from './process-definitions.ts'

/** From a cached response to a client that gives up. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
/** From a receiver nearby to the timeout of a request. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15] as const
/** From an immediate message to one that needed all its attempts. */
const latencyBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400] as const
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
  ...processDefinitions,
} as const satisfies Record<string, MetricDefinition>
