// The dialog that creates a context.
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { parseJsonObject } from '../../parts/form/json-object.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { ContextForm } from './context-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createContextMutation = graphql(`
  mutation CreateContext($input: CreateContextInput!) {
    createContext(input: $input) {
      context {
        id
        key
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export function CreateContext({ onClose }: { readonly onClose: () => void }) {
  const [createContext, pending] = useAct(createContextMutation)
  const navigate = useNavigate()
  return (
    <FormDialog onClose={onClose} title="Create context">
      <ContextForm
        initial={{ type: '', identifier: '', data: '{}' }}
        submitLabel="Create"
        pending={pending}
        onSubmit={async ({ type, identifier, data }) => {
          const outcome = await createContext({ type, identifier, data: parseJsonObject(data) })
          if (!outcome.ok) return outcome.problems
          const key = `${type}:${identifier}`
          showDone(`Context ${key} created.`)
          await navigate(paths.context(key))
          return []
        }}
      />
    </FormDialog>
  )
}
