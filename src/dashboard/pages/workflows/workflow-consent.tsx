// The category of a workflow, and what the unsubscribe links of its emails turn off.
import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../parts/paths.ts'
import type { Unsubscribe, Workflow } from './draft/workflow-values.ts'

const links = {
  ALL: 'unsubscribe links turn off everything',
  CATEGORY: 'unsubscribe links turn off the category',
  WORKFLOW: 'unsubscribe links turn off the workflow',
  OFF: 'no unsubscribe links',
} as const satisfies Record<Unsubscribe, string>

interface WorkflowConsentProps {
  readonly workflow: Pick<Workflow, 'category' | 'unsubscribe' | 'steps'>
}

export function WorkflowConsent({ workflow: { category, unsubscribe, steps } }: WorkflowConsentProps) {
  // Only emails have links.
  const note = steps.some(({ type }) => type === 'EMAIL') ? links[unsubscribe] : null
  if (category === null && note === null) return null
  return (
    <Text size="sm" className="wrap-anywhere">
      {category !== null && (
        <>
          Category{' '}
          <Anchor inherit underline="always" component={Link} to={paths.category(category.key)}>
            {category.name}
          </Anchor>
        </>
      )}
      {category !== null && note !== null && ' · '}
      {note !== null && (category === null ? note.charAt(0).toUpperCase() + note.slice(1) : note)}
    </Text>
  )
}
