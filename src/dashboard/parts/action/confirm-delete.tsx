// Asks for confirmation before something is deleted, and lists what is deleted with it.
import type { ReactNode } from 'react'
import { confirmAct } from './confirm-act.tsx'

interface Deletion {
  /** The object to delete, such as `topic release-notes`. */
  readonly what: string
  /** Further consequences of the deletion, in sentences. */
  readonly consequence: ReactNode
  readonly onConfirm: () => Promise<void>
}

export const confirmDelete = ({ what, ...deletion }: Deletion): void =>
  confirmAct({ title: `Delete ${what}?`, confirm: 'Delete', dismiss: 'Cancel', ...deletion })
