// The dialog that creates an integration.
import { Modal } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { useProviders } from '../../parts/providers.ts'
import { IntegrationForm } from './integration-form.tsx'
import { conditionsOf, credentialsOf, noValues, settingsOf } from './integration-values.ts'

const createIntegrationMutation = graphql(`
  mutation CreateIntegration($input: CreateIntegrationInput!) {
    createIntegration(input: $input) {
      integration {
        id
        identifier
        deliverable
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const orNull = (text: string) => (text === '' ? null : text)

export function CreateIntegration({ onClose }: { readonly onClose: () => void }) {
  const providers = useProviders()
  const [createIntegration, pending] = useAct(createIntegrationMutation)
  const navigate = useNavigate()
  return (
    <Modal opened onClose={onClose} title="Create integration">
      <IntegrationForm
        initial={noValues}
        providers={providers}
        submitLabel="Create"
        pending={pending}
        onSubmit={async (values) => {
          const { providerId, name, identifier, active, primary, conditions } = values
          if (providerId === null) return []
          const provider = providers.find((definition) => definition.providerId === providerId)
          const outcome = await createIntegration({
            providerId,
            name: orNull(name),
            identifier: orNull(identifier),
            active,
            primary,
            conditions: conditionsOf(conditions),
            credentials: credentialsOf(settingsOf(provider, []), values),
          })
          if (!outcome.ok) return outcome.problems
          const { integration } = outcome.payload
          const isComplete = integration?.deliverable !== false
          showDone(
            isComplete ? 'Integration created.' : 'Integration created. It is inactive, because it cannot deliver.',
          )
          if (integration !== null) await navigate(paths.integration(integration.identifier))
          return []
        }}
      />
    </Modal>
  )
}
