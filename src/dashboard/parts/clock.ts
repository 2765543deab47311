// The passing of time, for all elements that show how long ago something was: one timer for the page.
import { useSyncExternalStore } from 'react'

/** Milliseconds between two readings. */
const STEP = 1_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const tick = () => {
  for (const listener of listeners) listener()
}

/** Starts or stops the timer. Nobody sees the times of a hidden page. */
function wind(): void {
  const isNeeded = listeners.size > 0 && document.visibilityState === 'visible'
  if (isNeeded === (timer !== undefined)) return
  clearInterval(timer)
  timer = isNeeded ? setInterval(tick, STEP) : undefined
  if (isNeeded) tick()
}

document.addEventListener('visibilitychange', wind)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  wind()
  return () => {
    listeners.delete(listener)
    wind()
  }
}

/** Returns a text that depends on the current time. An element is rendered again only when its text changes. */
export const useTimely = (textNow: () => string): string => useSyncExternalStore(subscribe, textNow)
