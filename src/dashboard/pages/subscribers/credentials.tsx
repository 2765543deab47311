// The credentials of a subscriber for push and chat providers.
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { confirmDelete } from '../../parts/action/confirm-delete.tsx'
import { Empty } from '../../parts/empty.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { CredentialCard } from './credential-card.tsx'
import { type Change, CredentialDialog, setCredentialsMutation } from './credential-dialog.tsx'

const credentialsQuery = graphql(`
  query SubscriberCredentials($subscriberId: String!) {
    subscriber(subscriberId: $subscriberId) {
      id
      channels {
        providerId
        integrationIdentifier
        deviceTokens
        webhookUrl
      }
    }
    providers(filter: { supported: true }) {
      providerId
      name
      channel
      destinations
    }
  }
`)

const deleteCredentialsMutation = graphql(`
  mutation DeleteSubscriberCredentials($input: DeleteSubscriberCredentialsInput!) {
    deleteSubscriberCredentials(input: $input) {
      subscriber {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export function Component() {
  const { subscriberId = '' } = useParams()
  const [change, setChange] = useState<Change>()
  const canWrite = useCanWrite()
  const query = useQuery({ query: credentialsQuery, variables: { subscriberId } })
  const [setCredentials] = useAct(setCredentialsMutation)
  const [deleteCredentials] = useAct(deleteCredentialsMutation)

  const add = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setChange({ kind: 'add' })}>
      Add credentials
    </Button>
  )
  return (
    <Answer query={query}>
      {({ subscriber, providers }) => {
        const takers = providers.filter(({ destinations }) =>
          destinations.some((kind) => kind === 'DEVICE' || kind === 'WEBHOOK'),
        )
        const nameOf = (id: string) => providers.find(({ providerId }) => providerId === id)?.name ?? id
        const channels = subscriber?.channels
        return (
          <Stack>
            <Group justify="space-between">
              <Text c="dimmed" maw={640}>
                Device tokens for push providers and webhook URLs for chat providers. They are for all integrations of
                the provider, or for one.
              </Text>
              {channels?.length !== 0 && add}
            </Group>
            {channels?.length === 0 && (
              <Empty title="No credentials yet" action={add}>
                Without a device token or a webhook URL, this subscriber receives no push messages. Chat messages can
                also go to channel endpoints.
              </Empty>
            )}
            {channels?.map((credential) => {
              const { providerId, integrationIdentifier, deviceTokens, webhookUrl } = credential
              const name = nameOf(providerId)
              return (
                <CredentialCard
                  key={`${providerId} ${integrationIdentifier ?? ''}`}
                  credential={credential}
                  providerName={name}
                  onAppend={() => setChange({ kind: 'append', credential })}
                  onReplace={() => setChange({ kind: 'replace', credential })}
                  onRemoveToken={async (token) => {
                    const outcome = await setCredentials({
                      subscriberId,
                      providerId,
                      integrationIdentifier,
                      credentials: {
                        deviceTokens: deviceTokens.filter((other) => other !== token),
                        webhookUrl,
                      },
                    })
                    if (outcome.ok) showDone('Device token removed.')
                    else showProblems(outcome.problems)
                  }}
                  onDelete={() =>
                    confirmDelete({
                      what: `the credentials for ${name}`,
                      consequence: `All device tokens and the webhook URL for ${integrationIdentifier === null ? 'all its integrations' : `the integration ${integrationIdentifier}`} are deleted. Nothing more is sent to them. This cannot be undone.`,
                      onConfirm: async () => {
                        const outcome = await deleteCredentials({
                          subscriberId,
                          providerId,
                          integrationIdentifier,
                        })
                        if (outcome.ok) showDone(`Credentials for ${name} deleted.`)
                        else showProblems(outcome.problems)
                      },
                    })
                  }
                />
              )
            })}
            {change && (
              <CredentialDialog
                subscriberId={subscriberId}
                change={change}
                providers={takers}
                onClose={() => setChange(undefined)}
              />
            )}
          </Stack>
        )
      }}
    </Answer>
  )
}
