// Deletes expired rows, environment by environment.
import { sweepAttachments } from '../../data/attachment/attachment.ts'
import { sweepSignIns } from '../../data/access/dashboard-session.ts'
import { recordFinished } from '../../data/housekeeping/finished-task.ts'
import {
  type EventPlace,
  FIRST_PLACE,
  sweepEvents,
  sweepFeed,
  type SweptEnvironment,
  sweptEnvironments,
} from '../../data/housekeeping/sweep.ts'
import { sweepSecrets } from '../../data/housekeeping/secret-sweep.ts'
import { type CountedOf, sweepStatistics } from '../../data/monitoring/message-statistics.ts'
import type { Tenant } from '../../data/reading/loader.ts'
import { sweepUnprocessed } from '../../data/unprocessed-trigger.ts'
import { sweepWebhookMessages } from '../../data/webhook/webhook-delivery.ts'
import { sweepSnapshots } from '../../data/workflow-snapshot.ts'
import { daysKept, type RetentionSettings } from '../../domain/access/retention.ts'
import { failureReasons } from '../../domain/trigger/event-status.ts'
import type { MeasuredRows, Performance, SweptTable } from './task.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Nothing is older, so nothing expires before this time. */
const BEGINNING = new Date(0)

/** The creation times before which an environment's rows are expired. Undefined for rows that are kept. */
interface Expired {
  readonly now: Date
  readonly events: Date | undefined
  readonly feed: Date | undefined
}

/** A portion to delete. */
interface Portion<Place> {
  readonly before: Date
  /** The position at which it begins. */
  readonly after: Place
  readonly take: number
  readonly now: Date
}

interface Swept<Place> {
  readonly deleted: Partial<Record<SweptTable, number>>
  /** The creation time of the oldest row in the portion. Absent if there was none, or if the delay is not measured. */
  readonly oldest?: Date | undefined
  /** The position at which the next portion begins. Undefined after the last portion. */
  readonly next: Place | undefined
}

/** Rows that expire together. */
interface Expiry<Place> {
  /** The kind of the portions. Each kind has sizes of its own. */
  readonly kind: string
  /** Present if the delay of the rows is measured. */
  readonly measured?: MeasuredRows
  /** The position at which the first portion begins. */
  readonly first: Place
  /** The time before which rows have expired. Undefined if they are kept. */
  readonly before: (expired: Expired) => Date | undefined
  readonly sweep: (tenant: Tenant, portion: Portion<Place>) => Promise<Swept<Place>>
}

/** Encrypted values of secret payload fields are removed once nothing needs them: a day after the last failure. */
const secrets: Expiry<EventPlace> = {
  kind: 'secrets',
  first: FIRST_PLACE,
  before: ({ now }) => new Date(now.getTime() - DAY),
  sweep: async (tenant, { before, ...portion }) => ({
    deleted: {},
    next: await sweepSecrets(tenant, { ...portion, failedBefore: before, retryable: failureReasons }),
  }),
}

/** The position of portions that begin with the oldest remaining row. */
const OLDEST = 'oldest'

/** @returns the position of the next portion, after a portion with this number of rows. */
const oldestAfter = (count: number, take: number) => (count === take ? OLDEST : undefined)

const events: Expiry<EventPlace> = {
  kind: 'events',
  measured: 'events',
  first: FIRST_PLACE,
  before: (expired) => expired.events,
  sweep: (tenant, portion) => sweepEvents(tenant, { ...portion, retryable: failureReasons }),
}

const workflowSnapshots: Expiry<string> = {
  kind: 'workflow_snapshots',
  first: '',
  before: (expired) => expired.events,
  async sweep(tenant, portion) {
    const { count, next } = await sweepSnapshots(tenant, portion)
    return { deleted: { workflow_snapshots: count }, next }
  },
}

/** Counts by hour and by day are kept as long as events, counts by minute for a day. */
const statisticsExpiry = (
  table: 'message_statistics' | 'context_statistics',
  of: CountedOf,
): Expiry<typeof OLDEST> => ({
  kind: table,
  first: OLDEST,
  before: (expired) => expired.events ?? BEGINNING,
  async sweep(tenant, { before, take, now }) {
    const minute = new Date(now.getTime() - DAY - HOUR)
    const count = await sweepStatistics(tenant, { minute, hour: before, day: before }, take, of)
    return { deleted: { [table]: count }, next: oldestAfter(count, take) }
  },
})
const messageStatistics = statisticsExpiry('message_statistics', 'environment')
const contextStatistics = statisticsExpiry('context_statistics', 'contexts')

