// The list of messages, with every filter that the graph has.
import { Button, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import type { RowAct } from '../../parts/list/action-bar.tsx'
import { ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { Page } from '../../parts/page.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { deliveryColumns, type DeliveryRow, deliveryRowFields } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilter } from './delivery-filters.tsx'
import { RetryAll, retryMessagesAct } from './retry-all.tsx'

const deliveriesQuery = graphql(
  `
    query Deliveries($first: Int, $after: String, $last: Int, $before: String, $filter: DeliveryFilter) {
      changePosition
      deliveries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          ...DeliveryRowFields
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [deliveryRowFields, pageInfoFields],
)

/** Only failed messages can be sent again. */
const retryMessages: RowAct<DeliveryRow> = {
  ...retryMessagesAct,
  nameOf: ({ id, status }) => (status === 'FAILED' ? id : null),
}

export function Component() {
  const pages = usePages()
  const filter = useDeliveryFilter()
  const canWrite = useCanWrite()
  const { statuses, receipts, ...matching } = filter
  const isFailed = statuses?.every((status) => status === 'FAILED') === true
  // Retrying all that match has no filter for receipts, because a message that bounced was sent.
  const isRetryable = isFailed && receipts === null
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: deliveriesQuery, variables: variablesOf(pages.arguments) })
  useLive(query)
  return (
    <Page
      title="Messages"
      description="Every message to a destination, with its status and response."
      actions={canWrite && isRetryable && <RetryAll filter={matching} />}
    >
      <DeliveryFilters />
      {canWrite && isFailed && !isRetryable && (
        <Text size="sm" c="dimmed">
          Receipts are about messages that were sent, also if they bounced. To retry all failed messages that match,
          remove the filter by receipt.
        </Text>
      )}
      <ConnectionTable
        label="Messages"
        isLive
        query={query}
        source={{ document: deliveriesQuery, variablesOf }}
        acts={canWrite ? [{ ...retryMessages, filter: isRetryable ? matching : undefined }] : []}
        nameOf={({ event, workflowRun }) => `the message of ${event.transactionId} to ${workflowRun.subscriberId}`}
        connectionOf={({ deliveries }) => deliveries}
        columns={deliveryColumns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No message matches">
              {isRetryable
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
