// The list of messages, with every filter that the graph has.
import { Anchor, Button, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { channelLabels } from '../../parts/channel-labels.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { Page } from '../../parts/page.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { pauseInWords } from '../../parts/paused.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { DeliveryFilters, useDeliveryFilter } from './delivery-filters.tsx'
import { RetryAll } from './retry-all.tsx'

const deliveriesQuery = graphql(
  `
    query Deliveries($first: Int, $after: String, $last: Int, $before: String, $filter: DeliveryFilter) {
      deliveries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          channel
          destination
          subject
          integrationIdentifier
          status
          pause {
            kind
            reason
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
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type Delivery = ResultOf<typeof deliveriesQuery>['deliveries']['nodes'][number]

/** A link with a line of its own, above a note. */
const OwnLine = ({ to, children }: { readonly to: string; readonly children: string }) => (
  <div>
    <Anchor inherit component={Link} to={to}>
      {children}
    </Anchor>
  </div>
)

const Note = ({ children }: { readonly children: string }) => (
  <Text size="xs" c="dimmed" lineClamp={4}>
    {children}
  </Text>
)

function Outcome({ delivery: { status, pause, attempts } }: { readonly delivery: Delivery }) {
  const { error = null, answer = null } = attempts.at(-1) ?? {}
  return (
    <>
      <StatusBadge status={status} />
      {pause !== null && <Note>{pauseInWords(pause)}</Note>}
      {error !== null && <Note>{answer === null ? error : `${error} ${answer}`}</Note>}
    </>
  )
}

const columns: readonly Column<Delivery>[] = [
  {
    header: 'Event',
    cell: ({ event: { transactionId }, workflowRun: { subscriberId }, subject }) => (
      <>
        <OwnLine to={paths.recipient(transactionId, subscriberId)}>{transactionId}</OwnLine>
        {subject !== null && <Note>{subject}</Note>}
      </>
    ),
  },
  {
    header: 'Subscriber',
    cell: ({ workflowRun: { subscriberId }, destination }) => (
      <>
        <OwnLine to={paths.subscriber(subscriberId)}>{subscriberId}</OwnLine>
        <Note>{destination}</Note>
      </>
    ),
  },
  {
    header: 'Workflow',
    cell: ({ event: { workflowIdentifier } }) => (
      <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
        {workflowIdentifier}
      </Anchor>
    ),
    visibleFrom: 'md',
  },
  {
    header: 'Integration',
    cell: ({ integrationIdentifier, channel }) => (
      <>
        <OwnLine to={paths.integration(integrationIdentifier)}>{integrationIdentifier}</OwnLine>
        <Note>{channelLabels[channel]}</Note>
      </>
    ),
    visibleFrom: 'sm',
  },
  { header: 'Status', cell: (delivery) => <Outcome delivery={delivery} /> },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

export function Component() {
  const pages = usePages()
  const filter = useDeliveryFilter()
  const canWrite = useCanWrite()
  const { status, ...matching } = filter
  const query = useQuery({
    query: deliveriesQuery,
    variables: { ...pages.arguments, filter },
  })
  return (
    <Page
      title="Messages"
      description="Every message to a destination, with its status and response."
      actions={canWrite && status === 'FAILED' && <RetryAll filter={matching} />}
    >
      <DeliveryFilters />
      <ConnectionTable
        label="Messages"
        query={query}
        connectionOf={({ deliveries }) => deliveries}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No message matches">
              {filter.status === 'FAILED'
                ? 'No message has failed. A message that will be tried again is pending.'
                : 'No message fits all filters. Messages are deleted with their events, after the retention period of the environment.'}
            </NoMatch>
          ) : (
            <Empty
              title="No messages yet"
              action={
                <Button component={Link} to={paths.workflows} variant="default">
                  Go to the workflows
                </Button>
              }
            >
              Trigger a workflow that sends a message, such as an email. In-app notifications are in the feed of the
              subscriber.
            </Empty>
          )
        }
      />
    </Page>
  )
}
