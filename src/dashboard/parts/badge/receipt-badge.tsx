// What the provider reported about a message that it accepted, as a word with a color.
import type { graphql } from '../../graph/graphql.ts'
import { StateBadge } from './state-badge.tsx'

type ReceiptState = ReturnType<typeof graphql.scalar<'ReceiptState'>>

const looks = {
  DELIVERED: { label: 'Delivered', color: 'green' },
  DEFERRED: { label: 'Deferred', color: 'yellow' },
  BOUNCED: { label: 'Bounced', color: 'red' },
  COMPLAINED: { label: 'Complained', color: 'red' },
  UNKNOWN: { label: 'No report', color: 'gray' },
} as const satisfies Record<ReceiptState, { readonly label: string; readonly color: string }>

/** The states of receipts, for a filter. */
export const receiptLabels = {
  DELIVERED: looks.DELIVERED.label,
  DEFERRED: looks.DEFERRED.label,
  BOUNCED: looks.BOUNCED.label,
  COMPLAINED: looks.COMPLAINED.label,
  UNKNOWN: looks.UNKNOWN.label,
} as const satisfies Record<ReceiptState, string>

/** Nothing without a report: most providers send none. */
export function ReceiptBadge({ state }: { readonly state: ReceiptState }) {
  if (state === 'UNKNOWN') return null
  const { label, color } = looks[state]
  return <StateBadge color={color}>{label}</StateBadge>
}
