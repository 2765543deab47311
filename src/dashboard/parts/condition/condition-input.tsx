// A field for a condition: always, groups of comparisons, or any JSON logic.
import { Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { type ReactNode, use, useState } from 'react'
import { CodeEditor } from '../code/code-editor.tsx'
import { Undo } from '../undo.tsx'
import { newComparison, type Path, withItem } from './condition.ts'
import { groupInText, removed, textOf } from './condition-text.ts'
import { GroupFields } from './group-fields.tsx'

type Mode = 'always' | 'form' | 'json'

const modes = [
  { value: 'always', label: 'Always' },
  { value: 'form', label: 'If …' },
  { value: 'json', label: 'JSON logic' },
] as const satisfies { value: Mode; label: string }[]

interface ConditionInputProps {
  readonly label: string
  readonly description: string
  readonly readOnly?: boolean
  /** JSON logic as text. Empty means always. */
  readonly value: string
  readonly error?: ReactNode
  /** The variables to suggest. */
  readonly variables: readonly string[]
  readonly onChange: (text: string) => void
  /** Returns the value of now, for an undo. */
  readonly read: () => string
}

export function ConditionInput(props: ConditionInputProps) {
  const { label, description, readOnly = false, value: text, error, variables, onChange, read } = props
  const offerUndo = use(Undo)
  const group = groupInText(text)
  const [prefersJson, preferJson] = useState(text !== '' && group === undefined)
  const isJson = prefersJson || (text !== '' && group === undefined)
  const mode: Mode = isJson ? 'json' : text === '' ? 'always' : 'form'

  const choose = (next: Mode) => {
    preferJson(next === 'json')
    if (next !== 'always' && text === '') onChange(textOf({ match: 'all', items: [newComparison] }))
    if (next !== 'always' || text === '') return
    onChange('')
    offerUndo('Condition removed.', () => {
      if (read() === '') onChange(text)
    })
  }
  const remove = (path: Path) => {
    if (group === undefined) return
    const [after, bringBack] = removed(text, group, path)
    onChange(after)
    offerUndo('Part of the condition removed.', () => onChange(bringBack(read())))
  }
  return (
    <Stack gap="xs">
      <Input.Wrapper label={label} labelElement="div" description={description}>
        <SegmentedControl
          mt={4}
          size="xs"
          aria-label={label}
          disabled={readOnly}
          data={modes.map((item) => ({
            ...item,
            disabled: item.value === 'form' && text !== '' && group === undefined,
          }))}
          value={mode}
          onChange={(next) => {
            const found = modes.find((item) => item.value === next)
            if (found) choose(found.value)
          }}
        />
      </Input.Wrapper>
      {mode === 'form' && group && (
        <>
          <GroupFields
            group={group}
            path={[]}
            variables={variables}
            onChange={(path, item) =>
              onChange(textOf(path.length === 0 && 'match' in item ? item : withItem(group, path, item)))
            }
            onRemove={remove}
          />
          <Text size="xs" c="dimmed">
            Write true, false and numbers as they are, and "12" in quotes for text.
          </Text>
        </>
      )}
      {mode === 'form' && error && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {mode === 'json' && (
        <CodeEditor
          label="JSON logic"
          description="Over subscriber, payload, context and steps, with the operators of jsonlogic.com."
          language="json"
          readOnly={readOnly}
          value={text}
          error={error}
          onChange={onChange}
        />
      )}
    </Stack>
  )
}
