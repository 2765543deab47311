// The record of consent of a subscriber: who changed which preference, when, and by which way.
import { Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { channelLabels, type Channel } from '../../parts/channel-labels.ts'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Empty } from '../../parts/empty.tsx'
import { CategoryFilter, useChosenCategories } from '../../parts/filter/category-filter.tsx'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { TimeFilter, useTimeFilter } from '../../parts/filter/time-filter.tsx'
import { useChosenWorkflows, WorkflowFilter } from '../../parts/filter/workflow-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { ExactMoment } from '../../parts/moment.tsx'
import { optionsOf } from '../../parts/options.ts'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { type ConsentSource, consentSources } from './consent-sources.ts'

const consentQuery = graphql(
  `
    query ConsentHistory(
      $subscriberId: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: PreferenceChangeFilter
    ) {
      subscriber(subscriberId: $subscriberId) {
        id
        preferenceChanges(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
          totalCount
          totalCountCapped
          edges {
            cursor
            node {
              at
              scope
              categoryKey
              workflowIdentifier
              channel
              enabled
              source
              contextKeys
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

type Connection = NonNullable<ResultOf<typeof consentQuery>['subscriber']>['preferenceChanges']
type Change = Connection['edges'][number]['node'] & { readonly id: string }

const sourceOptions = optionsOf<ConsentSource>(consentSources)
const channelOptions = optionsOf<Channel>(channelLabels)

const choiceOf = ({ enabled }: Change) => (enabled === null ? 'Choice removed' : enabled ? 'Turned on' : 'Turned off')

const channelOf = ({ channel }: Change) => (channel === null ? 'All channels' : channelLabels[channel])

/** Returns the workflows in words, as a link if they have a page. */
function Scope({ change: { categoryKey, workflowIdentifier } }: { readonly change: Change }) {
  if (workflowIdentifier !== null) {
    return (
      <>
        Workflow{' '}
        <RowLink to={paths.workflow(workflowIdentifier)} underline="always">
          {workflowIdentifier}
        </RowLink>
      </>
    )
  }
  if (categoryKey === null) return 'All workflows'
  return (
    <>
      Category{' '}
      <RowLink to={paths.category(categoryKey)} underline="always">
        {categoryKey}
      </RowLink>
    </>
  )
}

const columns: readonly Column<Change>[] = [
  {
    header: 'Change',
    cell: (change) => (
      <StateBadge color={change.enabled === null ? 'gray' : change.enabled ? 'green' : 'red'}>
        {choiceOf(change)}
      </StateBadge>
    ),
    text: choiceOf,
  },
  {
    header: 'About',
    cell: (change) => <Scope change={change} />,
    text: ({ categoryKey, workflowIdentifier }) =>
      workflowIdentifier !== null
        ? `workflow ${workflowIdentifier}`
        : categoryKey === null
          ? 'all workflows'
          : `category ${categoryKey}`,
  },
  { header: 'Channel', cell: channelOf, text: channelOf, visibleFrom: 'sm' },
  {
    header: 'By',
    cell: ({ source }) => consentSources[source].actor,
    text: ({ source }) => consentSources[source].actor,
    visibleFrom: 'md',
  },
  {
    header: 'Way',
    cell: ({ source }) => consentSources[source].label,
    text: ({ source }) => consentSources[source].label,
    visibleFrom: 'sm',
  },
  {
    header: 'Contexts',
    cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />,
    text: ({ contextKeys }) => contextKeys.join(' '),
    visibleFrom: 'lg',
  },
  { header: 'When', cell: ({ at }) => <ExactMoment at={at} />, text: ({ at }) => at },
]

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages()
  const [contextKeys] = useContextFilter()
  const filter = {
    categoryKeys: useChosenCategories(),
    workflowIdentifiers: useChosenWorkflows(),
    channels: useChoices('channel', channelOptions),
    sources: useChoices('source', sourceOptions),
    contextKeys,
    ...useTimeFilter(),
  }
  const variablesOf = (page: PageArguments) => ({ subscriberId, ...page, filter })
  const query = useQuery({ query: consentQuery, variables: variablesOf(pages.arguments) })
  return (
    <Stack>
      <Filters>
        <CategoryFilter />
        <WorkflowFilter />
        <ChoicesFilter label="Channel" name="channel" options={channelOptions} />
        <ChoicesFilter label="Way" name="source" options={sourceOptions} />
        <ContextFilter />
        <TimeFilter />
      </Filters>
      <ConnectionTable
        label="Consent history"
        query={query}
        source={{ document: consentQuery, variablesOf }}
        connectionOf={({ subscriber }) => subscriber && rowsOf(subscriber.preferenceChanges)}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No change matches">No change fits all filters.</NoMatch>
          ) : (
            <Empty title="No changes yet">
              The preferences of this subscriber have never been changed: the defaults of workflows and categories
              apply. Each change is recorded here, and kept until the subscriber is deleted.
            </Empty>
          )
        }
      />
    </Stack>
  )
}

/** A change has no id, so that its cursor identifies its row. */
const rowsOf = ({ edges, ...connection }: Connection) => ({
  ...connection,
  nodes: edges.map(({ cursor, node }): Change => ({ ...node, id: cursor })),
})
