// The list of topics.
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
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
import { CreateTopic } from './create-topic.tsx'
import { RowLink } from '../../parts/row-link.tsx'

const topicsQuery = graphql(
  `
    query Topics($first: Int, $after: String, $last: Int, $before: String, $filter: TopicFilter) {
      topics(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          key
          name
          createdAt
          updatedAt
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type Topic = ResultOf<typeof topicsQuery>['topics']['nodes'][number]

const columns: readonly Column<Topic>[] = [
  {
    header: 'Key',
    cell: ({ key }) => <RowLink to={paths.topic(key)}>{key}</RowLink>,
    text: ({ key }) => key,
  },
  { header: 'Name', cell: ({ name }) => name, text: ({ name }) => name },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
  {
    header: 'Updated',
    cell: ({ updatedAt }) => <Moment at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
    visibleFrom: 'md',
  },
]

export function Component() {
  const pages = usePages()
  const search = useFilterValue('search')
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { search } })
  const query = useQuery({ query: topicsQuery, variables: variablesOf(pages.arguments) })

  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create topic
    </Button>
  )
  return (
    <Page title="Topics" description="Groups of subscribers that a trigger can address by one key." actions={create}>
      <SearchInput label="Search by key or name" />
      <ConnectionTable
        label="Topics"
        query={query}
        source={{ document: topicsQuery, variablesOf }}
        connectionOf={({ topics }) => topics}
        columns={columns}
        pages={pages}
        empty={
          search === null ? (
            <Empty title="No topics yet" action={create}>
              Create a topic, then subscribe people to it. The first subscription through the API creates its topic too.
            </Empty>
          ) : (
            <NoMatch title="No topic matches">
              No key or name contains <Text span>“{search}”</Text>.
            </NoMatch>
          )
        }
      />
      {creating && <CreateTopic onClose={close} />}
    </Page>
  )
}
