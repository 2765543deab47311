// The dialog that creates a category.
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { CategoryForm } from './category-form.tsx'
import { categoryInput, newCategory } from './category-values.ts'

const createCategoryMutation = graphql(`
  mutation CreateCategory($input: CreateCategoryInput!) {
    createCategory(input: $input) {
      category {
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

export function CreateCategory({ onClose }: { readonly onClose: () => void }) {
  const [createCategory, pending] = useAct(createCategoryMutation)
  const navigate = useNavigate()
  return (
    <FormDialog onClose={onClose} title="Create category">
      <CategoryForm
        initial={newCategory}
        submitLabel="Create"
        pending={pending}
        onSubmit={async (values) => {
          const outcome = await createCategory({ key: values.key, ...categoryInput(values) })
          if (!outcome.ok) return outcome.problems
          showDone(`Category ${values.name} created.`)
          await navigate(paths.category(values.key))
          return []
        }}
      />
    </FormDialog>
  )
}
