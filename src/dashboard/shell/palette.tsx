// The dialog that finds pages, people, workflows, events, topics and integrations by what someone types: a combobox
// whose list is always open.
import { Group, Kbd, Modal, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { useQuery } from 'urql'
import { problemOf } from '../graph/problem.ts'
import { PAUSE } from '../parts/pause.ts'
import { ProblemAlert } from '../parts/problem-alert.tsx'
import { sendAgain } from '../graph/query.ts'
import { navigation } from './navigation.ts'
import { type Hit, hitOf, searchQuery } from './search-query.ts'

const pageHits: readonly Hit[] = navigation.flatMap(({ group, destinations }) =>
  destinations.map(({ label, path, isOutside = false }) => ({ group: 'Pages', label, note: group, path, isOutside })),
)

/** The pages whose name contains the text. */
const pagesNamed = (text: string) => pageHits.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))

/** Lines with the same group, which are next to each other. */
function groupsOf(hits: readonly Hit[]): (readonly [group: string, hits: readonly (Hit & { index: number })[]])[] {
  const groups = new Map<string, (Hit & { index: number })[]>()
  for (const [index, hit] of hits.entries()) {
    const group = groups.get(hit.group) ?? []
    groups.set(hit.group, [...group, { ...hit, index }])
  }
  return [...groups]
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const listId = useId()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [searched] = useDebouncedValue(text.trim(), PAUSE)
  const query = useQuery({ query: searchQuery, variables: { query: searched }, pause: searched === '' })
  const [{ data, error, fetching }] = query

  const found = searched === '' ? [] : (data?.search.map(hitOf) ?? [])
  const pages = pagesNamed(text.trim())
  const hits = [...pages, ...found]
  const isSearching = text.trim() !== searched || (searched !== '' && fetching)
  const current = Math.min(chosen, hits.length - 1)
  const optionId = (index: number) => `${listId}-${index}`

  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [listId, current])

  const open = ({ path, isOutside = false }: Hit) => {
    onClose()
    if (isOutside) window.location.assign(path)
    else void navigate(path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const hit = hits[current]
    if (event.key === 'ArrowDown') setChosen((current + 1) % Math.max(hits.length, 1))
    else if (event.key === 'ArrowUp') setChosen((current + hits.length - 1) % Math.max(hits.length, 1))
    else if (event.key === 'Enter' && hit !== undefined && current < (isSearching ? pages.length : hits.length))
      open(hit)
    else return
    event.preventDefault()
  }

  return (
    <Modal opened onClose={onClose} title="Search" size="lg" yOffset="10vh">
      <Stack gap="xs">
        <TextInput
          aria-label="Search everything"
          placeholder="Subscribers, workflows, transaction ids, topics, integrations, pages"
          leftSection={<IconSearch size={16} aria-hidden />}
          data-autofocus
          role="combobox"
          aria-expanded
          aria-haspopup="listbox"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={hits.length === 0 ? undefined : optionId(current)}
          autoComplete="off"
          maxLength={255}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
        <VisuallyHidden role="status">
          {isSearching ? '' : hits.length === 1 ? '1 result' : `${hits.length} results`}
        </VisuallyHidden>
        {error !== undefined && <ProblemAlert problem={problemOf(error)} onRetry={() => sendAgain(query)} />}
        <div id={listId} role="listbox" aria-label="Results">
          {groupsOf(hits).map(([group, members]) => (
            <div key={group} role="group" aria-labelledby={`${listId}-${group}`}>
              <Text id={`${listId}-${group}`} size="xs" fw={600} c="dimmed" px="xs" pt="xs" role="presentation">
                {group}
              </Text>
              {members.map((hit) => (
                <Group
                  key={hit.path}
                  id={optionId(hit.index)}
                  role="option"
                  aria-selected={hit.index === current}
                  className="palette-option"
                  justify="space-between"
                  wrap="nowrap"
                  gap="md"
                  px="xs"
                  py={6}
                  // The focus stays in the field.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => open(hit)}
                >
                  <Text size="sm" className="wrap-anywhere">
                    {hit.label}
                  </Text>
                  <Text size="xs" c="dimmed" className="wrap-anywhere" ta="end">
                    {hit.note}
                  </Text>
                </Group>
              ))}
            </div>
          ))}
        </div>
        {hits.length === 0 && (
          <Text size="sm" c="dimmed" px="xs">
            {isSearching
              ? 'Searching…'
              : 'Nothing matches. Without three letters or digits in a row, the search finds beginnings only, and a transaction id must be complete.'}
          </Text>
        )}
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> to choose, <Kbd size="xs">Enter</Kbd> to open,{' '}
          <Kbd size="xs">Esc</Kbd> to close
        </Text>
      </Stack>
    </Modal>
  )
}
