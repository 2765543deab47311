// A field for a JSON object as text. The form validates it with `jsonObjectError`.
import { Textarea, type TextareaProps } from '@mantine/core'

// Not a JsonInput, which validates when it loses the focus: its message would move the button that is being pressed.
export const JsonObjectInput = (props: TextareaProps) => (
  <Textarea
    autosize
    minRows={3}
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    {...props}
  />
)
