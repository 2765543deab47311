// The control that inserts a variable, one of those that the page knows or another.
import { Autocomplete, Button, Group, Stack } from '@mantine/core'
import { IconBraces } from '@tabler/icons-react'
import type { Editor } from '@tiptap/react'
import { type SyntheticEvent, useState } from 'react'
import { PopoverControl } from './popover-control.tsx'

/** The most variables that are shown at once. Typing finds the others. */
const MAX_SHOWN = 30

interface VariableControlProps {
  readonly editor: Editor
  readonly variables: readonly string[]
}

function VariableForm({ editor, variables, onDone }: VariableControlProps & { readonly onDone: () => void }) {
  const [path, setPath] = useState('')
  const insert = (variable: string) => {
    editor
      .chain()
      .focus()
      .insertContent({ type: 'text', text: `{{ ${variable} }}` })
      .run()
    onDone()
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (path.trim() !== '') insert(path.trim())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Autocomplete
          label="Variable"
          description="Choose one, or type the path of another."
          data={[...new Set(variables)]}
          limit={MAX_SHOWN}
          data-autofocus
          value={path}
          onChange={setPath}
          onOptionSubmit={insert}
          // A click in a list outside of the popover would close the popover.
          comboboxProps={{ withinPortal: false }}
        />
        <Group justify="flex-end">
          <Button size="xs" type="submit">
            Insert variable
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export function VariableControl({ editor, variables }: VariableControlProps) {
  return (
    <PopoverControl label="Variable" icon={IconBraces}>
      {(close) => <VariableForm editor={editor} variables={variables} onDone={close} />}
    </PopoverControl>
  )
}
