// One integration: its settings, its switches and its channel endpoints.
import { Button, Group, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconSend } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { useDeletion } from '../../parts/action/deletion.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { PauseBanner } from '../../parts/paused.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { ChannelEndpointTable } from '../channel-endpoints/channel-endpoint-table.tsx'
import { CreateChannelEndpoint } from '../channel-endpoints/create-channel-endpoint.tsx'
import { ChannelConnections } from './channel-connections.tsx'
import { EditIntegration } from './edit-integration.tsx'
import { InboundTexts } from './inbound-texts.tsx'
import { InboundWebhook } from './inbound-webhook.tsx'
import { IntegrationFacts } from './integration-facts.tsx'
import { IntegrationProblems } from './integration-problems.tsx'
import { integrationFields } from './integration-values.ts'
import { PauseIntegration } from './pause-integration.tsx'
import { TextReplies } from './text-replies.tsx'
import { TestMessage } from './test-message.tsx'

const integrationQuery = graphql(
  `
    query Integration($identifier: String!) {
      integration(identifier: $identifier) {
        ...IntegrationFields
      }
    }
  `,
  [integrationFields],
)

const deleteIntegrationMutation = graphql(`
  mutation DeleteIntegration($input: DeleteIntegrationInput!) {
    deleteIntegration(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

export function Component() {
  const { identifier = '' } = useParams()
  const [editing, edit] = useDisclosure(false)
  const [testing, test] = useDisclosure(false)
  const [adding, add] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: integrationQuery, variables: { identifier } })
  const [{ data }] = query
  const deleteIntegration = useDeletion(deleteIntegrationMutation)

  const askToDelete = (id: string) =>
    deleteIntegration(
      { id },
      {
        what: `integration ${identifier}`,
        consequence:
          'Its channel endpoints are deleted too, and no more messages are sent through it. This cannot be undone.',
        list: paths.integrations,
      },
    )

  const shown = data?.integration
  const actions = canWrite && shown && (
    <>
      <Button leftSection={<IconSend size={16} aria-hidden />} onClick={test.open}>
        Send a test message
      </Button>
      <PauseIntegration integration={shown} />
      <EditAndDelete onEdit={edit.open} onDelete={() => askToDelete(shown.id)} />
    </>
  )
  return (
    <Page
      title={shown?.name ?? identifier}
      parent={{ label: 'Integrations', to: paths.integrations }}
      actions={actions}
    >
      <Answer query={query}>
        {({ integration }) =>
          integration === null ? (
            <Missing
              what={`integration with the identifier ${identifier}`}
              list={{ label: 'All integrations', to: paths.integrations }}
            />
          ) : (
            <>
              {integration.pause && (
                <PauseBanner pause={integration.pause}>Its messages wait until it is resumed.</PauseBanner>
              )}
              <IntegrationProblems integration={integration} />
              <IntegrationFacts integration={integration} />
              <InboundWebhook integration={integration} />
              {integration.inboundWebhook && integration.textReplies && (
                <>
                  <TextReplies integrationId={integration.id} replies={integration.textReplies} />
                  <InboundTexts integrationIdentifier={identifier} />
                </>
              )}
              <Group justify="space-between">
                <Title order={2} size="h4">
                  Channel endpoints
                </Title>
                {canWrite && (
                  <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
                    Add channel endpoint
                  </Button>
                )}
              </Group>
              <ChannelEndpointTable
                filter={{ integrationIdentifier: identifier }}
                empty={
                  <Empty title="No channel endpoints">
                    The integration reaches subscribers by their profile and credentials only.
                  </Empty>
                }
              />
              {integration.channel === 'CHAT' && <ChannelConnections integrationIdentifier={identifier} />}
              {editing && <EditIntegration integration={integration} onClose={edit.close} />}
              {testing && <TestMessage integration={integration} onClose={test.close} />}
              {adding && <CreateChannelEndpoint integrationIdentifier={identifier} onClose={add.close} />}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
