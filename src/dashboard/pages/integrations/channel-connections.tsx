// The channel connections of an integration, without their tokens.
import { Title } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { OptionalLink } from '../channel-endpoints/optional-link.tsx'

const channelConnectionsQuery = graphql(
  `
    query ChannelConnections(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: ChannelConnectionFilter
    ) {
      channelConnections(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          subscriberId
          contextKeys
          workspace {
            externalId
            name
          }
          expiresAt
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type ChannelConnection = ResultOf<typeof channelConnectionsQuery>['channelConnections']['nodes'][number]

const workspaceOf = ({ workspace: { name, externalId } }: ChannelConnection) => name ?? externalId

const columns: readonly Column<ChannelConnection>[] = [
  { header: 'Identifier', cell: ({ identifier }) => identifier, text: ({ identifier }) => identifier },
  { header: 'Workspace', cell: workspaceOf, text: workspaceOf },
  {
    header: 'Subscriber',
    cell: ({ subscriberId }) =>
      subscriberId === null ? 'Shared' : <OptionalLink to={subscriberId} path={paths.subscriber} />,
    text: ({ subscriberId }) => subscriberId ?? 'Shared',
  },
  {
    header: 'Contexts',
    cell: ({ contextKeys }) => contextKeys.join(', '),
    text: ({ contextKeys }) => contextKeys.join(', '),
    visibleFrom: 'sm',
  },
  {
    header: 'Token expires',
    cell: ({ expiresAt }) => expiresAt && <Moment at={expiresAt} />,
    text: ({ expiresAt }) => expiresAt ?? '',
    visibleFrom: 'sm',
  },
]

export function ChannelConnections({ integrationIdentifier }: { readonly integrationIdentifier: string }) {
  const pages = usePages('connections-')
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { integrationIdentifier } })
  const query = useQuery({ query: channelConnectionsQuery, variables: variablesOf(pages.arguments) })
  return (
    <>
      <Title order={2} size="h4">
        Channel connections
      </Title>
      <ConnectionTable
        label="Channel connections"
        query={query}
        source={{ document: channelConnectionsQuery, variablesOf }}
        connectionOf={({ channelConnections }) => channelConnections}
        columns={columns}
        pages={pages}
        empty={
          <Empty title="No channel connections">
            Applications create them with the token of a workspace. Endpoints that name one are delivered with it.
          </Empty>
        }
      />
    </>
  )
}
