// The list of categories, in the order in which preference pages show them.
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { allCategories, categoriesQuery } from './category-order.ts'
import { CategoryTable } from './category-table.tsx'
import { CreateCategory } from './create-category.tsx'

export function Component() {
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: categoriesQuery, variables: allCategories })
  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create category
    </Button>
  )
  return (
    <Page
      title="Categories"
      description="Groups of workflows that subscribers turn on and off together, in the order of the preference page."
      actions={create}
    >
      <Answer query={query}>
        {({ categories }) =>
          categories.nodes.length === 0 ? (
            <Empty title="No categories yet" action={create}>
              Create a category, such as “Product updates”, and choose it in the settings of workflows. Subscribers can
              then turn it off and keep everything else.
            </Empty>
          ) : (
            <CategoryTable stored={categories.nodes} />
          )
        }
      </Answer>
      {creating && <CreateCategory onClose={close} />}
    </Page>
  )
}
