// Asks before something is done that cannot be undone, and says what follows.
import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'

interface Act {
  readonly title: string
  readonly consequence: ReactNode
  /** The label of the button that does it. */
  readonly confirm: string
  /** The label of the button that does nothing. */
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
