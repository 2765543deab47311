// The list of contexts.
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { Page } from '../../parts/page.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { SearchInput } from '../../parts/filter/search-input.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateContext } from './create-context.tsx'
import { RowLink } from '../../parts/row-link.tsx'

const contextsQuery = graphql(
  `
    query Contexts($first: Int, $after: String, $last: Int, $before: String, $filter: ContextFilter) {
      contexts(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          key
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

type Context = ResultOf<typeof contextsQuery>['contexts']['nodes'][number]

const columns: readonly Column<Context>[] = [
  {
    header: 'Key',
    cell: ({ key }) => <RowLink to={paths.context(key)}>{key}</RowLink>,
    text: ({ key }) => key,
  },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
  { header: 'Updated', cell: ({ updatedAt }) => <Moment at={updatedAt} />, text: ({ updatedAt }) => updatedAt },
]

export function Component() {
  const pages = usePages()
  const filter = { search: useFilterValue('search'), type: useFilterValue('type') }
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: contextsQuery, variables: variablesOf(pages.arguments) })

  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create context
    </Button>
  )
  return (
    <Page
      title="Contexts"
      description="Scopes inside the environment, such as the tenants of your product."
      actions={create}
    >
      <SearchInput label="Search by key" />
      <Filters>
        <TextFilter label="Exact type" name="type" />
      </Filters>
      <ConnectionTable
        label="Contexts"
        query={query}
        source={{ document: contextsQuery, variablesOf }}
        connectionOf={({ contexts }) => contexts}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No context matches">No key matches the search and the type.</NoMatch>
          ) : (
            <Empty title="No contexts yet" action={create}>
              Create a context such as <code>tenant:acme</code>. A trigger that names a new context creates it too.
            </Empty>
          )
        }
      />
      {creating && <CreateContext onClose={close} />}
    </Page>
  )
}
