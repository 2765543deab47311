// A newly created key, which can only be read now.
import { Alert, Button, CopyButton, Group, Stack, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'

interface NewKeyProps {
  readonly apiKey: string
  readonly onDone: () => void
}

export function NewKey({ apiKey, onDone }: NewKeyProps) {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        Copy the key now. It cannot be read again. If it is lost, create another key and revoke this one.
      </Alert>
      <Textarea
        label="API key"
        value={apiKey}
        readOnly
        autosize
        data-autofocus
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', wordBreak: 'break-all' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group justify="flex-end">
        <CopyButton value={apiKey}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy key'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}
