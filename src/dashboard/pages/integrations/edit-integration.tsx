// The dialog that edits an integration.
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useClient } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { isStale, type Problem } from '../../graph/problem.ts'
import { differencesOf, EditConflict } from '../../parts/form/edit-conflict.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { useProviders } from '../../parts/providers.ts'
import { IntegrationForm } from './integration-form.tsx'
import {
  conditionsOf,
  credentialChangesOf,
  hiddenIn,
  integrationFields,
  type Integration,
  type IntegrationValues,
  settingsOf,
  valuesOf,
} from './integration-values.ts'
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

/** The fields of the form, for a comparison. Stored secrets are not known to it. */
const labels = { name: 'Name', identifier: 'Identifier', conditions: 'Conditions', settings: 'Settings' } as const

interface Conflict {
  readonly theirs: Integration
  readonly mine: IntegrationValues
}

interface EditIntegrationProps {
  readonly integration: Integration
  readonly onClose: () => void
}

export function EditIntegration({ integration, onClose }: EditIntegrationProps) {
  const providers = useProviders()
  const client = useClient()
  const [updateIntegration, pending] = useAct(updateIntegrationMutation)
  const navigate = useNavigate()
  /** The version that the changes in the form are based on. A later result of the query does not replace it. */
  const [base, setBase] = useState(integration)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const hidden = hiddenIn(base)

  const save = async (mine: IntegrationValues, stored: Integration): Promise<readonly Problem[]> => {
    const provider = providers.find(({ providerId }) => providerId === stored.providerId)
    const changes = credentialChangesOf(settingsOf(provider, hiddenIn(stored)), stored, mine)
    const outcome = await updateIntegration({
      id: stored.id,
      name: mine.name,
      identifier: mine.identifier,
      conditions: conditionsOf(mine.conditions),
      expectedVersion: stored.version,
      ...(Object.keys(changes).length > 0 && { credentialChanges: changes }),
    })
    if (!outcome.ok) {
      if (!isStale(outcome.problems)) return outcome.problems
      const { data } = await client.query(presentQuery, { id: stored.id }, { requestPolicy: 'network-only' })
      if (!data?.node || !('identifier' in data.node)) return outcome.problems
      setConflict({ theirs: data.node, mine })
      return []
    }
    showDone('Integration saved.')
    onClose()
    await navigate(paths.integration(mine.identifier), { replace: true })
    return []
  }
  const overwrite = async ({ theirs, mine }: Conflict) => {
    setConflict(null)
    const problems = await save(mine, theirs)
    if (problems.length > 0) showProblems(problems)
  }
  return (
    <Modal opened onClose={onClose} title="Edit integration">
      <IntegrationForm
        key={base.version}
        initial={valuesOf(base)}
        providers={providers}
        hidden={hidden}
        submitLabel="Save"
        pending={pending}
        onSubmit={(mine) => save(mine, base)}
      />
      {conflict && (
        <EditConflict
          what={`integration ${conflict.theirs.identifier}`}
          differences={differencesOf(labels, valuesOf(conflict.theirs), conflict.mine)}
          pending={pending}
          onLoad={() => {
            setBase(conflict.theirs)
            setConflict(null)
          }}
          onOverwrite={() => void overwrite(conflict)}
          onClose={() => setConflict(null)}
        />
      )}
    </Modal>
  )
}
