// Buttons that copy a text, and an identifier with its button.
import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopyProps {
  readonly value: string
  /** What is copied, such as `transaction id`. */
  readonly label: string
}

/** For a text that stands beside the button. */
export const CopyText = ({ value, label }: CopyProps) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
        <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${label}`}>
          {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
)

export const Copyable = ({ value, label }: CopyProps) => (
  <Group gap={4} wrap="nowrap">
    <Code className="wrap-anywhere">{value}</Code>
    <CopyText value={value} label={label} />
  </Group>
)
