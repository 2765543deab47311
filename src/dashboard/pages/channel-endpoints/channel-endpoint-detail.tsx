// One channel endpoint: its subscriber, destination and integration.
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { channelLabels } from '../../parts/channel-labels.ts'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { useDeletion } from '../../parts/action/deletion.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OptionalLink } from './optional-link.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useProviders } from '../../parts/providers.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { Destination } from './destination.tsx'
import { endpointTypes } from './endpoint-types.ts'

const channelEndpointQuery = graphql(`
  query ChannelEndpoint($identifier: String!) {
    channelEndpoint(identifier: $identifier) {
      id
      identifier
      type
      channel
      providerId
      subscriberId
      integrationIdentifier
      connectionIdentifier
      contextKeys
      createdAt
      updatedAt
    }
  }
`)

const deleteChannelEndpointMutation = graphql(`
  mutation DeleteChannelEndpoint($input: DeleteChannelEndpointInput!) {
    deleteChannelEndpoint(input: $input) {
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
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const providers = useProviders()
  const query = useQuery({ query: channelEndpointQuery, variables: { identifier } })
  const [{ data }] = query
  const deleteChannelEndpoint = useDeletion(deleteChannelEndpointMutation)

  const askToDelete = () =>
    deleteChannelEndpoint(
      { identifier },
      {
        what: `channel endpoint ${identifier}`,
        consequence: 'Messages no longer go to this destination. Past messages stay. This cannot be undone.',
        list: paths.channelEndpoints,
      },
    )

  const actions = canWrite && data?.channelEndpoint && <EditAndDelete onEdit={open} onDelete={askToDelete} />
  const parent = { label: 'Channel endpoints', to: paths.channelEndpoints }
  return (
    <Page title={identifier} parent={parent} actions={actions}>
      <Answer query={query}>
        {({ channelEndpoint: endpoint }) =>
          endpoint === null ? (
            <Missing
              what={`channel endpoint with the identifier ${identifier}`}
              list={{ label: 'All channel endpoints', to: paths.channelEndpoints }}
            />
          ) : (
            <>
              <Facts
                facts={{
                  Identifier: <Copyable value={endpoint.identifier} label="identifier" />,
                  Type: endpointTypes[endpoint.type].label,
                  Subscriber: <OptionalLink to={endpoint.subscriberId} path={paths.subscriber} />,
                  Integration: <OptionalLink to={endpoint.integrationIdentifier} path={paths.integration} />,
                  Channel: endpoint.channel && channelLabels[endpoint.channel],
                  Provider:
                    providers.find(({ providerId }) => providerId === endpoint.providerId)?.name ?? endpoint.providerId,
                  Connection: endpoint.connectionIdentifier,
                  Contexts: <ContextLinks keys={endpoint.contextKeys} />,
                  Created: <Moment at={endpoint.createdAt} />,
                  Updated: <Moment at={endpoint.updatedAt} />,
                }}
              />
              <Destination identifier={identifier} type={endpoint.type} editing={editing} onClose={close} />
            </>
          )
        }
      </Answer>
    </Page>
  )
}
