// The dialog that edits an environment.
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'
import { showDone } from '../../parts/messages.ts'
import { renameEnvironment } from '../../session/session.ts'
import { EnvironmentForm } from './environment-form.tsx'
import { environmentLabels, type EnvironmentValues } from './environment-values.ts'

const updateEnvironmentMutation = graphql(`
  mutation UpdateEnvironment($input: UpdateEnvironmentInput!) {
    updateEnvironment(input: $input) {
      environment {
        id
        name
        color
        retentionDays
        feedRetentionDays
        sending
        redirectTo
        allowedDestinations
        allowsUnsignedSessions
        updatedAt
        version
        parent {
          id
          name
          color
        }
      }
      userErrors {
        message
        field
      }
    }
  }
`)

/** The part of an environment that the form starts with. */
interface Environment {
  readonly id: string
  readonly type: EnvironmentValues['type']
  readonly name: string
  readonly color: string
  readonly parent: { readonly id: string } | null
  readonly retentionDays: number | null
  readonly feedRetentionDays: number | null
  readonly sending: EnvironmentValues['sending']
  readonly redirectTo: string | null
  readonly allowedDestinations: readonly string[]
  readonly allowsUnsignedSessions: boolean
  readonly version: number
}

const daysOf = (value: number | '') => (value === '' ? null : value)

const valuesOf = ({
  parent,
  retentionDays,
  feedRetentionDays,
  redirectTo,
  ...own
}: Environment): EnvironmentValues => ({
  type: own.type,
  name: own.name,
  color: own.color,
  sending: own.sending,
  redirectTo: redirectTo ?? '',
  allowedDestinations: own.allowedDestinations,
  allowsUnsignedSessions: own.allowsUnsignedSessions,
  confirmUnsignedSessions: false,
  parentId: parent?.id ?? null,
  retentionDays: retentionDays ?? '',
  feedRetentionDays: feedRetentionDays ?? '',
})

interface EditEnvironmentProps {
  readonly environment: Environment
  /** Reads the present environment. */
  readonly read: () => Promise<Environment | null>
  readonly onClose: () => void
}

export function EditEnvironment({ environment, read, onClose }: EditEnvironmentProps) {
  const [updateEnvironment] = useAct(updateEnvironmentMutation)
  return (
    <EditDialog
      title="Edit environment"
      what={`environment ${environment.name}`}
      stored={environment}
      valuesOf={valuesOf}
      labels={environmentLabels}
      read={read}
      save={async ({ name, color, parentId, retentionDays, feedRetentionDays, ...rules }, { version }) => {
        const outcome = await updateEnvironment({
          ...{ id: environment.id, name, color, parentId, expectedVersion: version },
          retentionDays: daysOf(retentionDays),
          feedRetentionDays: daysOf(feedRetentionDays),
          sending: rules.sending,
          redirectTo: rules.redirectTo === '' ? null : rules.redirectTo,
          allowedDestinations: [...rules.allowedDestinations],
          allowsUnsignedSessions: rules.allowsUnsignedSessions,
          confirmUnsignedSessions: rules.confirmUnsignedSessions,
        })
        if (!outcome.ok) return outcome.problems
        showDone('Environment saved.')
        // The header shows the name and color stored in the tab.
        renameEnvironment(environment.id, name.trim(), color)
        return []
      }}
      onClose={onClose}
    >
      {(form) => <EnvironmentForm {...form} id={environment.id} />}
    </EditDialog>
  )
}
