// The number of workflows of a category, as a link to them.
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'

interface WorkflowCountProps {
  readonly category: {
    readonly key: string
    readonly workflows: { readonly totalCount: number; readonly totalCountCapped: boolean }
  }
}

const number = new Intl.NumberFormat()

/** Returns the number in words, such as `2 workflows`. */
export const workflowsInWords = ({ totalCount, totalCountCapped }: WorkflowCountProps['category']['workflows']) =>
  `${number.format(totalCount)}${totalCountCapped ? ' or more' : ''} workflow${totalCount === 1 ? '' : 's'}`

export function WorkflowCount({ category: { key, workflows } }: WorkflowCountProps) {
  return workflows.totalCount === 0 ? (
    'None'
  ) : (
    <RowLink to={paths.workflowsOfCategory(key)}>{workflowsInWords(workflows)}</RowLink>
  )
}
