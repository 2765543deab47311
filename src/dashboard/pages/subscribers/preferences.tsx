// The preferences of a subscriber: which channels are on, which rule decided that, and switches that change it.
import { Stack, Table, Text } from '@mantine/core'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Answer } from '../../parts/answer.tsx'
import { channelLabels } from '../../parts/channel-labels.ts'
import { useFilterValue } from '../../parts/filter/filter.ts'
import { SearchInput } from '../../parts/filter/search-input.tsx'
import { contextInputs } from '../../parts/form/context-keys-input.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { type Pages, usePages } from '../../parts/list/pages.ts'
import { showProblems } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { ContextChooser, useChosenContexts } from './chosen-contexts.tsx'
import { type ChannelChange, PreferenceRow } from './preference-row.tsx'
import { RuleLegend } from './preference-rules.tsx'
import { PreferenceSwitch } from './preference-switch.tsx'
import { scheduleFields, ScheduleSummary } from './schedule.tsx'

const preferencesQuery = graphql(
  `
    query SubscriberPreferences(
      $subscriberId: String!
      $contextKeys: [String!]
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: WorkflowPreferenceFilter
    ) {
      subscriber(subscriberId: $subscriberId) {
        id
        preferences(contextKeys: $contextKeys) {
          enabled
          schedule {
            ...ScheduleFields
          }
          usedChannels {
            channel
            enabled
            decidedBy
            inherited
          }
          categories {
            category {
              key
              name
              isHidden
            }
            channels {
              channel
              enabled
              decidedBy
              inherited
            }
          }
          workflowPreferences(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
            totalCount
            totalCountCapped
            nodes {
              workflow {
                identifier
                name
              }
              channels {
                channel
                enabled
                decidedBy
                inherited
              }
            }
            pageInfo {
              ...PageInfoFields
            }
          }
        }
      }
    }
  `,
  [pageInfoFields, scheduleFields],
)

const updatePreferencesMutation = graphql(`
  mutation UpdateSubscriberPreferences($input: UpdateSubscriberPreferencesInput!) {
    updateSubscriberPreferences(input: $input) {
      notes
      userErrors {
        message
        field
      }
    }
  }
`)

type Preferences = NonNullable<ResultOf<typeof preferencesQuery>['subscriber']>['preferences']

export function Component() {
  const { subscriberId = '' } = useParams()
  const { keys, error: invalid } = useChosenContexts()
  const pages = usePages('', [20, 50])
  const search = useFilterValue('search')
  const query = useQuery({
    query: preferencesQuery,
    variables: { subscriberId, contextKeys: keys, ...pages.arguments, filter: { search } },
    pause: invalid !== null,
  })
  return (
    <Stack>
      <ContextChooser description="Preferences are stored for each exact set of contexts. Choose none to see those for messages without context. If notifications are off there, they are off under all contexts that have no choice of their own." />
      <SearchInput label="Search workflows by identifier or name" />
      {invalid === null && (
        <Answer query={query}>
          {({ subscriber }) =>
            subscriber && (
              <PreferenceTable
                subscriberId={subscriberId}
                contextKeys={keys}
                preferences={subscriber.preferences}
                pages={pages}
                search={search}
              />
            )
          }
        </Answer>
      )}
    </Stack>
  )
}

interface PreferenceTableProps {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
  readonly preferences: Preferences
  readonly pages: Pages
  readonly search: string | null
}

function PreferenceTable({ subscriberId, contextKeys, preferences, pages, search }: PreferenceTableProps) {
  const { usedChannels, categories, workflowPreferences } = preferences
  const columns = usedChannels.map(({ channel }) => channel)
  const hasWorkflows = workflowPreferences.nodes.length > 0
  const canWrite = useCanWrite()
  const [update] = useAct(updatePreferencesMutation)
  const send = async (change: {
    workflowIdentifier?: string
    categoryKey?: string
    enabled?: boolean
    channels?: ChannelChange[]
  }) => {
    const outcome = await update({ subscriberId, contexts: contextInputs(contextKeys), ...change })
    if (!outcome.ok) showProblems(outcome.problems)
    return outcome.ok
  }
  const meaning = preferences.enabled
    ? 'On: the channels below apply.'
    : 'Off: only critical workflows and channels turned on for a category or a single workflow are delivered.'
  return (
    <Stack>
      {canWrite ? (
        <PreferenceSwitch
          name="Notifications"
          description={meaning}
          checked={preferences.enabled}
          onChange={(enabled) => send({ enabled })}
        />
      ) : (
        <Text>Notifications are {meaning.charAt(0).toLowerCase() + meaning.slice(1)}</Text>
      )}
      <ScheduleSummary subscriberId={subscriberId} contextKeys={contextKeys} schedule={preferences.schedule} />
      {canWrite && (
        <Text size="sm" c="dimmed">
          A change for all workflows replaces the choices for categories and single workflows in that channel, a change
          for a category those for its workflows. Turning notifications off replaces all of them.
        </Text>
      )}
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} aria-label="Preferences" role="region">
        <Table aria-label="Preferences" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th miw={160}>{categories.length > 0 ? 'Category or workflow' : 'Workflow'}</Table.Th>
              {columns.map((channel) => (
                <Table.Th key={channel}>{channelLabels[channel]}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <PreferenceRow
              of="ALL"
              name="All workflows"
              columns={columns}
              channels={usedChannels}
              onChange={(change) => send({ channels: [change] })}
            />
            {categories.map(({ category: { key, name, isHidden }, channels }) => (
              <PreferenceRow
                key={`category ${key}`}
                of="CATEGORY"
                name={name}
                note={isHidden ? 'Category, hidden' : 'Category'}
                to={paths.category(key)}
                columns={columns}
                channels={channels}
                onChange={(change) => send({ categoryKey: key, channels: [change] })}
              />
            ))}
            {workflowPreferences.nodes.map(({ workflow: { identifier, name }, channels }) => (
              <PreferenceRow
                key={`workflow ${identifier}`}
                of="WORKFLOW"
                name={name}
                to={paths.workflow(identifier)}
                columns={columns}
                channels={channels}
                onChange={(change) => send({ workflowIdentifier: identifier, channels: [change] })}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {hasWorkflows && <Pager connection={workflowPreferences} pages={pages} />}
      {hasWorkflows && <RuleLegend />}
      {!hasWorkflows && (
        <Text c="dimmed">
          {search === null
            ? 'There are no workflows yet. Choices made here apply to workflows created later.'
            : `No identifier or name of a workflow contains “${search}”.`}
        </Text>
      )}
    </Stack>
  )
}
