// Asks for confirmation before an action that cannot be undone, and describes its consequences.
import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'

interface Act {
  readonly title: string
  readonly consequence: ReactNode
  /** The label of the button that confirms. */
  readonly confirm: string
  /** The label of the button that cancels. */
  readonly dismiss: string
  readonly onConfirm: () => Promise<void>
}

export function confirmAct({ title, consequence, confirm, dismiss, onConfirm }: Act): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{consequence}</Text>,
    labels: { confirm, cancel: dismiss },
    confirmProps: { color: 'red.9' },
    onConfirm: () => void onConfirm(),
  })
}
