// The dialog that edits an integration.
import { Modal } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { useProviders } from '../../parts/providers.ts'
import { IntegrationForm } from './integration-form.tsx'
import {
  conditionsOf,
  credentialChangesOf,
  hiddenIn,
  type Integration,
  settingsOf,
  valuesOf,
} from './integration-values.ts'
import { updateIntegrationMutation } from './update-integration.ts'

interface EditIntegrationProps {
  readonly integration: Integration
  readonly onClose: () => void
}

export function EditIntegration({ integration, onClose }: EditIntegrationProps) {
  const providers = useProviders()
  const [updateIntegration, pending] = useAct(updateIntegrationMutation)
  const navigate = useNavigate()
  const hidden = hiddenIn(integration)
  return (
    <Modal opened onClose={onClose} title="Edit integration">
      <IntegrationForm
        initial={valuesOf(integration)}
        providers={providers}
        hidden={hidden}
        submitLabel="Save"
        pending={pending}
        onSubmit={async (values) => {
          const provider = providers.find(({ providerId }) => providerId === integration.providerId)
          const changes = credentialChangesOf(settingsOf(provider, hidden), integration, values)
          const outcome = await updateIntegration({
            id: integration.id,
            name: values.name,
            identifier: values.identifier,
            conditions: conditionsOf(values.conditions),
            ...(Object.keys(changes).length > 0 && { credentialChanges: changes }),
          })
          if (!outcome.ok) return outcome.problems
          showDone('Integration saved.')
          onClose()
          await navigate(paths.integration(values.identifier), { replace: true })
          return []
        }}
      />
    </Modal>
  )
}
