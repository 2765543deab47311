// The dialog that creates a channel endpoint.
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { contextInputs } from '../../parts/form/context-keys-input.tsx'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { ChannelEndpointForm } from './channel-endpoint-form.tsx'
import { endpointTypes } from './endpoint-types.ts'
import { noValues } from './endpoint-values.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createChannelEndpointMutation = graphql(`
  mutation CreateChannelEndpoint($input: CreateChannelEndpointInput!) {
    createChannelEndpoint(input: $input) {
      channelEndpoint {
        id
        identifier
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface CreateChannelEndpointProps {
  /** The initial values of the form. */
  readonly subscriberId?: string
  readonly integrationIdentifier?: string
  readonly onClose: () => void
}

const orNull = (text: string) => (text === '' ? null : text)

export function CreateChannelEndpoint(props: CreateChannelEndpointProps) {
  const { subscriberId = null, integrationIdentifier = '', onClose } = props
  const [createChannelEndpoint, pending] = useAct(createChannelEndpointMutation)
  const navigate = useNavigate()
  const blank = { ...noValues, type: null, identifier: '', connectionIdentifier: '', contexts: [] }
  return (
    <FormDialog onClose={onClose} title="Create channel endpoint">
      <ChannelEndpointForm
        initial={{ ...blank, subscriberId, integrationIdentifier }}
        submitLabel="Create"
        pending={pending}
        onSubmit={async (values) => {
          const { type } = values
          if (values.subscriberId === null || type === null) return []
          const outcome = await createChannelEndpoint({
            subscriberId: values.subscriberId,
            integrationIdentifier: values.integrationIdentifier,
            identifier: orNull(values.identifier),
            connectionIdentifier: orNull(values.connectionIdentifier),
            contexts: contextInputs(values.contexts),
            endpoint: endpointTypes[type].toInput(values),
          })
          if (!outcome.ok) return outcome.problems
          showDone('Channel endpoint created.')
          const { channelEndpoint } = outcome.payload
          if (channelEndpoint !== null) await navigate(paths.channelEndpoint(channelEndpoint.identifier))
          return []
        }}
      />
    </FormDialog>
  )
}
