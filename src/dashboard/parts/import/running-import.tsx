// The progress of an import. Asks before the page is left, because the import ends then.
import { Button, Group, Modal, Paper, Progress, Stack, Text } from '@mantine/core'
import { useBlocker } from 'react-router'

interface RunningImportProps {
  /** The fraction of the file that was read, from 0 to 1. */
  readonly done: number
  /** What happened to the rows so far, in a sentence. */
  readonly counts: string
  readonly onStop: () => void
}

export function RunningImport({ done, counts, onStop }: RunningImportProps) {
  const blocker = useBlocker(true)
  return (
    <Paper withBorder p="md">
      <Stack>
        <Progress size="lg" value={done * 100} aria-label="Progress of the import" />
        <Text aria-live="polite">{counts}</Text>
        <Group>
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        </Group>
      </Stack>
      {blocker.state === 'blocked' && (
        <Modal opened onClose={blocker.reset} title="Stop the import?">
          <Text size="sm">The import stops when you leave this page. Rows that were imported stay.</Text>
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={blocker.reset}>
              Stay
            </Button>
            <Button color="red.9" onClick={blocker.proceed}>
              Stop and leave
            </Button>
          </Group>
        </Modal>
      )}
    </Paper>
  )
}
