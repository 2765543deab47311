// The inbox of an environment that captures messages: what would have been sent, newest first.
import { Text } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { channelLabels } from '../../parts/channel-labels.ts'
import { Empty } from '../../parts/empty.tsx'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Moment } from '../../parts/moment.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { MessageBadge } from '../../parts/badge/status-badge.tsx'

const rowFields = graphql(`
  fragment CapturedRowFields on Delivery @_unmask {
    id
    channel
    destination
    subject
    body
    status
    isCaptured
    createdAt
    event {
      id
      workflowIdentifier
    }
  }
`)

type Row = ResultOf<typeof rowFields>

const capturedQuery = graphql(
  `
    query CapturedMessages($first: Int, $after: String, $last: Int, $before: String, $filter: DeliveryFilter) {
      changePosition
      deliveries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          ...CapturedRowFields
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [rowFields, pageInfoFields],
)

/** In-app steps are left out: they add to the feed and send no message. */
const channelOptions = optionsOf(channelLabels).filter(({ value }) => value !== 'IN_APP')

const columns: readonly Column<Row>[] = [
  {
    header: 'To',
    cell: ({ id, destination, channel }) => (
      <>
        <RowLink to={paths.capturedMessage(id)}>{destination}</RowLink>
        <Text size="xs" c="dimmed">
          {channelLabels[channel]}
        </Text>
      </>
    ),
    text: ({ destination }) => destination,
  },
  {
    header: 'Message',
    cell: ({ subject, body }) => (
      <Text size="sm" lineClamp={2} className="wrap-anywhere">
        {subject ?? body}
      </Text>
    ),
    text: ({ subject, body }) => subject ?? body,
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
    header: 'Status',
    cell: (message) => <MessageBadge message={message} />,
    text: ({ status }) => status,
    visibleFrom: 'sm',
  },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]

export function Component() {
  const pages = usePages()
  const given = { search: useFilterValue('address'), channels: useChoices('channel', channelOptions) }
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { ...given, isCaptured: true } })
  const query = useQuery({ query: capturedQuery, variables: variablesOf(pages.arguments) })
  useLive(query)
  return (
    <Page title="Captured messages" description="Messages that this environment has recorded instead of sending them.">
      <Filters>
        <TextFilter label="Part of the address" name="address" />
        <ChoicesFilter label="Channel" name="channel" options={channelOptions} />
      </Filters>
      <ConnectionTable
        label="Captured messages"
        isLive
        query={query}
        source={{ document: capturedQuery, variablesOf }}
        connectionOf={({ deliveries }) => deliveries}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(given) ? (
            <NoMatch title="No message matches">No captured message fits all filters.</NoMatch>
          ) : (
            <Empty title="No captured messages">
              Messages appear here while the environment captures them. Messages that cannot be redirected appear, too.
            </Empty>
          )
        }
      />
    </Page>
  )
}
