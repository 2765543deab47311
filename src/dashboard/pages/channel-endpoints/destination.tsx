// The destination of a channel endpoint, and the dialog that changes it.
import { Group, Modal, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { showDone } from '../../parts/messages.ts'
import { SecretText } from './secret-text.tsx'
import { ChannelEndpointForm } from './channel-endpoint-form.tsx'
import { type EndpointField, endpointTypes, type EndpointType } from './endpoint-types.ts'
import { endpointFields, type EndpointValues, noValues, valuesOf } from './endpoint-values.ts'

// A separate query, so that the rest of the page still shows if the secrets cannot be decrypted.
const destinationQuery = graphql(
  `
    query Destination($identifier: String!) {
      channelEndpoint(identifier: $identifier) {
        id
        ...EndpointFields
      }
    }
  `,
  [endpointFields],
)

const updateChannelEndpointMutation = graphql(
  `
    mutation UpdateChannelEndpoint($input: UpdateChannelEndpointInput!) {
      updateChannelEndpoint(input: $input) {
        channelEndpoint {
          id
          updatedAt
          ...EndpointFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [endpointFields],
)

function valueOf({ name, kind, label, options = [] }: EndpointField, values: EndpointValues): ReactNode {
  const value = values[name]
  if (typeof value !== 'string') {
    return value.length === 0 ? null : (
      <Stack gap={4}>
        {value.map((header) => (
          <Group key={header.name} gap="xs">
            <Text inherit>{header.name}:</Text>
            <SecretText value={header.value} label={header.name} />
          </Group>
        ))}
      </Stack>
    )
  }
  if (kind === 'choice') return options.find((option) => option.value === value)?.label ?? value
  if (value === '') return null
  return kind === 'secret' ? <SecretText value={value} label={label} /> : value
}

interface DestinationProps {
  readonly identifier: string
  readonly type: EndpointType
  readonly editing: boolean
  readonly onClose: () => void
}

export function Destination({ identifier, type, editing, onClose }: DestinationProps) {
  const query = useQuery({ query: destinationQuery, variables: { identifier } })
  const [{ data }] = query
  const [updateChannelEndpoint, updating] = useAct(updateChannelEndpointMutation)
  const endpoint = data?.channelEndpoint?.endpoint ?? null
  const values = endpoint === null ? noValues : valuesOf(endpoint)
  const { label, fields, toInput } = endpointTypes[type]
  // Only the destination can be changed. The other values complete the form.
  const rest = { subscriberId: '', integrationIdentifier: '', identifier, connectionIdentifier: '', contexts: [] }
  return (
    <>
      <Title order={2} size="h4">
        {label}
      </Title>
      <Answer query={query}>
        {() => <Facts facts={Object.fromEntries(fields.map((field) => [field.label, valueOf(field, values)]))} />}
      </Answer>
      {editing && (
        <Modal opened onClose={onClose} title="Edit destination">
          <ChannelEndpointForm
            initial={{ ...values, ...rest, type }}
            exists
            submitLabel="Save"
            pending={updating}
            onSubmit={async (next) => {
              const outcome = await updateChannelEndpoint({ identifier, endpoint: toInput(next) })
              if (!outcome.ok) return outcome.problems
              showDone('Channel endpoint saved.')
              onClose()
              return []
            }}
          />
        </Modal>
      )}
    </>
  )
}
