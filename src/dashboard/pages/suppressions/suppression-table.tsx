// The table of suppressed addresses, with the message that led to each.
import { Button, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ContextLinks } from '../../parts/context-links.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { useSuppressionRemoval } from './remove-suppression.ts'
import { addressChannels, suppressionReasons } from '../../parts/suppression-labels.ts'

const suppressionsQuery = graphql(
  `
    query Suppressions($first: Int, $after: String, $last: Int, $before: String, $filter: SuppressionFilter) {
      suppressions(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          address
          channel
          reason
          detail
          contextKeys
          createdAt
          expiresAt
          integration {
            id
            identifier
          }
          sourceDelivery {
            id
            workflowRun {
              id
              subscriberId
            }
            event {
              id
              transactionId
            }
          }
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type Suppression = ResultOf<typeof suppressionsQuery>['suppressions']['nodes'][number]

/** The name of a suppressed address. A hash is all that is left of an erased one. */
const nameOf = ({ address }: Pick<Suppression, 'address'>) => address ?? 'an erased address'

const columns: readonly Column<Suppression>[] = [
  {
    header: 'Address',
    cell: ({ address }) =>
      address ?? (
        <Text span c="dimmed" inherit>
          Erased: only its hash is left
        </Text>
      ),
    text: ({ address }) => address,
  },
  {
    header: 'Channel',
    cell: ({ channel }) => addressChannels[channel],
    text: ({ channel }) => channel,
    visibleFrom: 'sm',
  },
  {
    header: 'Reason',
    cell: ({ reason, detail }) => (
      <>
        <StateBadge color="gray">{suppressionReasons[reason]}</StateBadge>
        {detail !== null && (
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        )}
      </>
    ),
    text: ({ reason }) => reason,
  },
  {
    header: 'Message',
    cell: ({ sourceDelivery }) =>
      sourceDelivery ? (
        <RowLink to={paths.recipient(sourceDelivery.event.transactionId, sourceDelivery.workflowRun.subscriberId)}>
          {sourceDelivery.event.transactionId}
        </RowLink>
      ) : (
        'none'
      ),
    visibleFrom: 'lg',
  },
  {
    header: 'Only for',
    cell: ({ integration, contextKeys }) => (
      <>
        {integration && <RowLink to={paths.integration(integration.identifier)}>{integration.identifier}</RowLink>}{' '}
        {(contextKeys.length > 0 || integration === null) && <ContextLinks keys={contextKeys} />}
      </>
    ),
    text: ({ contextKeys }) => contextKeys.join(' '),
    visibleFrom: 'md',
  },
  {
    header: 'Since',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
  {
    header: 'Ends',
    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Moment at={expiresAt} />),
    text: ({ expiresAt }) => expiresAt,
    visibleFrom: 'md',
  },
]

interface SuppressionTableProps {
  readonly filter: NonNullable<VariablesOf<typeof suppressionsQuery>['filter']>
  readonly empty: ReactNode
}

export function SuppressionTable({ filter, empty }: SuppressionTableProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const remove = useSuppressionRemoval()
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: suppressionsQuery, variables: variablesOf(pages.arguments) })
  const removal: Column<Suppression> = {
    header: 'Actions',
    cell: (row) => (
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconTrash size={14} aria-hidden />}
        aria-label={`Remove ${nameOf(row)}`}
        onClick={() => remove(row.id, nameOf(row))}
      >
        Remove
      </Button>
    ),
  }
  return (
    <ConnectionTable
      label="Suppressions"
      query={query}
      source={{ document: suppressionsQuery, variablesOf }}
      connectionOf={({ suppressions }) => suppressions}
      columns={canWrite ? [...columns, removal] : columns}
      pages={pages}
      empty={empty}
    />
  )
}
