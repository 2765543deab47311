// The list of subscribers.
import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFileImport, IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import type { RowAct } from '../../parts/list/action-bar.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilterValue } from '../../parts/filter/filter.ts'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { Page } from '../../parts/page.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { SearchInput } from '../../parts/filter/search-input.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateSubscriber } from './create-subscriber.tsx'
import { personName } from '../../parts/person-name.ts'
import { RowLink } from '../../parts/row-link.tsx'

const subscribersQuery = graphql(
  `
    query Subscribers($first: Int, $after: String, $last: Int, $before: String, $filter: SubscriberFilter) {
      subscribers(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          subscriberId
          firstName
          lastName
          email
          phone
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

type Subscriber = ResultOf<typeof subscribersQuery>['subscribers']['nodes'][number]

const columns: readonly Column<Subscriber>[] = [
  {
    header: 'Subscriber id',
    cell: ({ subscriberId }) => <RowLink to={paths.subscriber(subscriberId)}>{subscriberId}</RowLink>,
    text: ({ subscriberId }) => subscriberId,
  },
  { header: 'Name', cell: personName, text: personName },
  { header: 'Email', cell: ({ email }) => email, text: ({ email }) => email, visibleFrom: 'sm' },
  { header: 'Phone', cell: ({ phone }) => phone, text: ({ phone }) => phone, visibleFrom: 'md' },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'lg',
  },
]

const deletion: RowAct<Subscriber> = {
  act: 'deleteSubscribers',
  label: 'Delete',
  consequence:
    'Their feeds, credentials, channel endpoints, preferences and topic subscriptions are deleted too, and they receive no further messages. This cannot be undone.',
  nothing: 'No subscriber matches.',
  nameOf: ({ id }) => id,
}

export function Component() {
  const pages = usePages()
  const search = useFilterValue('search')
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { search } })
  const query = useQuery({ query: subscribersQuery, variables: variablesOf(pages.arguments) })

  const actions = canWrite && (
    <>
      <Button
        variant="default"
        component={Link}
        to={paths.importSubscribers}
        leftSection={<IconFileImport size={16} aria-hidden />}
      >
        Import CSV
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Create subscriber
      </Button>
    </>
  )
  return (
    <Page title="Subscribers" description="The people and devices that receive notifications." actions={actions}>
      <SearchInput label="Search by id, email, phone or name" />
      <ConnectionTable
        label="Subscribers"
        query={query}
        source={{ document: subscribersQuery, variablesOf }}
        // The gateway deletes nobody without a condition.
        acts={canWrite ? [{ ...deletion, filter: search === null ? undefined : { search } }] : []}
        nameOf={({ subscriberId }) => subscriberId}
        connectionOf={({ subscribers }) => subscribers}
        columns={columns}
        pages={pages}
        empty={
          search === null ? (
            <Empty title="No subscribers yet" action={actions && <Group gap="xs">{actions}</Group>}>
              Create a subscriber, or import a list. A trigger to a new subscriber creates it too.
            </Empty>
          ) : (
            <NoMatch title="No subscriber matches">
              No id, email address, phone number or name contains <Text span>“{search}”</Text>. With fewer than three
              letters or digits in a row, the search finds beginnings only.
            </NoMatch>
          )
        }
      />
      {creating && <CreateSubscriber onClose={close} />}
    </Page>
  )
}
