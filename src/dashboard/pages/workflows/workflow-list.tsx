// The list of workflows.
import { Badge, Button, Group, TagsInput, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { CategoryFilter, useChosenCategories } from '../../parts/filter/category-filter.tsx'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { clearButton } from '../../parts/clear-button.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilter, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { optionsOf } from '../../parts/options.ts'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { Page } from '../../parts/page.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { PauseReason } from '../../parts/paused.tsx'
import { SearchInput } from '../../parts/filter/search-input.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateWorkflow } from './create-workflow.tsx'
import { StepIcons } from './step-icons.tsx'
import { WorkflowState } from './workflow-state.tsx'
import { RowLink } from '../../parts/row-link.tsx'

const workflowsQuery = graphql(
  `
    query Workflows($first: Int, $after: String, $last: Int, $before: String, $filter: WorkflowFilter) {
      workflows(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          name
          active
          tags
          updatedAt
          category {
            id
            key
            name
          }
          steps {
            type
            stepId
          }
          pause {
            kind
            reason
          }
          suspension {
            reason
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

type Workflow = ResultOf<typeof workflowsQuery>['workflows']['nodes'][number]

const columns: readonly Column<Workflow>[] = [
  {
    header: 'Name',
    cell: ({ identifier, name }) => (
      <>
        <RowLink to={paths.workflow(identifier)}>{name}</RowLink>
        <Text size="xs" c="dimmed">
          {identifier}
        </Text>
      </>
    ),
    text: ({ identifier }) => identifier,
  },
  {
    header: 'Steps',
    cell: ({ steps }) => <StepIcons types={steps.map(({ type }) => type)} />,
    text: ({ steps }) => steps.map(({ type }) => type).join(' '),
  },
  {
    header: 'State',
    cell: (workflow) => (
      <>
        <WorkflowState workflow={workflow} />
        <PauseReason pause={workflow.pause} />
      </>
    ),
    text: ({ active }) => (active ? 'active' : 'inactive'),
  },
  {
    header: 'Category',
    visibleFrom: 'lg',
    text: ({ category }) => category?.key ?? null,
    cell: ({ category }) => category && <RowLink to={paths.category(category.key)}>{category.name}</RowLink>,
  },
  {
    header: 'Tags',
    visibleFrom: 'md',
    text: ({ tags }) => tags.join(' '),
    cell: ({ tags }) => (
      <Group gap={4}>
        {tags.map((tag) => (
          <Badge key={tag} variant="default">
            {tag}
          </Badge>
        ))}
      </Group>
    ),
  },
  {
    header: 'Updated',
    cell: ({ updatedAt }) => <Moment at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
    visibleFrom: 'sm',
  },
]

const stateOptions = optionsOf({ active: 'Active', inactive: 'Inactive' })

/** Returns the filter in the address. An empty text is not a condition. */
function useWorkflowFilter(tags: string[]) {
  const state = useChoice('state', stateOptions)
  return {
    search: useFilterValue('search'),
    active: state === null ? null : state === 'active',
    categoryKeys: useChosenCategories(),
    tags: tags.length === 0 ? null : tags,
  }
}

export function Component() {
  const pages = usePages()
  const [tags, setTags] = useFilter('tags')
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const chosen = tags === '' ? [] : tags.split(',')
  const filter = useWorkflowFilter(chosen)
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: workflowsQuery, variables: variablesOf(pages.arguments) })

  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create workflow
    </Button>
  )
  return (
    <Page
      title="Workflows"
      description="The steps that the gateway runs for each recipient of a trigger."
      actions={create}
    >
      <SearchInput label="Search by identifier or name" />
      <Filters>
        <ChoiceFilter label="State" name="state" options={stateOptions} />
        <CategoryFilter />
        <TagsInput
          label="All of the tags"
          placeholder={chosen.length === 0 ? 'Any' : ''}
          size="xs"
          clearable
          clearButtonProps={clearButton('Clear: All of the tags')}
          value={chosen}
          onChange={(next) => setTags(next.join(','))}
        />
      </Filters>
      <ConnectionTable
        label="Workflows"
        query={query}
        source={{ document: workflowsQuery, variablesOf }}
        connectionOf={({ workflows }) => workflows}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No workflow matches">No workflow fits the search and all filters.</NoMatch>
          ) : (
            <Empty title="No workflows yet" action={create}>
              Create a workflow, add a step such as an email, and trigger it.
            </Empty>
          )
        }
      />
      {creating && <CreateWorkflow onClose={close} />}
    </Page>
  )
}
