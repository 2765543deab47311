// The sessions of this tab. Their tokens live in session storage, so they end with the tab; keys are never stored.
import { useSyncExternalStore } from 'react'
import type { Access } from './access.ts'

export interface Session {
  /** The value of the `Authorization` header. */
  readonly authorization: string
  readonly environmentId: string
  readonly environmentName: string
  readonly color: string
  readonly access: Access
  readonly expiresAt: string
}

/** The sessions of the tab, at most one per environment, and the authorization of the one in use. */
interface Stored {
  readonly sessions: readonly Session[]
  readonly current: string | null
}

const STORAGE_KEY = 'notification-gateway'
const none: Stored = { sessions: [], current: null }

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['authorization', 'environmentId', 'environmentName', 'color', 'access', 'expiresAt']
  return texts.every((name) => typeof Reflect.get(value, name) === 'string')
}

/** Reads what the tab stored. Ignores anything other than live sessions. */
function read(): Stored {
  try {
    const { sessions, current } = Object(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}')) as Partial<Stored>
    const live = Array.isArray(sessions) ? sessions.filter(isSession) : []
    return { sessions: live.filter(({ expiresAt }) => new Date(expiresAt) > new Date()), current: current ?? null }
  } catch {
    return none
  }
}

let stored = read()
const listeners = new Set<() => void>()

function write(next: Stored): void {
  stored = next
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next))
  for (const listener of listeners) listener()
}

/** Adds a session and makes it current. Replaces an earlier session of the same environment. */
export function addSession(session: Session): void {
  const others = stored.sessions.filter(({ environmentId }) => environmentId !== session.environmentId)
  write({ sessions: [...others, session], current: session.authorization })
}

export function selectSession({ authorization }: Session): void {
  write({ ...stored, current: authorization })
}

/**
 * Forgets a session. Another session of the tab becomes current, if there is one. @returns false if it was forgotten
 * before.
 */
export function removeSession({ authorization }: Session): boolean {
  const sessions = stored.sessions.filter((session) => session.authorization !== authorization)
  if (sessions.length === stored.sessions.length) return false
  write({ sessions, current: sessions[0]?.authorization ?? null })
  return true
}

export const hasSession = (): boolean => stored.sessions.length > 0

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the sessions of the tab. */
export const useSessions = (): readonly Session[] => useSyncExternalStore(subscribe, () => stored.sessions)

/** Returns the current session, or undefined if no one is signed in. */
export const useCurrentSession = (): Session | undefined =>
  useSyncExternalStore(subscribe, () => stored.sessions.find(({ authorization }) => authorization === stored.current))
