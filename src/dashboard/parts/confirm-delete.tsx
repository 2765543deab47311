// Asks before something is deleted, and says what goes with it.
import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'

interface Deletion {
  /** What is deleted, such as `topic release-notes`. */
  readonly what: string
  /** What is deleted with it, and whether it can be undone. */
  readonly consequence: ReactNode
  readonly onConfirm: () => Promise<void>
}

export function confirmDelete({ what, consequence, onConfirm }: Deletion): void {
  modals.openConfirmModal({
    title: `Delete ${what}?`,
    children: <Text size="sm">{consequence}</Text>,
    labels: { confirm: 'Delete', cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm: () => void onConfirm(),
  })
}
