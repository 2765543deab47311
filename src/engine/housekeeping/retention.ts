// Deletes expired rows, environment by environment. Only environments that have some are visited.
import { sweepAttachments } from '../../data/attachment/attachment.ts'
import { sweepSignIns } from '../../data/access/dashboard-session.ts'
import { recordFinished } from '../../data/housekeeping/finished-task.ts'
import {
  type ExpiringKind,
  findExpired,
  type SweptEnvironment,
  sweptEnvironments,
} from '../../data/housekeeping/expired-rows.ts'
import { type EventPlace, FIRST_PLACE, sweepEvents, sweepFeed } from '../../data/housekeeping/sweep.ts'
import { sweepSecrets } from '../../data/housekeeping/secret-sweep.ts'
import { type CountedOf, sweepStatistics } from '../../data/monitoring/message-statistics.ts'
import type { Tenant } from '../../data/reading/loader.ts'
import { sweepUnprocessed } from '../../data/unprocessed-trigger.ts'
import { sweepWebhookMessages } from '../../data/webhook/webhook-delivery.ts'
import { sweepSnapshots } from '../../data/workflow-snapshot.ts'
import { daysKept, type RetentionSettings } from '../../domain/access/retention.ts'
import { failureReasons } from '../../domain/trigger/event-status.ts'
import type { MeasuredRows, Performance, SweptTable } from './task.ts'
import { NIL_ID } from '../../lib/new-id.ts'

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
  readonly kind: ExpiringKind
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

/** The time before which counts by minute have expired. */
const minutesBefore = (now: Date) => new Date(now.getTime() - DAY - HOUR)

/** Counts by hour and by day are kept as long as events, counts by minute for a day. */
const statisticsExpiry = (
  table: 'message_statistics' | 'context_statistics',
  of: CountedOf,
): Expiry<typeof OLDEST> => ({
  kind: table,
  first: OLDEST,
  before: (expired) => expired.events ?? BEGINNING,
  async sweep(tenant, { before, take, now }) {
    const spans = { minute: minutesBefore(now), hour: before, day: before }
    const count = await sweepStatistics(tenant, spans, take, of)
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

/** An environment with expired rows. */
interface Visit {
  readonly environmentId: string
  readonly expired: Expired
  readonly kinds: ReadonlySet<ExpiringKind>
}

async function sweep<Place>(
  performance: Performance,
  { kind, measured, first, before: beforeOf, sweep: sweepPortion }: Expiry<Place>,
  { environmentId, expired, kinds }: Visit,
): Promise<void> {
  const { gateway, portion, report } = performance
  const before = beforeOf(expired)
  if (before === undefined || !kinds.has(kind)) return
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

/** The times before which the rows of each kind have expired. */
const timesOf = (expired: Expired): Readonly<Record<ExpiringKind, Date | undefined>> => ({
  secrets: secrets.before(expired),
  events: events.before(expired),
  workflow_snapshots: workflowSnapshots.before(expired),
  message_statistics: messageStatistics.before(expired),
  context_statistics: contextStatistics.before(expired),
  notifications: notifications.before(expired),
  unprocessed_triggers: unprocessedTriggers.before(expired),
  webhook_messages: webhookMessages.before(expired),
  sign_ins: signIns.before(expired),
  attachments: unusedAttachments.before(expired),
})

/** Yields the environments with expired rows, ordered by id. A page of all environments is a portion. */
async function* visits({ gateway, retention, portion }: Performance): AsyncGenerator<Visit> {
  for (let after: string | undefined = NIL_ID; after !== undefined;) {
    const start: string = after
    const { page, found, take } = await portion('environments', async (db, take) => {
      const now = gateway.now()
      const page = (await sweptEnvironments(db, start, take)).map((environment) => ({
        environmentId: environment.id,
        expired: expiredIn(environment, retention, now),
      }))
      const expiring = page.map(({ environmentId, expired }) => ({ environmentId, before: timesOf(expired) }))
      return { page, found: await findExpired(db, expiring, minutesBefore(now)), take }
    })
    for (const { environmentId, expired } of page) {
      const kinds = found.get(environmentId)
      if (kinds !== undefined && kinds.size > 0) yield { environmentId, expired, kinds }
    }
    after = page.length === take ? page.at(-1)?.environmentId : undefined
  }
}

/** Deletes the expired rows of all environments. */
export async function sweepExpired(performance: Performance): Promise<void> {
  const { db, now } = performance.gateway
  for await (const visit of visits(performance)) {
    await sweep(performance, secrets, visit)
    await sweep(performance, events, visit)
    await sweep(performance, workflowSnapshots, visit)
    await sweep(performance, messageStatistics, visit)
    await sweep(performance, contextStatistics, visit)
    await sweep(performance, notifications, visit)
    await sweep(performance, unprocessedTriggers, visit)
    await sweep(performance, webhookMessages, visit)
    await sweep(performance, signIns, visit)
    await sweep(performance, unusedAttachments, visit)
  }
  await recordFinished(db, 'sweep', now())
}
