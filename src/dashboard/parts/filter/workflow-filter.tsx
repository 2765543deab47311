// The filter by one workflow, kept in the address. Finds workflows while someone types.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { clearButton } from '../clear-button.ts'
import { useFilter } from './filter.ts'
import { PAUSE } from '../pause.ts'

const workflowChoicesQuery = graphql(`
  query WorkflowChoices($filter: WorkflowFilter, $chosen: String!, $isChosen: Boolean!) {
    workflows(first: 20, filter: $filter) {
      nodes {
        id
        identifier
        name
      }
    }
    workflow(identifier: $chosen) @include(if: $isChosen) {
      id
      identifier
      name
    }
  }
`)

/** A link can name any workflow, even a deleted one. */
export function WorkflowFilter() {
  const [value, set] = useFilter('workflow')
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text.trim(), PAUSE)
  const [name, setName] = useState('')
  // The name of the chosen workflow is not a search, so the list offers all workflows again.
  const search = typed === name ? '' : typed
  const [{ data, fetching }] = useQuery({
    query: workflowChoicesQuery,
    variables: { filter: search === '' ? {} : { search }, chosen: value, isChosen: value !== '' },
  })
  const found = new Map(data?.workflows.nodes.map((each) => [each.identifier, each.name]))
  const chosen = value === '' ? '' : (found.get(value) ?? data?.workflow?.name ?? value)
  if (name !== chosen) setName(chosen)
  const names = new Map([...found, ...(value === '' ? [] : [[value, chosen] as const])])
  return (
    <Select
      label="Workflow"
      placeholder="Any"
      size="xs"
      searchable
      clearable
      clearButtonProps={clearButton('Clear: Workflow')}
      nothingFoundMessage={fetching ? 'Searching…' : 'No workflow matches'}
      onSearchChange={setText}
      // The gateway has already filtered the options.
      filter={({ options }) => options.filter((option) => 'value' in option && found.has(option.value))}
      data={[...names].map(([identifier, label]) => ({ value: identifier, label }))}
      value={value === '' ? null : value}
      onChange={set}
    />
  )
}
