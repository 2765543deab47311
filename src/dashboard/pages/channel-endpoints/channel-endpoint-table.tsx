// A table of channel endpoints, for any page that lists them.
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OptionalLink } from './optional-link.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { endpointTypes } from './endpoint-types.ts'
import { RowLink } from '../../parts/row-link.tsx'

const channelEndpointsQuery = graphql(
  `
    query ChannelEndpoints($first: Int, $after: String, $last: Int, $before: String, $filter: ChannelEndpointFilter) {
      channelEndpoints(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          type
          subscriberId
          integrationIdentifier
          contextKeys
          obstacle
          createdAt
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type ChannelEndpoint = ResultOf<typeof channelEndpointsQuery>['channelEndpoints']['nodes'][number]

const columns: readonly Column<ChannelEndpoint>[] = [
  {
    header: 'Identifier',
    cell: ({ identifier }) => <RowLink to={paths.channelEndpoint(identifier)}>{identifier}</RowLink>,
    text: ({ identifier }) => identifier,
  },
  {
    header: 'Type',
    cell: ({ type, obstacle }) => (
      <>
        {endpointTypes[type].label}
        {obstacle !== null && (
          <Text size="xs" c="dimmed">
            {obstacle}
          </Text>
        )}
      </>
    ),
    text: ({ type }) => type,
    visibleFrom: 'xs',
  },
  {
    header: 'Subscriber',
    cell: ({ subscriberId }) => <OptionalLink to={subscriberId} path={paths.subscriber} />,
    text: ({ subscriberId }) => subscriberId,
  },
  {
    header: 'Integration',
    cell: ({ integrationIdentifier }) => <OptionalLink to={integrationIdentifier} path={paths.integration} />,
    text: ({ integrationIdentifier }) => integrationIdentifier,
    visibleFrom: 'sm',
  },
  {
    header: 'Contexts',
    cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />,
    text: ({ contextKeys }) => contextKeys.join(' '),
    visibleFrom: 'md',
  },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'md',
  },
]

interface ChannelEndpointTableProps {
  readonly filter: NonNullable<VariablesOf<typeof channelEndpointsQuery>['filter']>
  readonly empty: ReactNode
}

export function ChannelEndpointTable({ filter, empty }: ChannelEndpointTableProps) {
  const pages = usePages()
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: channelEndpointsQuery, variables: variablesOf(pages.arguments) })
  return (
    <ConnectionTable
      label="Channel endpoints"
      query={query}
      source={{ document: channelEndpointsQuery, variablesOf }}
      connectionOf={({ channelEndpoints }) => channelEndpoints}
      columns={columns}
      pages={pages}
      empty={empty}
    />
  )
}
