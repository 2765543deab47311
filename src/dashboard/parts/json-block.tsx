// A JSON value for reading.
import { Code } from '@mantine/core'

export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <Code block tabIndex={0} role="region" aria-label={label} mah={400} style={{ overflow: 'auto' }}>
      {JSON.stringify(value, null, 2)}
    </Code>
  )
}
