// The channel endpoints of a subscriber.
import { Anchor } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { channelNames } from '../../parts/channel-names.ts'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'

const endpointsQuery = graphql(
  `
    query SubscriberEndpoints($subscriberId: String!, $first: Int, $after: String, $last: Int, $before: String) {
      channelEndpoints(
        first: $first
        after: $after
        last: $last
        before: $before
        filter: { subscriberId: $subscriberId }
      ) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          channel
          integrationIdentifier
          contextKeys
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

type ChannelEndpoint = ResultOf<typeof endpointsQuery>['channelEndpoints']['nodes'][number]

const columns: readonly Column<ChannelEndpoint>[] = [
  {
    header: 'Identifier',
    cell: ({ identifier }) => (
      <Anchor inherit component={Link} to={paths.channelEndpoint(identifier)}>
        {identifier}
      </Anchor>
    ),
  },
  { header: 'Channel', cell: ({ channel }) => channel && channelNames[channel] },
  {
    header: 'Integration',
    cell: ({ integrationIdentifier }) =>
      integrationIdentifier !== null && (
        <Anchor inherit component={Link} to={paths.integration(integrationIdentifier)}>
          {integrationIdentifier}
        </Anchor>
      ),
    visibleFrom: 'sm',
  },
  { header: 'Contexts', cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />, visibleFrom: 'md' },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'md' },
]

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages()
  const [{ data, error }, refresh] = useQuery({
    query: endpointsQuery,
    variables: { subscriberId, ...pages.arguments },
  })
  return (
    <ConnectionTable
      label="Channel endpoints"
      connection={data?.channelEndpoints}
      error={error}
      onRetry={() => refresh({ requestPolicy: 'network-only' })}
      columns={columns}
      rowKey={({ id }) => id}
      pages={pages}
      empty={
        <Empty title="No channel endpoints yet">
          A channel endpoint is an address of this subscriber on an integration, such as a user of a workspace chat.
        </Empty>
      }
    />
  )
}
