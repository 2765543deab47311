// Code that a page loads when someone needs it.
import { useSyncExternalStore } from 'react'

export type OnDemand<T> =
  { readonly state: 'absent' | 'loading' | 'failed' } | { readonly state: 'loaded'; readonly value: T }

/** Returns a function that starts to load, and a hook with what is loaded. After a failure, the next call tries again. */
export function onDemand<T>(load: () => Promise<T>): readonly [start: () => void, use: () => OnDemand<T>] {
  let now: OnDemand<T> = { state: 'absent' }
  const listeners = new Set<() => void>()
  const become = (next: OnDemand<T>) => {
    now = next
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const start = () => {
    if (now.state === 'loading' || now.state === 'loaded') return
    become({ state: 'loading' })
    load().then(
      (value) => become({ state: 'loaded', value }),
      () => become({ state: 'failed' }),
    )
  }
  return [start, () => useSyncExternalStore(subscribe, () => now)]
}
