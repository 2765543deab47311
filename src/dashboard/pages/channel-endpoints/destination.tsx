// The destination of a channel endpoint, and the dialog that changes it.
import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { Copyable } from '../../parts/copyable.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { showDone } from '../../parts/messages.ts'
import { SecretText } from './secret-text.tsx'
import { ChannelEndpointForm } from './channel-endpoint-form.tsx'
import type { ChannelEndpointValues } from './channel-endpoint-values.ts'
import { type EndpointField, endpointTypes, type EndpointType } from './endpoint-types.ts'
import { endpointFields, type EndpointValues, noValues, valuesOf } from './endpoint-values.ts'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'

// A separate query, so that the rest of the page still shows if the secrets cannot be decrypted.
const destinationQuery = graphql(
  `
    query Destination($identifier: String!) {
      channelEndpoint(identifier: $identifier) {
        id
        version
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
          version
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
  return kind === 'secret' ? <SecretText value={value} label={label} /> : <Copyable value={value} label={label} />
}

type Stored = NonNullable<ResultOf<typeof destinationQuery>['channelEndpoint']>

/** Only the end of a secret, by which two of them can be told apart. */
const endOf = (secret: string) => (secret === '' ? '' : `…${secret.slice(-4)}`)

const withoutSecrets = (values: ChannelEndpointValues, secrets: ReadonlySet<string>): ChannelEndpointValues => ({
  ...values,
  ...Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      secrets.has(name) && typeof value === 'string' ? [[name, endOf(value)]] : [],
    ),
  ),
  headers: values.headers.map(({ name, value }) => ({ name, value: endOf(value) })),
})

interface DestinationProps {
  readonly identifier: string
  readonly type: EndpointType
  readonly editing: boolean
  readonly onClose: () => void
}

export function Destination({ identifier, type, editing, onClose }: DestinationProps) {
  const query = useQuery({ query: destinationQuery, variables: { identifier } })
  const [{ data }] = query
  const [updateChannelEndpoint] = useAct(updateChannelEndpointMutation, readsBack)
  const readAgain = useReadAgain(destinationQuery, { identifier })
  const stored = data?.channelEndpoint ?? null
  const destinationOf = ({ endpoint }: Stored) => (endpoint === null ? noValues : valuesOf(endpoint))
  const values = stored === null ? noValues : destinationOf(stored)
  const { label, fields, toInput } = endpointTypes[type]
  // Only the destination can be changed. The other values complete the form.
  const rest = { subscriberId: '', integrationIdentifier: '', identifier, connectionIdentifier: '', contexts: [] }
  const formValues = (one: Stored): ChannelEndpointValues => ({ ...destinationOf(one), ...rest, type })
  const secrets = new Set<string>(fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name))
  return (
    <>
      <Title order={2} size="h4">
        {label}
      </Title>
      <Answer query={query}>
        {() => <Facts facts={Object.fromEntries(fields.map((field) => [field.label, valueOf(field, values)]))} />}
      </Answer>
      {editing && stored && (
        <EditDialog
          title="Edit destination"
          what={`channel endpoint ${identifier}`}
          stored={stored}
          valuesOf={formValues}
          labels={Object.fromEntries(fields.map((field) => [field.name, field.label]))}
          shown={(all) => withoutSecrets(all, secrets)}
          read={async () => (await readAgain())?.channelEndpoint}
          save={async (next, { version }) => {
            const outcome = await updateChannelEndpoint({
              identifier,
              endpoint: toInput(next),
              expectedVersion: version,
            })
            if (!outcome.ok) return outcome.problems
            showDone('Channel endpoint saved.')
            return []
          }}
          onClose={onClose}
        >
          {(form) => <ChannelEndpointForm {...form} exists />}
        </EditDialog>
      )}
    </>
  )
}
