// The notice that unsaved changes were restored, with the choice to discard them.
import { Alert, Button, Group, Text } from '@mantine/core'

interface RestoredDraftProps {
  /** The time of the last change, in ISO 8601. */
  readonly at: string
  readonly onDiscard: () => void
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

export const RestoredDraft = ({ at, onDiscard }: RestoredDraftProps) => (
  <Alert color="blue" role="status">
    <Group justify="space-between">
      <Text size="sm">Your unsaved changes of {time.format(new Date(at))} are restored.</Text>
      <Button size="compact-sm" variant="default" onClick={onDiscard}>
        Discard
      </Button>
    </Group>
  </Alert>
)
