// The in-app feed of a subscriber, live: its notifications under exact contexts, with all marks.
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { sendAgain } from '../../graph/query.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilter } from '../../parts/filter/filter.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { ContextChooser, useChosenContexts } from './chosen-contexts.tsx'
import { useLiveCounts } from '../notifications/live-counts.ts'
import { NotificationActions } from '../notifications/notification-actions.tsx'
import { type Notification, notificationColumns, notificationFields } from '../notifications/notification-columns.tsx'

const feedQuery = graphql(
  `
    query SubscriberFeed(
      $subscriberId: String!
      $contextKeys: [String!]
      $filter: NotificationFilter
      $first: Int
      $after: String
      $last: Int
      $before: String
    ) {
      subscriber(subscriberId: $subscriberId) {
        id
        notificationCounts(contextKeys: $contextKeys) {
          unseen
          unread
          total
        }
        notifications(
          contextKeys: $contextKeys
          filter: $filter
          first: $first
          after: $after
          last: $last
          before: $before
        ) {
          nodes {
            ...NotificationFields
          }
          pageInfo {
            ...PageInfoFields
          }
        }
      }
    }
  `,
  [notificationFields, pageInfoFields],
)

const markAllMutation = graphql(`
  mutation MarkFeed($input: MarkNotificationsInput!) {
    markNotifications(input: $input) {
      updated
      userErrors {
        message
        field
      }
    }
  }
`)

/** The contents of the list, by the value in the address. */
const views = {
  all: { label: 'All', filter: { archived: false }, none: 'There is nothing in this feed.' },
  unread: { label: 'Unread', filter: { archived: false, read: false }, none: 'Everything in this feed is read.' },
  archived: { label: 'Archived', filter: { archived: true }, none: 'Nothing in this feed is archived.' },
  snoozed: { label: 'Snoozed', filter: { snoozed: true }, none: 'Nothing in this feed is snoozed.' },
} as const

export function Component() {
  const { subscriberId = '' } = useParams()
  const { keys, error: invalid } = useChosenContexts()
  return (
    <Stack>
      <ContextChooser description="Each exact set of contexts has a feed of its own. Choose none to see the feed without context." />
      {invalid === null && <FeedTable key={keys.join()} subscriberId={subscriberId} contextKeys={keys} />}
    </Stack>
  )
}

interface FeedTableProps {
  readonly subscriberId: string
  readonly contextKeys: string[]
}

function FeedTable({ subscriberId, contextKeys }: FeedTableProps) {
  const pages = usePages('', [20, 50])
  const [value, setView] = useFilter('show')
  const view = value === 'unread' || value === 'archived' || value === 'snoozed' ? value : 'all'
  const canWrite = useCanWrite()
  const variablesOf = (page: PageArguments) => ({ subscriberId, contextKeys, filter: views[view].filter, ...page })
  const query = useQuery({ query: feedQuery, variables: variablesOf(pages.arguments) })
  const [{ data, fetching, stale }] = query
  const read = fetching || stale ? undefined : data?.subscriber?.notificationCounts
  const [counts, isLive] = useLiveCounts({ subscriberId, contextKeys }, read, () => sendAgain(query))
  const [markAll, marking] = useAct(markAllMutation)

  const readAll = async () => {
    const outcome = await markAll({ subscriberId, contextKeys, as: 'READ', filter: { archived: false, read: false } })
    if (outcome.ok) showDone('All notifications are marked as read.')
    else showProblems(outcome.problems)
  }
  const actions: Column<Notification> = {
    header: 'Actions',
    cell: (notification) => <NotificationActions notification={notification} />,
  }
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <SegmentedControl
            aria-label="Show"
            data={Object.entries(views).map(([name, { label }]) => ({ value: name, label }))}
            value={view}
            onChange={(next) => setView(next === 'all' ? null : next)}
          />
          <Text size="sm" role="status">
            {counts !== undefined && `${counts.unread} unread, ${counts.total} in total. `}
            <Text span inherit c="dimmed">
              {isLive ? 'Updates live.' : 'Connecting…'}
            </Text>
          </Text>
        </Group>
        {canWrite && counts !== undefined && counts.unread > 0 && (
          <Button variant="default" loading={marking} onClick={() => void readAll()}>
            Mark all as read
          </Button>
        )}
      </Group>
      <ConnectionTable
        label="Notifications"
        query={query}
        source={{ document: feedQuery, variablesOf }}
        connectionOf={({ subscriber }) => subscriber && subscriber.notifications}
        columns={canWrite ? [...notificationColumns, actions] : notificationColumns}
        pages={pages}
        empty={
          <Empty title="No notifications">
            {views[view].none} A workflow with an in-app step adds notifications; new ones appear here at once.
          </Empty>
        }
      />
    </Stack>
  )
}
