// Receipts: what the reports of a provider say about a message as a whole.
import { z } from 'zod'
import { reportsByDelivery } from '../../data/report/delivery-report.ts'
import type { Delivery } from '../../data/prisma/client.ts'
import type { ReportKind } from '../../data/prisma/enums.ts'
import { query } from '../resolver/resolver.ts'

/** The states of a receipt, the strongest first. Without a report it is unknown. */
const states = ['complained', 'bounced', 'delivered', 'deferred'] as const
export const receiptStates = [...states, 'unknown'] as const
export type ReceiptState = (typeof receiptStates)[number]

/** The kinds of reports that lead to a state. */
const kindsOf = {
  complained: ['complained'],
  bounced: ['bounced_hard', 'bounced_soft', 'dropped'],
  delivered: ['delivered'],
  deferred: ['deferred'],
} as const satisfies Record<(typeof states)[number], readonly ReportKind[]>

/** What is known about a message after its provider accepted it. */
export interface DeliveryReceipt {
  readonly state: ReceiptState
  /** When it happened. Null if it is unknown. */
  readonly at: Date | null
}

/** The times of a delivery that decide. */
export type Receipted = Pick<Delivery, 'complainedAt' | 'bouncedAt' | 'deliveredAt' | 'deferredAt'>

/** Reports arrive in any order: the strongest one counts. */
export function receiptOf(delivery: Receipted): DeliveryReceipt {
  for (const state of states) {
    const at = delivery[`${state}At`]
    if (at !== null) return { state, at }
  }
  return { state: 'unknown', at: null }
}

/** Reads what the provider says about the state of a receipt. Null if it says nothing. Batched. */
export const receiptDetail = query({
  name: 'receipt.getDetail',
  permission: 'event:read',
  input: z.object({ deliveryId: z.uuid(), state: z.enum(states) }),
  async run({ load }, { deliveryId, state }) {
    const kinds: readonly ReportKind[] = kindsOf[state]
    const reports = await load(reportsByDelivery, deliveryId)
    return reports.find(({ kind, address }) => address === null && kinds.includes(kind))?.detail ?? null
  },
})