const notifications: Expiry<typeof OLDEST> = {
  kind: 'notifications',
  measured: 'notifications',
  first: OLDEST,
  before: (expired) => expired.feed,
  async sweep(tenant, portion) {
    const { count, oldest } = await sweepFeed(tenant, portion)
    return { deleted: { notifications: count }, oldest, next: oldestAfter(count, portion.take) }
  },
}

/** Traces of triggers are kept for a day. */
const unprocessedTriggers: Expiry<typeof OLDEST> = {
  kind: 'unprocessed_triggers',
  first: OLDEST,
  before: ({ now }) => new Date(now.getTime() - DAY),
  async sweep(tenant, portion) {
    const count = await sweepUnprocessed(tenant, portion)
    return { deleted: { unprocessed_triggers: count }, next: oldestAfter(count, portion.take) }
  },
}

/** Webhook messages are kept for 7 days, with their deliveries. */
const webhookMessages: Expiry<typeof OLDEST> = {
  kind: 'webhook_messages',
  first: OLDEST,
  before: ({ now }) => new Date(now.getTime() - 7 * DAY),
  async sweep(tenant, portion) {
    const { messages, deliveries } = await sweepWebhookMessages(tenant, portion)
    const deleted = { webhook_messages: messages, webhook_deliveries: deliveries }
    return { deleted, next: oldestAfter(messages, portion.take) }
  },
}

/** Uploads that no trigger used within a day. All other attachments are deleted with their last event. */
const unusedAttachments: Expiry<typeof OLDEST> = {
  kind: 'attachments',
  first: OLDEST,
  before: ({ now }) => new Date(now.getTime() - DAY),
  async sweep(tenant, portion) {
    const count = await sweepAttachments(tenant, portion)
    return { deleted: { attachments: count }, next: oldestAfter(count, portion.take) }
  },
}

/** Sessions and sign-in codes have an expiry of their own. */
const signIns: Expiry<typeof OLDEST> = {
  kind: 'sign_ins',
  first: OLDEST,
  before: ({ now }) => now,
  async sweep(tenant, portion) {
    const { sessions, codes } = await sweepSignIns(tenant, portion)
    const deleted = { dashboard_sessions: sessions, sign_in_codes: codes }
    return { deleted, next: oldestAfter(Math.max(sessions, codes), portion.take) }
  },
}

/** How many seconds the oldest row of a portion had been expired. */
const delayOf = (oldest: Date | undefined, before: Date) =>
  oldest === undefined ? 0 : Math.max(0, before.getTime() - oldest.getTime()) / 1000

async function sweep<Place>(
  performance: Performance,
  { kind, measured, first, before: beforeOf, sweep: sweepPortion }: Expiry<Place>,
  environmentId: string,
  expired: Expired,
): Promise<void> {
  const { gateway, portion, report } = performance
  const before = beforeOf(expired)
  if (before === undefined) return
  for (let place: Place | undefined = first; place !== undefined;) {
    const after: Place = place
    const { deleted, oldest, next } = await portion(kind, (db, take) =>
      sweepPortion({ db, environmentId }, { before, after, take, now: gateway.now() }),
    )
    report({ rows: deleted, ...(measured && { delay: { of: measured, seconds: delayOf(oldest, before) } }) })
    if (Object.values(deleted).some((count) => count > 0)) gateway.counts.drop(environmentId)
    place = next
  }
}

/** The expiry of rows in an environment. */
function expiredIn({ organization, ...own }: SweptEnvironment, retention: RetentionSettings, now: Date): Expired {
  const daysAgo = (days: number | undefined) => (days === undefined ? undefined : new Date(now.getTime() - days * DAY))
  return {
    now,
    events: daysAgo(daysKept(own.retentionDays, retention.events, organization.retentionDays)),
    feed: daysAgo(daysKept(own.feedRetentionDays, retention.feed, organization.feedRetentionDays)),
  }
}

/** Deletes the expired rows of all environments. */
export async function sweepExpired(performance: Performance): Promise<void> {
  const { gateway, retention } = performance
  const { db, now } = gateway
  for await (const environment of sweptEnvironments(db)) {
    const { id } = environment
    const expired = expiredIn(environment, retention, now())
    await sweep(performance, secrets, id, expired)
    await sweep(performance, events, id, expired)
    await sweep(performance, workflowSnapshots, id, expired)
    await sweep(performance, messageStatistics, id, expired)
    await sweep(performance, contextStatistics, id, expired)
    await sweep(performance, notifications, id, expired)
    await sweep(performance, unprocessedTriggers, id, expired)
    await sweep(performance, webhookMessages, id, expired)
    await sweep(performance, signIns, id, expired)
    await sweep(performance, unusedAttachments, id, expired)
  }
  await recordFinished(db, 'sweep', now())
}
