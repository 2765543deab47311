// The health of deliveries: current failures, deliveries to retry, and the length of the queue.
import { z } from 'zod'
import {
  countFailedDeliveries,
  integrationFailures,
  type IntegrationFailures,
  workflowFailures,
} from '../../data/monitoring/delivery-health.ts'
import { receiptCounts, type ReceiptCounts } from '../../data/monitoring/receipt-health.ts'
import { intervalLengths } from '../../data/monitoring/message-statistics.ts'
import { readOwnQueueState } from '../../data/queue/queue-state.ts'
import { countedContexts } from './message-statistics.ts'
import { query } from '../resolver/resolver.ts'

/** The longest window for failures, in minutes. */
export const MAX_MINUTES = 180
const DEFAULT_MINUTES = 60

/** The window for failures. It begins and ends at full minutes, and includes the current minute. */
export interface DeliveryHealth {
  readonly from: Date
  readonly to: Date
  /** Only failures of events with exactly these contexts. Undefined for the whole environment. */
  readonly contextKeys: readonly string[] | undefined
}

const contextKeys = countedContexts.optional()
const window = z.object({ from: z.date(), to: z.date(), contextKeys })

/** Chooses the window in which failures count. Other resolvers read the fields of the result. */
export const deliveryHealth = query({
  name: 'deliveryHealth.get',
  permission: 'event:read',
  input: z.object({ minutes: z.int().min(1).max(MAX_MINUTES).nullish(), contextKeys: countedContexts.nullish() }),
  async run({ now }, { minutes, contextKeys }): Promise<DeliveryHealth> {
    const { minute } = intervalLengths
    const to = (Math.floor(now().getTime() / minute) + 1) * minute
    const from = new Date(to - (minutes ?? DEFAULT_MINUTES) * minute)
    return { from, to: new Date(to), contextKeys: contextKeys ?? undefined }
  },
})

/** The failures of an integration. */
export interface IntegrationHealth extends IntegrationFailures {
  /** True if more attempts failed than messages were sent. */
  readonly failing: boolean
}

export const isFailing = ({ failedAttempts, failed, sent }: IntegrationFailures): boolean =>
  Math.max(failedAttempts, failed) > sent

/** Lists integrations with a failure. The one with the most failed attempts comes first. */
export const integrationHealth = query({
  name: 'deliveryHealth.listIntegrations',
  permission: 'event:read',
  input: window,
  run: async (scope, span): Promise<readonly IntegrationHealth[]> =>
    (await integrationFailures(scope, span)).map((row) => ({
      ...row,
      failing: isFailing(row),
    })),
})

/** Lists workflows that are suspended or have a failure. */
export const workflowHealth = query({
  name: 'deliveryHealth.listWorkflows',
  permission: 'event:read',
  input: window,
  run: workflowFailures,
})

/** The bounces and complaints of an integration. */
export interface ReceiptHealth extends ReceiptCounts {
  /** Bounces and complaints by message sent in the window, from 0. Null if none was sent. */
  readonly bounceRate: number | null
  readonly complaintRate: number | null
}

const rateOf = (count: number, sent: number) => (sent === 0 ? null : count / sent)

/** Lists integrations with a bounce or a complaint. The one with the most of both comes first. */
export const receiptHealth = query({
  name: 'deliveryHealth.listReceipts',
  permission: 'event:read',
  input: window,
  run: async (scope, span): Promise<readonly ReceiptHealth[]> =>
    (await receiptCounts(scope, span)).map((row) => ({
      ...row,
      bounceRate: rateOf(row.bounced, row.sent),
      complaintRate: rateOf(row.complained, row.sent),
    })),
})

/** Counts the currently failed deliveries. */
export const failedDeliveries = query({
  name: 'deliveryHealth.countFailedDeliveries',
  permission: 'event:read',
  input: z.object({ contextKeys }),
  run: countFailedDeliveries,
})

/** Lists the parts of the queue with their length and age. */
export const queueHealth = query({
  name: 'deliveryHealth.listQueue',
  permission: 'event:read',
  input: z.object({}),
  run: (scope) => readOwnQueueState(scope, scope.now()),
})
