// The filter by several workflows, kept in the address. Finds workflows while someone types.
import { MultiSelect } from '@mantine/core'
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

/** The maximum number of values of a condition in the graph. */
const MAX_CHOSEN = 50

/** Returns the identifiers of the chosen workflows. Null if there are none. A link can name any, even a deleted one. */
export function useChosenWorkflows(): string[] | null {
  const [value] = useFilter('workflow')
  return value === '' ? null : [...new Set(value.split(','))].slice(0, MAX_CHOSEN)
}

export function WorkflowFilter() {
  const chosen = useChosenWorkflows() ?? []
  const [, set] = useFilter('workflow')
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), PAUSE)
  /** The names of the workflows that were found until now. */
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  // A link names one workflow, and the list need not have it.
  const [linked = ''] = chosen
  const [{ data, fetching }] = useQuery({
    query: workflowChoicesQuery,
    variables: { filter: search === '' ? {} : { search }, chosen: linked, isChosen: linked !== '' },
  })
  const found = new Map(data?.workflows.nodes.map(({ identifier, name }) => [identifier, name]))
  const known = [...found, ...(data?.workflow ? [[data.workflow.identifier, data.workflow.name] as const] : [])]
  if (known.some(([identifier, name]) => names.get(identifier) !== name)) setNames(new Map([...names, ...known]))
  return (
    <MultiSelect
      label="Workflow"
      placeholder={chosen.length === 0 ? 'Any' : ''}
      size="xs"
      searchable
      clearable
      clearButtonProps={clearButton('Clear: Workflow')}
      hidePickedOptions
      maxValues={MAX_CHOSEN}
      // One value and the cursor fit in one line.
      styles={{ inputField: { minWidth: 24 } }}
      nothingFoundMessage={fetching ? 'Searching…' : 'No workflow matches'}
      onSearchChange={setText}
      // The gateway has already filtered the options.
      filter={({ options }) => options.filter((option) => 'value' in option && found.has(option.value))}
      data={[...new Set([...found.keys(), ...chosen])].map((identifier) => ({
        value: identifier,
        label: names.get(identifier) ?? identifier,
      }))}
      value={chosen}
      onChange={(next) => set(next.join(','))}
    />
  )
}
