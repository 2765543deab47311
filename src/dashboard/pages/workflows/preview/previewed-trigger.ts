// The person, the payload and the contexts that the preview shows. They stay while another tab of the page is shown.
import { useState } from 'react'

export interface PreviewedTrigger {
  readonly subscriberId: string | null
  /** As typed. Undefined while the preview shows a sample. */
  readonly payload: string | undefined
  readonly contexts: string[]
}

export interface PreviewState {
  readonly trigger: PreviewedTrigger
  readonly change: (changed: Partial<PreviewedTrigger>) => void
}

export function usePreviewedTrigger(): PreviewState {
  const [trigger, setTrigger] = useState<PreviewedTrigger>({ subscriberId: null, payload: undefined, contexts: [] })
  return { trigger, change: (changed) => setTrigger((before) => ({ ...before, ...changed })) }
}
