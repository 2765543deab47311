// Series that start at 0. If a series began with its first failure, Prometheus would see no increase.
import type { ReportKind } from '../data/prisma/enums.ts'
import { providerFor, providers } from '../delivery/sending/provider-registry.ts'
import { channels } from '../domain/channel/channel.ts'
import { failureReasons } from '../domain/trigger/event-status.ts'
import { kindOf, type ProviderId, providerOf } from '../domain/channel/provider-id.ts'
import { FEED } from '../engine/pending-changes.ts'
import { kinds } from '../evaluation/work.ts'
import { errorKinds } from '../lib/errors.ts'
import type {
  AttemptResultKind,
  Door,
  EvaluationPlace,
  MessageEnd,
  ReplicaOutcome,
  WebhookDisabling,
  WebhookOutcome,
} from '../lib/metrics.ts'
import type { definitions } from './definitions.ts'
import type { Labels } from './instruments.ts'

/** All combinations of label values. */
const combined = <First extends Labels, Second extends string>(first: readonly First[], second: readonly Second[]) =>
  first.flatMap((labels) => second.map((label) => [...labels, label]))

/** The providers that this version implements, each with its channel. */
const senders = (Object.keys(providers) as ProviderId[]).map((id) => [kindOf(id), id])

const pushSenders = senders.filter(([channel]) => channel === 'push')

/** The providers that report, each with its channel. */
const reporters = senders.filter(([, id]) => providerFor(providerOf(id ?? ''))?.receiver !== undefined)

const ends = ['sent', 'failed'] as const satisfies readonly MessageEnd[]
const results = ['accepted', 'retried', 'failed'] as const satisfies readonly AttemptResultKind[]
const unregistered = ['unregistered'] as const satisfies readonly (MessageEnd & AttemptResultKind)[]
const doors = ['graphql', 'rest'] as const satisfies readonly Door[]
const places = ['loop', 'thread'] as const satisfies readonly EvaluationPlace[]
const outcomes = ['replica', 'behind', 'away', 'repeated'] as const satisfies readonly ReplicaOutcome[]
const webhookOutcomes = ['succeeded', 'retried', 'failed'] as const satisfies readonly WebhookOutcome[]
const webhookDisablings = ['gone', 'failing'] as const satisfies readonly WebhookDisabling[]
const codes = [...new Set(Object.values(errorKinds).map(({ code }) => code))]
/** The errors of the public door that somebody should look at. Everyone can cause the others. */
const publicCodes = (['INTERNAL', 'RATE_LIMITED', 'UNAUTHENTICATED'] as const).map((kind) => errorKinds[kind].code)
/** The kinds of reports that alerts compare. */
const failedReports = ['bounced_hard', 'bounced_soft', 'dropped', 'complained'] as const satisfies readonly ReportKind[]
const evaluated = kinds.map((kind) => [kind])

/** Label values by metric, for metrics with few of them. Requests have too many. */
export const firstLabels = {
  rejections: [
    ...combined(
      doors.map((door) => [door]),
      codes,
    ),
    ...combined([['public' satisfies Door]], publicCodes),
  ],
  triggerToSent: Object.keys(channels).map((channel) => [channel]),
  eventsFailed: failureReasons.map((reason) => [reason]),
  messages: [...combined(senders, ends), ...combined(pushSenders, unregistered), ['in_app', FEED, 'sent']],
  reports: combined(reporters, failedReports),
  attempts: [...combined(senders, results), ...combined(pushSenders, unregistered)],
  webhookAttempts: webhookOutcomes.map((outcome) => [outcome]),
  webhooksDisabled: webhookDisablings.map((cause) => [cause]),
  evaluationTime: combined(evaluated, places),
  evaluationsStopped: combined(evaluated, ['time', 'memory']),
  replicaReads: outcomes.map((outcome) => [outcome]),
} as const satisfies Partial<Record<keyof typeof definitions, readonly Labels[]>>
