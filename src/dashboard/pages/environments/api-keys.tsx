// The API keys of an environment.
import { Button, Code, Group, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import type { BulkAct } from '../../parts/bulk/ask.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { accesses } from '../../session/access.ts'
import { useCanWrite, useSession } from '../../session/session-context.ts'
import { CreateApiKey } from './create-api-key.tsx'

const apiKeysQuery = graphql(
  `
    query ApiKeys($environmentId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      apiKeys(environmentId: $environmentId, first: $first, after: $after, last: $last, before: $before) {
        totalCount
        totalCountCapped
        nodes {
          id
          name
          access
          hint
          createdAt
          lastUsedAt
          revokedAt
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

const revokeApiKeyMutation = graphql(`
  mutation RevokeApiKey($input: RevokeApiKeyInput!) {
    revokeApiKey(input: $input) {
      apiKey {
        id
        revokedAt
      }
      userErrors {
        message
        field
      }
    }
  }
`)

type ApiKey = ResultOf<typeof apiKeysQuery>['apiKeys']['nodes'][number]

const columns: readonly Column<ApiKey>[] = [
  { header: 'Name', cell: ({ name }) => name, text: ({ name }) => name },
  { header: 'Access', cell: ({ access }) => accesses[access].label, text: ({ access }) => access },
  { header: 'Ends with', cell: ({ hint }) => <Code>…{hint}</Code>, text: ({ hint }) => hint },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
  {
    header: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Moment at={lastUsedAt} />),
    text: ({ lastUsedAt }) => lastUsedAt ?? '',
    visibleFrom: 'sm',
  },
]

const revocation: BulkAct = {
  act: 'revokeApiKeys',
  label: 'Revoke',
  consequence:
    'Requests with these keys are rejected from now on, and the dashboard sessions that they opened end. If one of them opened yours, you are signed out. This cannot be undone.',
  nothing: 'None of these keys can be revoked.',
}

export function ApiKeys({ environmentId }: { readonly environmentId: string }) {
  const pages = usePages('keys-')
  const { access } = useSession()
  const canWrite = useCanWrite()
  const [creating, { open, close }] = useDisclosure(false)
  const variablesOf = (page: PageArguments) => ({ environmentId, ...page })
  const query = useQuery({ query: apiKeysQuery, variables: variablesOf(pages.arguments) })
  const [{ data }] = query
  const [revokeApiKey] = useAct(revokeApiKeyMutation)

  const askToRevoke = ({ id, name, hint }: ApiKey) =>
    confirmAct({
      title: `Revoke API key ${name}?`,
      consequence: `Requests with the key that ends with ${hint} are rejected from now on, and the dashboard sessions that it opened end. This cannot be undone.`,
      confirm: 'Revoke',
      dismiss: 'Cancel',
      onConfirm: async () => {
        const outcome = await revokeApiKey({ id })
        if (outcome.ok) showDone(`API key ${name} revoked.`)
        else showProblems(outcome.problems)
      },
    })

  const isRevocable = (key: ApiKey) => key.revokedAt === null && (key.access !== 'ADMIN' || access === 'ADMIN')
  const state: Column<ApiKey> = {
    header: 'State',
    text: ({ revokedAt }) => revokedAt ?? 'active',
    cell: (apiKey) => {
      if (apiKey.revokedAt !== null) {
        return (
          <Text span size="sm" c="dimmed">
            Revoked <Moment at={apiKey.revokedAt} />
          </Text>
        )
      }
      return (
        <Group gap="xs">
          <StateBadge color="green">Active</StateBadge>
          {canWrite && isRevocable(apiKey) && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Revoke ${apiKey.name}`}
              onClick={() => askToRevoke(apiKey)}
            >
              Revoke
            </Button>
          )}
        </Group>
      )
    },
  }
  const create = canWrite && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create API key
    </Button>
  )
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          API keys
        </Title>
        {data && create}
      </Group>
      <ConnectionTable
        label="API keys"
        query={query}
        source={{ document: apiKeysQuery, variablesOf }}
        acts={canWrite ? [{ ...revocation, nameOf: (key) => (isRevocable(key) ? key.id : null) }] : []}
        nameOf={({ name }) => name}
        connectionOf={({ apiKeys }) => apiKeys}
        columns={[...columns, state]}
        pages={pages}
        empty={<Empty title="No API keys">Nothing can use this environment without a key.</Empty>}
      />
      {creating && <CreateApiKey environmentId={environmentId} onClose={close} />}
    </>
  )
}
