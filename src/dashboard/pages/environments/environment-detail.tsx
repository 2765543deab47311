// One environment: its properties and its API keys.
import { Badge, Button, Code, ColorSwatch, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { PauseBanner, pauseFields } from '../../parts/paused.tsx'
import { useSession } from '../../session/session-context.ts'
import { ApiKeys } from './api-keys.tsx'
import { DeleteEnvironment } from './delete-environment.tsx'
import { EditEnvironment } from './edit-environment.tsx'
import { EnvironmentName } from './environment-name.tsx'
import { environmentTypes } from './environment-type.ts'
import { sendingModes } from './environment-values.ts'
import { PauseEnvironment } from './pause-environment.tsx'

const environmentQuery = graphql(
  `
    query Environment($id: ID!) {
      node(id: $id) {
        __typename
        ... on Environment {
          id
          name
          color
          type
          identifier
          slug
          retentionDays
          feedRetentionDays
          sending
          redirectTo
          allowedDestinations
          allowsUnsignedSessions
          database
          createdAt
          updatedAt
          version
          viewerCanAdminister
          viewerCanDelete
          parent {
            id
            name
            color
          }
          pause {
            ...PauseFields
          }
        }
      }
    }
  `,
  [pauseFields],
)

function keptFor(days: number | null): string {
  if (days === null) return 'As configured for the gateway'
  if (days === 0) return 'Forever'
  return days === 1 ? '1 day' : `${days} days`
}

const environmentIn = (data: ResultOf<typeof environmentQuery> | undefined) =>
  data?.node?.__typename === 'Environment' ? data.node : null

export function Component() {
  const { id = '' } = useParams()
  const session = useSession()
  const [editing, edit] = useDisclosure(false)
  const [deleting, remove] = useDisclosure(false)
  const query = useQuery({ query: environmentQuery, variables: { id } })
  const [{ data }] = query

  const readAgain = useReadAgain(environmentQuery, { id })
  const environment = environmentIn(data)
  const isCurrent = id === session.environmentId
  const actions = environment && (
    <>
      {environment.viewerCanAdminister && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={edit.open}>
          Edit
        </Button>
      )}
      {environment.viewerCanAdminister && (
        <PauseEnvironment id={environment.id} name={environment.name} isPaused={environment.pause !== null} />
      )}
      {environment.viewerCanDelete && (
        <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove.open}>
          Delete
        </Button>
      )}
    </>
  )
  return (
    <Page
      title={environment?.name ?? 'Environment'}
      parent={{ label: 'Environments and keys', to: paths.environments }}
      actions={actions}
    >
      <Answer query={query}>
        {() =>
          environment === null ? (
            <Missing what="environment with this id" list={{ label: 'All environments', to: paths.environments }} />
          ) : (
            <>
              {environment.pause && (
                <PauseBanner pause={environment.pause}>All runs and messages wait until it is resumed.</PauseBanner>
              )}
              <Facts
                facts={{
                  Name: (
                    <Group gap="xs">
                      {environment.name}
                      {isCurrent && <Badge variant="light">In use</Badge>}
                    </Group>
                  ),
                  Color: (
                    <Group gap="xs">
                      <ColorSwatch color={environment.color} size={14} withShadow={false} aria-hidden />
                      <Code>{environment.color}</Code>
                    </Group>
                  ),
                  Type: environmentTypes[environment.type],
                  'Public identifier': <Copyable value={environment.identifier} label="identifier" />,
                  Slug: environment.slug,
                  Parent: environment.parent && <EnvironmentName environment={environment.parent} />,
                  Messages: sendingModes[environment.sending],
                  ...(environment.sending === 'REDIRECT' && {
                    'Redirect to': environment.redirectTo,
                    'Allowed destinations': environment.allowedDestinations.join(', '),
                  }),
                  'Browser sessions': environment.allowsUnsignedSessions ? 'Unsigned ones are allowed' : 'Signed',
                  ...(environment.database !== 'main' && { Database: environment.database }),
                  'Event retention': keptFor(environment.retentionDays),
                  'Notification retention': keptFor(environment.feedRetentionDays),
                  Created: <Moment at={environment.createdAt} />,
                  Updated: <Moment at={environment.updatedAt} />,
                }}
              />
              <ApiKeys environmentId={environment.id} />
              {deleting && <DeleteEnvironment environment={environment} onClose={remove.close} />}
              {editing && (
                <EditEnvironment
                  environment={environment}
                  read={async () => environmentIn(await readAgain())}
                  onClose={edit.close}
                />
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
