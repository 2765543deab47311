// Deletes the object of a page after confirmation, then goes to the list.
import { useNavigate } from 'react-router'
import type { TypedDocumentNode } from 'urql'
import { type Payload, useAct } from '../../graph/act.ts'
import { confirmDelete } from './confirm-delete.tsx'
import { showDone, showProblems } from '../messages.ts'

interface Deletion {
  /** The object to delete, such as `topic release-notes`. */
  readonly what: string
  /** Further consequences of the deletion, in sentences. */
  readonly consequence: string
  /** The address to go to. */
  readonly list: string
  /** Called before the page is left. */
  readonly onDeleted?: () => void
}

/** Returns a function that asks for confirmation, and then deletes the object with the given mutation input. */
export function useDeletion<Result extends Payload, Input>(
  document: TypedDocumentNode<Readonly<Record<string, Result>>, { input: Input }>,
): (input: Input, deletion: Deletion) => void {
  const navigate = useNavigate()
  const [act] = useAct(document)
  return (input, { what, consequence, list, onDeleted }) =>
    confirmDelete({
      what,
      consequence,
      onConfirm: async () => {
        const outcome = await act(input)
        if (!outcome.ok) {
          showProblems(outcome.problems)
          return
        }
        onDeleted?.()
        showDone(`${what.charAt(0).toUpperCase()}${what.slice(1)} deleted.`)
        await navigate(list)
      },
    })
}
