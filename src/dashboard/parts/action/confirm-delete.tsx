// Asks before something is deleted, and says what goes with it.
import type { ReactNode } from 'react'
import { confirmAct } from './confirm-act.tsx'

interface Deletion {
  /** What is deleted, such as `topic release-notes`. */
  readonly what: string
  /** What is deleted with it, and whether it can be undone. */
  readonly consequence: ReactNode
  readonly onConfirm: () => Promise<void>
}

export const confirmDelete = ({ what, ...deletion }: Deletion): void =>
  confirmAct({ title: `Delete ${what}?`, confirm: 'Delete', dismiss: 'Cancel', ...deletion })
