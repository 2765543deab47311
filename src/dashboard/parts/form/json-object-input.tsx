// A field for a JSON object as text. The form validates it with `jsonObjectError`.
import { Textarea, type TextareaProps } from '@mantine/core'

// Not a JsonInput: it validates when it loses the focus, and its message moves the button that is being pressed.
export const JsonObjectInput = (props: TextareaProps) => (
  <Textarea
    autosize
    minRows={3}
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    {...props}
  />
)
