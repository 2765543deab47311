// Removes a suppression after confirmation, so that messages are sent to its address again.
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'

const deleteSuppressionMutation = graphql(`
  mutation DeleteSuppression($input: DeleteSuppressionInput!) {
    deleteSuppression(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

/** Returns a function that asks for confirmation, and then removes a suppression. @param name of its address. */
export function useSuppressionRemoval(): (id: string, name: string) => void {
  const [deleteSuppression] = useAct(deleteSuppressionMutation)
  return (id, name) =>
    confirmAct({
      title: `Remove ${name}?`,
      consequence:
        'The next message is sent to the address again. If it bounces again, the reputation of your sender suffers. The preferences of its subscribers stay as they are, and so does the list of the provider.',
      confirm: 'Remove',
      dismiss: 'Cancel',
      onConfirm: async () => {
        const outcome = await deleteSuppression({ id })
        if (outcome.ok) showDone(`${name.charAt(0).toUpperCase()}${name.slice(1)} is no longer suppressed.`)
        else showProblems(outcome.problems)
      },
    })
}
