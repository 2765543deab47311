// The dialog that edits an integration.
import { useNavigate } from 'react-router'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'
import { parseOptionalJson } from '../../parts/form/json-object.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { useProviders } from '../../parts/providers.ts'
import { IntegrationForm } from './integration-form.tsx'
import {
  credentialChangesOf,
  hiddenIn,
  integrationFields,
  type Integration,
  type IntegrationValues,
  settingsOf,
  shownValues,
  valuesOf,
} from './integration-values.ts'
import { rateLimitOf } from './rate-limit.ts'
import { updateIntegrationMutation } from './update-integration.ts'

const presentQuery = graphql(
  `
    query PresentIntegration($id: ID!) {
      node(id: $id) {
        ... on Integration {
          ...IntegrationFields
        }
      }
    }
  `,
  [integrationFields],
)

/** The fields of the form, for a comparison. */
const labels = {
  name: 'Name',
  identifier: 'Identifier',
  conditions: 'Conditions',
  rateLimit: 'Rate limit',
  settings: 'Settings',
} as const

interface EditIntegrationProps {
  readonly integration: Integration
  readonly onClose: () => void
}

export function EditIntegration({ integration, onClose }: EditIntegrationProps) {
  const providers = useProviders()
  const readAgain = useReadAgain(presentQuery, { id: integration.id })
  const [updateIntegration] = useAct(updateIntegrationMutation, readsBack)
  const navigate = useNavigate()
  const providerOf = (providerId: string | null) => providers.find((one) => one.providerId === providerId)

  const save = async (mine: IntegrationValues, stored: Integration): Promise<readonly Problem[]> => {
    const settings = settingsOf(providerOf(stored.providerId), hiddenIn(stored))
    const changes = credentialChangesOf(settings, stored, mine)
    const outcome = await updateIntegration({
      id: stored.id,
      name: mine.name,
      identifier: mine.identifier,
      conditions: parseOptionalJson(mine.conditions),
      rateLimit: rateLimitOf(mine.rateLimit),
      expectedVersion: stored.version,
      ...(Object.keys(changes).length > 0 && { credentialChanges: changes }),
    })
    if (!outcome.ok) return outcome.problems
    showDone('Integration saved.')
    await navigate(paths.integration(mine.identifier), { replace: true })
    return []
  }
  const read = async () => {
    const node = (await readAgain())?.node
    return node && 'identifier' in node ? node : null
  }
  return (
    <EditDialog
      title="Edit integration"
      what={`integration ${integration.identifier}`}
      stored={integration}
      shown={(values) => shownValues(providerOf(values.providerId), values)}
      {...{ valuesOf, labels, save, read, onClose }}
    >
      {(form, stored) => <IntegrationForm {...form} providers={providers} hidden={hiddenIn(stored)} />}
    </EditDialog>
  )
}
