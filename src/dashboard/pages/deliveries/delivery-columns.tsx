// The columns of the list of messages, and what they read of one.
import { Text } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { channelLabels } from '../../parts/channel-labels.ts'
import type { Column } from '../../parts/list/connection-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { pauseInWords } from '../../parts/paused.tsx'
import { MessageBadge } from '../../parts/badge/status-badge.tsx'
import { ReceiptBadge } from '../../parts/badge/receipt-badge.tsx'
import { RowLink } from '../../parts/row-link.tsx'

export const deliveryRowFields = graphql(`
  fragment DeliveryRowFields on Delivery @_unmask {
    id
    channel
    destination
    subject
    integrationIdentifier
    providerId
    status
    isCaptured
    pause {
      kind
      reason
    }
    receipt {
      state
    }
    createdAt
    attempts {
      number
      error
      answer
    }
    event {
      id
      transactionId
      workflowIdentifier
    }
    workflowRun {
      id
      subscriberId
    }
  }
`)

export type DeliveryRow = ResultOf<typeof deliveryRowFields>

/** A link with a line of its own, above a note. */
const OwnLine = ({ to, children }: { readonly to: string; readonly children: string }) => (
  <div>
    <RowLink to={to}>{children}</RowLink>
  </div>
)

const Note = ({ children }: { readonly children: string }) => (
  <Text size="xs" c="dimmed" lineClamp={4}>
    {children}
  </Text>
)

function Outcome({ delivery }: { readonly delivery: DeliveryRow }) {
  const { pause, attempts } = delivery
  const { error = null, answer = null } = attempts.at(-1) ?? {}
  return (
    <>
      <MessageBadge message={delivery} /> <ReceiptBadge state={delivery.receipt.state} />
      {delivery.isCaptured && <Note>Not sent</Note>}
      {pause !== null && <Note>{pauseInWords(pause)}</Note>}
      {error !== null && <Note>{answer === null ? error : `${error} ${answer}`}</Note>}
    </>
  )
}

export const deliveryColumns: readonly Column<DeliveryRow>[] = [
  {
    header: 'Event',
    cell: ({ event: { transactionId }, workflowRun: { subscriberId }, subject }) => (
      <>
        <OwnLine to={paths.recipient(transactionId, subscriberId)}>{transactionId}</OwnLine>
        {subject !== null && <Note>{subject}</Note>}
      </>
    ),
    text: ({ event }) => event.transactionId,
  },
  {
    header: 'Subscriber',
    cell: ({ workflowRun: { subscriberId }, destination }) => (
      <>
        <OwnLine to={paths.subscriber(subscriberId)}>{subscriberId}</OwnLine>
        <Note>{destination}</Note>
      </>
    ),
    text: ({ workflowRun }) => workflowRun.subscriberId,
  },
  {
    header: 'Workflow',
    cell: ({ event: { workflowIdentifier } }) => (
      <RowLink to={paths.workflow(workflowIdentifier)}>{workflowIdentifier}</RowLink>
    ),
    text: ({ event }) => event.workflowIdentifier,
    visibleFrom: 'md',
  },
  {
    header: 'Integration',
    cell: ({ integrationIdentifier, providerId, channel }) => (
      <>
        {providerId === 'CAPTURE' ? (
          <div>No integration</div>
        ) : (
          <OwnLine to={paths.integration(integrationIdentifier)}>{integrationIdentifier}</OwnLine>
        )}
        <Note>{channelLabels[channel]}</Note>
      </>
    ),
    text: ({ integrationIdentifier }) => integrationIdentifier,
    visibleFrom: 'sm',
  },
  { header: 'Status', cell: (delivery) => <Outcome delivery={delivery} />, text: ({ status }) => status },
  { header: 'Receipt', cell: () => null, text: ({ receipt }) => receipt.state, inFileOnly: true },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]
