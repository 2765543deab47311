// A table of channel endpoints, for any page that lists them.
import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OptionalLink } from './optional-link.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { endpointTypes } from './endpoint-types.ts'

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
    cell: ({ identifier }) => (
      <Anchor inherit component={Link} to={paths.channelEndpoint(identifier)}>
        {identifier}
      </Anchor>
    ),
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
    visibleFrom: 'xs',
  },
  {
    header: 'Subscriber',
    cell: ({ subscriberId }) => <OptionalLink to={subscriberId} path={paths.subscriber} />,
  },
  {
    header: 'Integration',
    cell: ({ integrationIdentifier }) => <OptionalLink to={integrationIdentifier} path={paths.integration} />,
    visibleFrom: 'sm',
  },
  { header: 'Contexts', cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />, visibleFrom: 'md' },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'md' },
]

interface ChannelEndpointTableProps {
  readonly filter: NonNullable<VariablesOf<typeof channelEndpointsQuery>['filter']>
  readonly empty: ReactNode
}

export function ChannelEndpointTable({ filter, empty }: ChannelEndpointTableProps) {
  const pages = usePages()
  const query = useQuery({
    query: channelEndpointsQuery,
    variables: { ...pages.arguments, filter },
  })
  return (
    <ConnectionTable
      label="Channel endpoints"
      query={query}
      connectionOf={({ channelEndpoints }) => channelEndpoints}
      columns={columns}
      pages={pages}
      empty={empty}
    />
  )
}
