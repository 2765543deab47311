// The in-app feed of a subscriber, live: its notifications under exact contexts, with all marks.
import { Anchor, Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { sendAgain } from '../../graph/query.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilter } from '../../parts/filter/filter.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { ContextChooser, useChosenContexts } from './chosen-contexts.tsx'
import { useLiveCounts } from './live-counts.ts'
import { NotificationActions } from './notification-actions.tsx'

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
        notifications(
          contextKeys: $contextKeys
          filter: $filter
          first: $first
          after: $after
          last: $last
          before: $before
        ) {
          nodes {
            id
            subject
            body
            severity
            readAt
            archivedAt
            createdAt
            workflowIdentifier
            event {
              id
              transactionId
            }
          }
          pageInfo {
            ...PageInfoFields
          }
        }
      }
    }
  `,
  [pageInfoFields],
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

type Feed = NonNullable<ResultOf<typeof feedQuery>['subscriber']>['notifications']
type Notification = Feed['nodes'][number]

/** The contents of the list, by the value in the address. */
const views = {
  all: { label: 'All', filter: { archived: false }, none: 'There is nothing in this feed.' },
  unread: { label: 'Unread', filter: { archived: false, read: false }, none: 'Everything in this feed is read.' },
  archived: { label: 'Archived', filter: { archived: true }, none: 'Nothing in this feed is archived.' },
} as const

const severities = { HIGH: 'High severity', MEDIUM: 'Medium severity', LOW: 'Low severity', NONE: undefined } as const

const columns: readonly Column<Notification>[] = [
  {
    header: 'Notification',
    cell: ({ subject, body, readAt, severity }) => (
      <Stack gap={2}>
        <Group gap="xs">
          {readAt === null && (
            <Badge size="sm" variant="light">
              Unread
            </Badge>
          )}
          {severities[severity] !== undefined && (
            <Badge size="sm" variant="default">
              {severities[severity]}
            </Badge>
          )}
          {subject !== null && (
            <Text inherit fw={readAt === null ? 600 : 400}>
              {subject}
            </Text>
          )}
        </Group>
        <Text inherit c={subject === null ? undefined : 'dimmed'}>
          {body}
        </Text>
      </Stack>
    ),
  },
  {
    header: 'Workflow',
    cell: ({ workflowIdentifier }) => (
      <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
        {workflowIdentifier}
      </Anchor>
    ),
    visibleFrom: 'sm',
  },
  {
    header: 'Event',
    cell: ({ event }) =>
      event && (
        <Anchor inherit component={Link} to={paths.event(event.transactionId)}>
          {event.transactionId}
        </Anchor>
      ),
    visibleFrom: 'md',
  },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

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
  const pages = usePages()
  const [value, setView] = useFilter('show')
  const view = value === 'unread' || value === 'archived' ? value : 'all'
  const canWrite = useCanWrite()
  const query = useQuery({
    query: feedQuery,
    variables: { subscriberId, contextKeys, filter: views[view].filter, ...pages.arguments },
  })
  const [counts, isLive] = useLiveCounts({ subscriberId, contextKeys }, () => sendAgain(query))
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
        connectionOf={({ subscriber }) => subscriber && subscriber.notifications}
        columns={canWrite ? [...columns, actions] : columns}
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
