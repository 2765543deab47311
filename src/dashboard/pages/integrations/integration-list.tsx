// The list of integrations.
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { channelLabels } from '../../parts/channel-labels.ts'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import type { RowAct } from '../../parts/list/action-bar.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Page } from '../../parts/page.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { PauseReason } from '../../parts/paused.tsx'
import { providerOptions, useProviders } from '../../parts/providers.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateIntegration } from './create-integration.tsx'
import { RowLink } from '../../parts/row-link.tsx'

const integrationsQuery = graphql(
  `
    query Integrations($first: Int, $after: String, $last: Int, $before: String, $filter: IntegrationFilter) {
      integrations(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          name
          providerId
          channel
          active
          deliverable
          primary
          pause {
            kind
            reason
          }
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

type Integration = ResultOf<typeof integrationsQuery>['integrations']['nodes'][number]

const deletion: RowAct<Integration> = {
  act: 'deleteIntegrations',
  label: 'Delete',
  consequence:
    'Their channel endpoints are deleted too, and no more messages are sent through them. This cannot be undone.',
  nothing: 'No integration matches.',
  nameOf: ({ identifier }) => identifier,
}

const channelOptions = optionsOf(channelLabels)
const activeOptions = optionsOf({ true: 'Active', false: 'Inactive' })

export function Component() {
  const pages = usePages()
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const providers = useProviders()
  const choices = providerOptions(providers)
  const active = useChoice('active', activeOptions)
  const filter = {
    channel: useChoice('channel', channelOptions),
    providerId: useChoice('provider', choices),
    active: active === null ? null : active === 'true',
  }
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: integrationsQuery, variables: variablesOf(pages.arguments) })

  const columns: readonly Column<Integration>[] = [
    {
      header: 'Identifier',
      cell: ({ identifier }) => <RowLink to={paths.integration(identifier)}>{identifier}</RowLink>,
      text: ({ identifier }) => identifier,
    },
    { header: 'Name', cell: ({ name }) => name, text: ({ name }) => name, visibleFrom: 'sm' },
    {
      header: 'Provider',
      cell: (row) => providers.find((provider) => provider.providerId === row.providerId)?.name ?? row.providerId,
      text: ({ providerId }) => providerId,
      visibleFrom: 'xs',
    },
    { header: 'Channel', cell: (row) => channelLabels[row.channel], text: ({ channel }) => channel, visibleFrom: 'xs' },
    {
      header: 'State',
      cell: ({ active, deliverable, primary, pause }) => (
        <>
          <Group gap={4}>
            <StateBadge color={active ? 'green' : 'gray'}>{active ? 'Active' : 'Inactive'}</StateBadge>
            {!deliverable && <StateBadge color="red">Cannot deliver</StateBadge>}
            {pause !== null && <StateBadge color="yellow">Paused</StateBadge>}
            {primary && <StateBadge color="indigo">Primary</StateBadge>}
          </Group>
          <PauseReason pause={pause} />
        </>
      ),
      text: ({ active }) => (active ? 'active' : 'inactive'),
    },
    {
      header: 'Updated',
      cell: ({ updatedAt }) => <Moment at={updatedAt} />,
      text: ({ updatedAt }) => updatedAt,
      visibleFrom: 'md',
    },
  ]

  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create integration
    </Button>
  )
  return (
    <Page
      title="Integrations"
      description="The accounts at providers through which messages are sent."
      actions={create}
    >
      <Filters>
        <ChoiceFilter label="Channel" name="channel" options={channelOptions} />
        <ChoiceFilter label="Provider" name="provider" options={choices} />
        <ChoiceFilter label="State" name="active" options={activeOptions} />
      </Filters>
      <ConnectionTable
        label="Integrations"
        query={query}
        source={{ document: integrationsQuery, variablesOf }}
        acts={canWrite ? [deletion] : []}
        nameOf={({ identifier }) => identifier}
        connectionOf={({ integrations }) => integrations}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No integration matches">No integration fits all filters.</NoMatch>
          ) : (
            <Empty title="No integrations yet" action={create}>
              Create an integration for each channel that your workflows use. The in-app feed needs none.
            </Empty>
          )
        }
      />
      {creating && <CreateIntegration onClose={close} />}
    </Page>
  )
}
