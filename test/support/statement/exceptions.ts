// The statements that break a rule of `rules.ts`, and why. A new statement follows the rules instead.
import type { StatementRule } from './rules.ts'

interface Exception {
  readonly rules: readonly StatementRule[]
  readonly labels: readonly string[]
}

/**
 * Statements of all environments, or of several. They run in the background, or find the environment of a request. Each
 * of several databases would run its own.
 */
const ofAllEnvironments: readonly Exception[] = [
  {
    // The queues, in which environments take turns.
    rules: ['environment', 'notify'],
    labels: [
      'circuit.countOpenCircuits',
      'held-job.endedHolds',
      'held-job.holdPortion',
      'held-job.holdTaken',
      'held-job.releasePortion',
      'job-taking.claimJobs',
      'job-taking.lookForJobs',
      'job-taking.removeNextJobs',
      'job-taking.renewJobs',
      'job-taking.returnAllJobs',
      'job-taking.returnJobs',
      'job-taking.takeAny',
      'open-circuit.beginProbe',
      'open-circuit.moveJobs',
      'open-circuit.readRoutes',
      'push-ticket.take',
      'queue-state.readStateIn',
      'queued-jobs.readQueuedJobs',
      'send-rate.forgetDraws',
      'send-rate.putBack',
      'send-rate.refills',
      'webhook-queue.recordWebhookResults',
      'webhook-queue.takeWebhooks',
    ],
  },
  {
    // Reads for metrics, housekeeping, caches and a page of environments.
    rules: ['environment'],
    labels: [
      'pause.environmentPauses',
      'snooze.environmentsWithDue',
      'unsubscribe-links.countLinked',
      'webhook-subscription.readWantedTypes',
      'workflow-suspension.countSuspended',
      'write-position.readPositions',
    ],
  },
  // The address of a report may name the environment by its identifier.
  { rules: ['environment'], labels: ['inbound-webhook.findReportingIntegration'] },
  {
    // Batches of requests, connections and triggers.
    rules: ['environment', 'conflict', 'parts', 'storage'],
    labels: [
      'online-lease.confirmLeases',
      'online-lease.endLeases',
      'online-lease.lockAll',
      'online-lease.staleLeases',
      'online-lease.writeOnlineState',
      'rate-limit-buckets.spendTokens',
      'unprocessed-trigger.writeUnprocessed',
    ],
  },
  {
    // Sweeps and additions of counts. A portion of all environments costs as much as one of a single environment.
    rules: ['environment', 'parts', 'storage'],
    labels: [
      'copied-columns.copyColumns',
      'event-outcome.foldOutcomes',
      'event-outcome.storeOutcomes',
      'event.foldTallies',
      'expired-rows.findExpired',
      'idempotency-keys.deleteAnswers',
      'inbound-text.sweepInboundTexts',
      'inbound-webhook.sweepSignatures',
      'message-statistics.foldStatistics',
      'message-statistics.sweepStatistics',
      'suppression.sweepBouncedDays',
      'suppression.sweepSuppressions',
    ],
  },
  {
    // Encryption of what earlier versions stored, and with a new key.
    rules: ['environment', 'storage'],
    labels: [
      'encryption.ciphertextOf',
      'encryption.keyIdsIn',
      'plain-secret.plainTokens',
      'plain-secret.plainWebhooks',
      'plain-secret.writeEncryptedTokens',
      'plain-secret.writeEncryptedWebhooks',
      're-encryption.ciphertextsOfOtherKeys',
      're-encryption.pagesOfColumn',
      're-encryption.replaceCiphertexts',
    ],
  },
  {
    // Backups and the refresh of statistics, which read the tables of their own server.
    rules: ['environment', 'storage'],
    labels: [
      'dump.dumpTable',
      'dump.pagesOf',
      'maintenance.refreshStatistics',
      'restore.advanceSequences',
      'restore.assertEmpty',
    ],
  },
  // Migrations change the rows of all environments.
  { rules: ['environment', 'parts', 'conflict', 'notify', 'storage'], labels: ['migrate.applyAtOnce'] },
]

/** Statements of one environment that are still to change. */
const toChange: readonly Exception[] = [
  {
    // Each is one statement to save round trips, and is to become a function that gets the environment and JSON.
    rules: ['parts', 'notify'],
    labels: [
      'delivery-report.addReports',
      'event-outcome.completeEvents',
      'run-changes.writeRunChanges',
      'webhook-message.insertWebhookMessages',
    ],
  },
  {
    // The patch of an existing subscriber is read from another part of the statement. Computing all values before costs up
    // to a tenth more, and a patch that clears a field would be lost if the subscriber was inserted meanwhile.
    rules: ['conflict', 'parts', 'notify'],
    labels: ['subscriber.updateSubscriber', 'subscriber.writeSubscribers', 'trigger.writeAccepted'],
  },
  {
    // NOTIFY as a statement of its own would be one more round trip for each mark, job or message. Messages of webhooks
    // are written with the change that they are about.
    rules: ['notify', 'parts'],
    labels: [
      'circuit.closeCircuit',
      'event-notifications.deleteOfEvent',
      'job.enqueue',
      'notification-action.completeAction',
      'notification-action.revertAction',
      'notification-mark.deleteRows',
      'notification-mark.markRows',
      'snooze.returnDue',
      'snooze.snoozeRow',
      'snooze.unsnoozeRow',
      'webhook-delivery.requeueDelivery',
      'webhook-message.replayMessages',
    ],
  },
  {
    // With the environment beside `ctid`, PostgreSQL could read all rows of the environment for each portion.
    rules: ['environment', 'storage'],
    labels: ['environment-deletion.deletePortion'],
  },
  // The fan-out.
  { rules: ['environment', 'parts'], labels: ['run.createRuns'] },
]

const exceptions: readonly Exception[] = [...ofAllEnvironments, ...toChange]

/** The labels of all exceptions. */
export const exceptionalLabels: readonly string[] = exceptions.flatMap(({ labels }) => labels)

/** True if a statement may break a rule. */
export const isException = (label: string, rule: StatementRule): boolean =>
  exceptions.some(({ rules, labels }) => rules.includes(rule) && labels.includes(label))
