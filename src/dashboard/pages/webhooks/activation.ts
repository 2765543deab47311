// Enables and disables a webhook subscription.
import { readsBack, useAct } from '../../graph/act.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { updateWebhookMutation } from './update-webhook.ts'

/** Returns a function that enables or disables a subscription, and whether that is in progress. */
export function useActivation({
  id,
}: {
  readonly id: string
}): readonly [setActive: (active: boolean) => Promise<void>, pending: boolean] {
  const [updateWebhook, pending] = useAct(updateWebhookMutation, readsBack)
  const setActive = async (active: boolean) => {
    const outcome = await updateWebhook({ id, active })
    if (outcome.ok) showDone(active ? 'Webhook subscription enabled.' : 'Webhook subscription disabled.')
    else showProblems(outcome.problems)
  }
  return [setActive, pending]
}
