// The list of the environments of the organization.
import { Badge, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { PauseReason } from '../../parts/paused.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useCanWrite, useSession } from '../../session/session-context.ts'
import { CreateEnvironment } from './create-environment.tsx'
import { EnvironmentName } from './environment-name.tsx'
import { environmentTypes } from './environment-type.ts'

const environmentsQuery = graphql(
  `
    query EnvironmentList($first: Int, $after: String, $last: Int, $before: String) {
      environments(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        totalCountCapped
        nodes {
          id
          name
          color
          type
          identifier
          createdAt
          pause {
            kind
            reason
          }
          parent {
            id
            name
            color
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

type Environment = ResultOf<typeof environmentsQuery>['environments']['nodes'][number]

const columnsFor = (currentId: string): readonly Column<Environment>[] => [
  {
    header: 'Name',
    cell: (environment) => (
      <>
        <Group gap="xs">
          <EnvironmentName environment={environment} />
          {environment.id === currentId && <Badge variant="light">In use</Badge>}
          {environment.pause !== null && <StateBadge color="yellow">Paused</StateBadge>}
        </Group>
        <PauseReason pause={environment.pause} />
      </>
    ),
    text: ({ name }) => name,
  },
  { header: 'Type', cell: ({ type }) => environmentTypes[type], text: ({ type }) => type, visibleFrom: 'sm' },
  {
    header: 'Identifier',
    cell: ({ identifier }) => <Copyable value={identifier} label="identifier" />,
    text: ({ identifier }) => identifier,
  },
  {
    header: 'Parent',
    cell: ({ parent }) => parent && <EnvironmentName environment={parent} />,
    text: ({ parent }) => parent && parent.name,
    visibleFrom: 'sm',
  },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'md',
  },
]

export function Component() {
  const pages = usePages()
  const { environmentId } = useSession()
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: environmentsQuery, variables: pages.arguments })

  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create environment
    </Button>
  )
  return (
    <Page
      title="Environments and keys"
      description="The stages of an application, each with its own data and API keys."
      actions={create}
    >
      <ConnectionTable
        label="Environments"
        query={query}
        source={{ document: environmentsQuery, variablesOf: (page) => page }}
        connectionOf={({ environments }) => environments}
        columns={columnsFor(environmentId)}
        pages={pages}
        empty={
          <Empty title="No environments" action={create}>
            Create an environment for each stage of the application.
          </Empty>
        }
      />
      {creating && <CreateEnvironment onClose={close} />}
    </Page>
  )
}
