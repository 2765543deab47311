// Repeats a query while an attempt to send a webhook message is near.
import type { Query } from '../../graph/query.ts'
import { useTimely } from '../../parts/clock.ts'
import { usePolling } from '../../parts/polling.ts'

/** Later attempts follow after minutes and hours. Nobody waits for them at the page. */
const NEAR = 15_000

/** Follows the deliveries of a page. Pending messages of a subscription that is not active wait. */
export function useComingAttempt(query: Query<unknown>, nextAttempts: readonly (string | null)[]): void {
  const isNear = useTimely(() => {
    const now = Date.now()
    const near = nextAttempts.some((at) => at !== null && Math.abs(new Date(at).getTime() - now) < NEAR)
    return near ? 'near' : ''
  })
  usePolling(isNear !== '', query)
}
