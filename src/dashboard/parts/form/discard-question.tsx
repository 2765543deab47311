// The question before unsaved changes are lost.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface DiscardQuestionProps {
  readonly onKeep: () => void
  readonly onDiscard: () => void
  readonly children: ReactNode
}

export const DiscardQuestion = ({ onKeep, onDiscard, children }: DiscardQuestionProps) => (
  <Modal opened onClose={onKeep} title="Discard your changes?" size="sm" centered>
    <Stack>
      <Text size="sm">{children}</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onKeep}>
          Keep editing
        </Button>
        <Button color="red.9" onClick={onDiscard}>
          Discard
        </Button>
      </Group>
    </Stack>
  </Modal>
)
