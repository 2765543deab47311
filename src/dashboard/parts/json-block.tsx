// A long text, such as a JSON value, for reading, with a button that copies it.
import { Box, Code } from '@mantine/core'
import { CopyText } from './copyable.tsx'

export function TextBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={label}
        className="wrap-anywhere"
        mah={400}
        pr={36}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}
      >
        {text}
      </Code>
      <Box pos="absolute" top={4} right={4}>
        <CopyText value={text} label={label.toLowerCase()} />
      </Box>
    </Box>
  )
}

export const JsonBlock = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <TextBlock text={JSON.stringify(value, null, 2)} label={label} />
)
