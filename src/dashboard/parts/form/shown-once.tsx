// A dialog with a new secret, which can only be read now.
import { Alert, Button, CopyButton, Group, Modal, Stack, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface ShownOnceProps {
  readonly title: string
  /** The label of the field, such as `API key`. */
  readonly label: string
  /** The label of the button that copies. */
  readonly copyLabel: string
  readonly value: string
  /** What to do with the value, and what to do if it is lost. */
  readonly warning: string
  readonly onDone: () => void
  /** What to know besides the warning. */
  readonly children?: ReactNode
}

export function ShownOnce({ title, label, copyLabel, value, warning, onDone, children }: ShownOnceProps) {
  return (
    <Modal
      opened
      onClose={onDone}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {warning}
        </Alert>
        <Textarea
          label={label}
          value={value}
          readOnly
          autosize
          data-autofocus
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', wordBreak: 'break-all' } }}
          onFocus={(event) => event.currentTarget.select()}
        />
        {children}
        <Group justify="flex-end">
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={copy}
              >
                {copied ? 'Copied' : copyLabel}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
