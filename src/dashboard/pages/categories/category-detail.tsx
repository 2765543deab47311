// One category: its properties, and what its deletion means for workflows.
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'
import { showDone } from '../../parts/messages.ts'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { CategoryForm } from './category-form.tsx'
import { categoryFields, categoryInput, categoryValues, defaultsInWords } from './category-values.ts'
import { DeletionObstacle, useCategoryDeletion } from './delete-category.tsx'
import { WorkflowCount } from './workflow-count.tsx'

const categoryQuery = graphql(
  `
    query Category($key: String!) {
      category(key: $key) {
        ...CategoryFields
        workflows(first: 0) {
          totalCount
          totalCountCapped
        }
      }
    }
  `,
  [categoryFields],
)

const updateCategoryMutation = graphql(
  `
    mutation UpdateCategory($input: UpdateCategoryInput!) {
      updateCategory(input: $input) {
        category {
          ...CategoryFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [categoryFields],
)

const labels = {
  name: 'Name',
  description: 'Description',
  isHidden: 'Hidden',
  channels: 'Channel defaults',
}

export function Component() {
  const { key = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: categoryQuery, variables: { key } })
  const [{ data }] = query
  const readAgain = useReadAgain(categoryQuery, { key })
  const [updateCategory] = useAct(updateCategoryMutation, readsBack)
  const [isObstructed, obstacle] = useDisclosure(false)
  const deleteCategory = useCategoryDeletion()
  const found = data?.category
  const askToDelete = () => {
    if (found && found.workflows.totalCount > 0) obstacle.open()
    else deleteCategory(key)
  }
  return (
    <Page
      title={found?.name ?? key}
      parent={{ label: 'Categories', to: paths.categories }}
      actions={canWrite && found && <EditAndDelete onEdit={open} onDelete={askToDelete} />}
    >
      <Answer query={query}>
        {({ category }) =>
          category === null ? (
            <Missing what={`category with the key ${key}`} list={{ label: 'All categories', to: paths.categories }} />
          ) : (
            <>
              <Facts
                facts={{
                  Key: <Copyable value={category.key} label="key" />,
                  Name: category.name,
                  Description: category.description,
                  'Shown to subscribers': category.isHidden ? 'No: hidden' : 'Yes',
                  'Channel defaults':
                    defaultsInWords(categoryValues(category).channels) || 'None: those of the workflows apply',
                  Workflows: <WorkflowCount category={category} />,
                  Created: <Moment at={category.createdAt} />,
                  Updated: <Moment at={category.updatedAt} />,
                }}
              />
              {isObstructed && <DeletionObstacle category={category} onClose={obstacle.close} />}
              {editing && (
                <EditDialog
                  title="Edit category"
                  what={`category ${key}`}
                  stored={category}
                  valuesOf={categoryValues}
                  labels={labels}
                  shown={(values) => ({ ...values, channels: defaultsInWords(values.channels) })}
                  read={async () => (await readAgain())?.category}
                  save={async (values, { version }) => {
                    const outcome = await updateCategory({ key, ...categoryInput(values), expectedVersion: version })
                    if (!outcome.ok) return outcome.problems
                    showDone('Category saved.')
                    return []
                  }}
                  onClose={close}
                >
                  {(form) => <CategoryForm {...form} keyIsFixed />}
                </EditDialog>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
