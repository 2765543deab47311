// The dialog that creates an integration.
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { parseOptionalJson } from '../../parts/form/json-object.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { useProviders } from '../../parts/providers.ts'
import { IntegrationForm } from './integration-form.tsx'
import { credentialsOf, hasFallbacks, noValues, settingsOf } from './integration-values.ts'
import { rateLimitOf } from './rate-limit.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

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
    <FormDialog onClose={onClose} title="Create integration">
      <IntegrationForm
        initial={noValues}
        providers={providers}
        submitLabel="Create"
        pending={pending}
        onSubmit={async (values) => {
          const { providerId, name, identifier, active, primary, isFallback, conditions, rateLimit } = values
          if (providerId === null) return []
          const provider = providers.find((definition) => definition.providerId === providerId)
          const outcome = await createIntegration({
            providerId,
            name: orNull(name),
            identifier: orNull(identifier),
            active,
            primary,
            isFallback: isFallback && provider !== undefined && hasFallbacks(provider),
            conditions: parseOptionalJson(conditions),
            rateLimit: rateLimitOf(rateLimit),
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
    </FormDialog>
  )
}
