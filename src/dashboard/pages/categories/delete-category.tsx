// Deletes a category, unless it is the category of a workflow.
import { Anchor, Modal, Text } from '@mantine/core'
import { Link } from 'react-router'
import { graphql } from '../../graph/graphql.ts'
import { useDeletion } from '../../parts/action/deletion.ts'
import { paths } from '../../parts/paths.ts'
import { workflowsInWords } from './workflow-count.tsx'

const deleteCategoryMutation = graphql(`
  mutation DeleteCategory($input: DeleteCategoryInput!) {
    deleteCategory(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

interface Deletable {
  readonly key: string
  readonly name: string
  readonly workflows: { readonly totalCount: number; readonly totalCountCapped: boolean }
}

/** Returns a function that asks for confirmation, and then deletes a category that no workflow has. */
export function useCategoryDeletion(): (key: string) => void {
  const deleteCategory = useDeletion(deleteCategoryMutation)
  return (key) =>
    deleteCategory(
      { key },
      {
        what: `category ${key}`,
        consequence:
          'No workflow has it. The choices that subscribers made for it are deleted too. Their consent history stays. This cannot be undone.',
        list: paths.categories,
      },
    )
}

interface ObstacleProps {
  readonly category: Deletable
  readonly onClose: () => void
}

/** Says which workflows are in the way of the deletion. */
export function DeletionObstacle({ category: { key, name, workflows }, onClose }: ObstacleProps) {
  const them = workflows.totalCount === 1 ? 'it' : 'them'
  return (
    <Modal opened onClose={onClose} title={`Category ${key} cannot be deleted yet`}>
      <Text size="sm">
        {name} is the category of{' '}
        <Anchor inherit underline="always" component={Link} to={paths.workflowsOfCategory(key)}>
          {workflowsInWords(workflows)}
        </Anchor>
        . Give {them} another category or none first. Otherwise, subscribers who turned {name} off would receive {them}{' '}
        again.
      </Text>
    </Modal>
  )
}
