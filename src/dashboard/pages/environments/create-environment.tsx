// The dialog that creates an environment, and then shows its first API key.
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { paths } from '../../parts/paths.ts'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { COPY_KEY } from './copy-key.ts'
import { EnvironmentForm } from './environment-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createEnvironmentMutation = graphql(`
  mutation CreateEnvironment($input: CreateEnvironmentInput!) {
    createEnvironment(input: $input) {
      environment {
        id
        name
      }
      newApiKey {
        key
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface Created {
  readonly id: string
  readonly name: string
  readonly key: string
}

export function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const [createEnvironment, pending] = useAct(createEnvironmentMutation)
  const [created, setCreated] = useState<Created>()
  const navigate = useNavigate()

  if (created !== undefined) {
    const { id, name, key } = created
    return (
      <ShownOnce
        title={`Environment ${name} created`}
        label="API key"
        copyLabel="Copy key"
        value={key}
        warning={COPY_KEY}
        onDone={() => void navigate(paths.environment(id))}
      />
    )
  }
  return (
    <FormDialog onClose={onClose} title="Create environment">
      <EnvironmentForm
        initial={{
          type: 'PROD',
          name: '',
          color: '#7c3aed',
          parentId: null,
          retentionDays: '',
          feedRetentionDays: '',
          sending: 'LIVE',
          redirectTo: '',
          allowedDestinations: [],
          allowsUnsignedSessions: false,
          confirmUnsignedSessions: false,
        }}
        submitLabel="Create"
        pending={pending}
        onSubmit={async ({ type, name, color, parentId, sending, redirectTo, allowedDestinations }) => {
          const outcome = await createEnvironment({
            ...{ type, name, color, parentId, sending },
            redirectTo: redirectTo === '' ? null : redirectTo,
            allowedDestinations: [...allowedDestinations],
          })
          if (!outcome.ok) return outcome.problems
          const { environment, newApiKey } = outcome.payload
          if (environment === null || newApiKey === null) return [{ message: 'The gateway returned no environment.' }]
          setCreated({ ...environment, key: newApiKey.key })
          return []
        }}
      />
    </FormDialog>
  )
}
