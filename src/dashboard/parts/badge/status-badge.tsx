// The outcome of an event or a run, or the status of a step or a message, as a word with a color. Only what arrived is
// green: a captured message is not.
import type { ReactNode } from 'react'
import type { graphql } from '../../graph/graphql.ts'
import { StateBadge } from './state-badge.tsx'

type EventStatus = ReturnType<typeof graphql.scalar<'EventStatus'>>
type RunStatus = ReturnType<typeof graphql.scalar<'RunStatus'>>
export type StepStatus = ReturnType<typeof graphql.scalar<'StepStatus'>>
type DeliveryStatus = ReturnType<typeof graphql.scalar<'DeliveryStatus'>>
type EventOutcome = ReturnType<typeof graphql.scalar<'EventOutcome'>>
type RunOutcome = ReturnType<typeof graphql.scalar<'RunOutcome'>>
type Status = EventStatus | RunStatus | StepStatus | DeliveryStatus | EventOutcome | RunOutcome

const looks = {
  ACCEPTED: { label: 'Accepted', color: 'blue' },
  RUNNING: { label: 'Running', color: 'blue' },
  WAITING: { label: 'Waiting', color: 'yellow' },
  SENDING: { label: 'Sending', color: 'blue' },
  PENDING: { label: 'Pending', color: 'blue' },
  COMPLETED: { label: 'Completed', color: 'gray' },
  SENT: { label: 'Sent', color: 'green' },
  DELIVERED: { label: 'Delivered', color: 'green' },
  PARTLY: { label: 'Partly', color: 'yellow' },
  NOTHING: { label: 'Nothing sent', color: 'gray' },
  MERGED: { label: 'Merged', color: 'gray' },
  SKIPPED: { label: 'Skipped', color: 'gray' },
  CANCELLED: { label: 'Cancelled', color: 'gray' },
  FAILED: { label: 'Failed', color: 'red' },
} as const satisfies Record<Status, { readonly label: string; readonly color: string }>

/** The statuses of runs, for a filter. */
export const runStatusLabels = {
  RUNNING: looks.RUNNING.label,
  WAITING: looks.WAITING.label,
  COMPLETED: looks.COMPLETED.label,
  FAILED: looks.FAILED.label,
  CANCELLED: looks.CANCELLED.label,
} as const satisfies Record<RunStatus, string>

/** The statuses of events, for a filter. */
export const eventStatusLabels = {
  ACCEPTED: looks.ACCEPTED.label,
  RUNNING: looks.RUNNING.label,
  COMPLETED: looks.COMPLETED.label,
  SKIPPED: looks.SKIPPED.label,
  FAILED: looks.FAILED.label,
  CANCELLED: looks.CANCELLED.label,
} as const satisfies Record<EventStatus, string>

/** The outcomes of runs, for a filter. */
export const runOutcomeLabels = {
  PENDING: looks.PENDING.label,
  DELIVERED: looks.DELIVERED.label,
  FAILED: looks.FAILED.label,
  NOTHING: looks.NOTHING.label,
} as const satisfies Record<RunOutcome, string>

/** The outcomes of events, for a filter. */
export const eventOutcomeLabels = {
  ...runOutcomeLabels,
  PARTLY: looks.PARTLY.label,
} as const satisfies Record<EventOutcome, string>

/** The statuses of messages, for a filter. */
export const deliveryStatusLabels = {
  PENDING: looks.PENDING.label,
  SENT: looks.SENT.label,
  FAILED: looks.FAILED.label,
  CANCELLED: looks.CANCELLED.label,
} as const satisfies Record<DeliveryStatus, string>

export const colorOf = (status: Status): string => looks[status].color

export function StatusBadge({ status }: { readonly status: Status }) {
  const { label, color } = looks[status]
  return <StateBadge color={color}>{label}</StateBadge>
}

interface MessageBadgeProps {
  readonly message: { readonly status: DeliveryStatus | StepStatus; readonly isCaptured: boolean }
}

/** The status of a message, or of the step that sends it. What was captured has not arrived anywhere. */
export function MessageBadge({ message: { status, isCaptured } }: MessageBadgeProps) {
  return isCaptured && status === 'SENT' ? <CapturedBadge>Captured</CapturedBadge> : <StatusBadge status={status} />
}

/** What concerns messages that are not sent. */
export const CapturedBadge = ({ children }: { readonly children: ReactNode }) => (
  <StateBadge color="violet">{children}</StateBadge>
)
