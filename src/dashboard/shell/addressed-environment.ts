// The environment that the address names, for the components that follow it.
import { useSyncExternalStore } from 'react'
import { environmentInAddress } from '../session/address.ts'
import { isAskingToLeave } from './current-router.ts'

let addressed = environmentInAddress()

/** The router does not change the environment, so the browser reports every change. */
function observe(onChange: () => void): () => void {
  const follow = () => {
    if (isAskingToLeave()) return
    addressed = environmentInAddress()
    onChange()
  }
  window.addEventListener('hashchange', follow)
  return () => window.removeEventListener('hashchange', follow)
}

/** Returns the slug of the environment that the address names, or undefined if it names none. */
export const useAddressedEnvironment = (): string | undefined => useSyncExternalStore(observe, () => addressed)
