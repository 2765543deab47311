// The state of an action that takes several requests.
import { useState } from 'react'

/** Returns whether the action is in progress, and a function that performs it. */
export function usePending(): readonly [pending: boolean, during: (work: () => Promise<void>) => Promise<void>] {
  const [pending, setPending] = useState(false)
  async function during(work: () => Promise<void>): Promise<void> {
    setPending(true)
    try {
      await work()
    } finally {
      setPending(false)
    }
  }
  return [pending, during]
}
