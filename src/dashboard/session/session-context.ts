// The session of the page, for all of its components.
import { createContext, use } from 'react'
import type { Session } from './session.ts'

export const CurrentSession = createContext<Session | undefined>(undefined)

/** Returns the session of the page. */
export function useSession(): Session {
  const session = use(CurrentSession)
  if (session === undefined) throw new Error('this component is shown to signed-in users only')
  return session
}

/** Returns true if the session may change data. Otherwise, controls that write are hidden. */
export const useCanWrite = (): boolean => useSession().access !== 'READ_ONLY'
