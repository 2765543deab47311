// A filter by workflow, kept in the address.
import { Select } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql } from '../graph/graphql.ts'
import { useFilter } from './filter.ts'

const workflowChoicesQuery = graphql(`
  query WorkflowChoices {
    workflows(first: 100) {
      nodes {
        id
        identifier
        name
      }
    }
  }
`)

/** Offers the newest 100 workflows. A link can name any other, also a deleted one. */
export function WorkflowFilter() {
  const [value, set] = useFilter('workflow')
  const [{ data }] = useQuery({ query: workflowChoicesQuery })
  const names = new Map(data?.workflows.nodes.map(({ identifier, name }) => [identifier, name]))
  if (value !== '' && !names.has(value)) names.set(value, value)
  return (
    <Select
      label="Workflow"
      placeholder="Any"
      size="xs"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear: Workflow' }}
      nothingFoundMessage="No workflow matches"
      data={[...names].map(([identifier, name]) => ({ value: identifier, label: name }))}
      value={value === '' ? null : value}
      onChange={set}
    />
  )
}
