// The columns of the list of triggers without an event, and what they read of one.
import { Group, Text } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import type { Column } from '../../parts/list/column.ts'
import { Moment } from '../../parts/moment.tsx'
import { optionsOf } from '../../parts/options.ts'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { Named } from './trigger-recipients.tsx'
import { RowLink } from '../../parts/row-link.tsx'

export const unprocessedRowFields = graphql(`
  fragment UnprocessedRowFields on UnprocessedTrigger @_unmask {
    id
    kind
    explanation
    advice
    workflowIdentifier
    workflow {
      id
      name
    }
    transactionId
    event {
      id
    }
    subscriberIds
    topicKeys
    everyone
    recipientCount
    apiKey {
      id
      name
    }
    count
    updatedAt
  }
`)

export type UnprocessedTrigger = ResultOf<typeof unprocessedRowFields>

const kindLabels = { REPEATED: 'Repeated', REJECTED: 'Rejected' } as const satisfies Record<
  UnprocessedTrigger['kind'],
  string
>
export const kindOptions = optionsOf(kindLabels)

const number = new Intl.NumberFormat()

export const unprocessedColumns: readonly Column<UnprocessedTrigger>[] = [
  {
    header: 'Kind',
    cell: ({ kind }) => <StateBadge color={kind === 'REJECTED' ? 'red' : 'gray'}>{kindLabels[kind]}</StateBadge>,
    text: ({ kind }) => kind,
  },
  {
    header: 'Why',
    cell: ({ explanation, advice }) => (
      <div>
        <Text size="sm" className="wrap-anywhere">
          {explanation}
        </Text>
        <Text size="sm" c="dimmed">
          {advice}
        </Text>
      </div>
    ),
    text: ({ explanation }) => explanation,
  },
  {
    header: 'Transaction id',
    cell: ({ transactionId, event }) =>
      transactionId !== null && event !== null ? (
        <RowLink to={paths.event(transactionId)}>{transactionId}</RowLink>
      ) : (
        (transactionId ?? 'none')
      ),
    text: ({ transactionId }) => transactionId,
  },
  {
    header: 'Workflow',
    cell: ({ workflowIdentifier, workflow }) =>
      workflowIdentifier !== null && workflow !== null ? (
        <RowLink to={paths.workflow(workflowIdentifier)}>{workflow.name}</RowLink>
      ) : (
        (workflowIdentifier ?? 'none')
      ),
    text: ({ workflowIdentifier }) => workflowIdentifier,
    visibleFrom: 'sm',
  },
  {
    header: 'To',
    cell: ({ subscriberIds, topicKeys, everyone, recipientCount }) => {
      const more = recipientCount - subscriberIds.length - topicKeys.length - Number(everyone)
      return (
        <Group gap="xs">
          {subscriberIds.map((subscriberId) => (
            <Named key={`subscriber ${subscriberId}`} name={subscriberId} to={paths.subscriber(subscriberId)} />
          ))}
          {topicKeys.map((topicKey) => (
            <Named key={`topic ${topicKey}`} name={topicKey} to={paths.topic(topicKey)} />
          ))}
          {everyone && <span>everyone</span>}
          {more > 0 && `and ${number.format(more)} more`}
        </Group>
      )
    },
    text: ({ subscriberIds, topicKeys, everyone }) =>
      [...subscriberIds, ...topicKeys, ...(everyone ? ['everyone'] : [])].join(' '),
    visibleFrom: 'md',
  },
  {
    header: 'API key',
    cell: ({ apiKey }) => apiKey?.name ?? 'none',
    text: ({ apiKey }) => apiKey?.name ?? null,
    visibleFrom: 'lg',
  },
  { header: 'Count', cell: ({ count }) => number.format(count), text: ({ count }) => count, visibleFrom: 'md' },
  {
    header: 'Last',
    cell: ({ updatedAt }) => <Moment at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
    visibleFrom: 'sm',
  },
]
