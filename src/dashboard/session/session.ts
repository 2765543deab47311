// The sessions of this tab. Their tokens are in session storage, so they end with the tab; keys are never stored.
import { useSyncExternalStore } from 'react'
import type { Access } from './access.ts'
import { forgetAll } from './kept.ts'

export interface Session {
  /** The value of the `Authorization` header. */
  readonly authorization: string
  readonly environmentId: string
  readonly environmentName: string
  /** Names the environment in addresses. */
  readonly slug: string
  readonly color: string
  readonly access: Access
  readonly expiresAt: string
  /** True if it was expired by the clock of the device when it was opened. Only the gateway then knows its end. */
  readonly ignoresClock?: boolean
  /** True if the gateway rejected it or it expired, while its page is shown. */
  readonly hasEnded?: boolean
}

/** The sessions of the tab, at most one per environment, and the authorization of the one in use. */
interface Stored {
  readonly sessions: readonly Session[]
  readonly current: string | null
}

const STORAGE_KEY = 'notification-gateway'
const none: Stored = { sessions: [], current: null }

export function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['authorization', 'environmentId', 'environmentName', 'slug', 'color', 'access', 'expiresAt']
  return texts.every((name) => typeof Reflect.get(value, name) === 'string')
}

const isExpired = ({ expiresAt }: Session): boolean => new Date(expiresAt) <= new Date()

/** True if the session is neither rejected nor expired. */
export const isLive = (session: Session): boolean =>
  session.hasEnded !== true && (session.ignoresClock === true || !isExpired(session))

/** Reads what the tab stored. Ignores anything other than live sessions. */
function read(): Stored {
  try {
    const { sessions, current } = Object(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}')) as Partial<Stored>
    const live = Array.isArray(sessions) ? sessions.filter(isSession) : []
    return { sessions: live.filter(isLive), current: current ?? null }
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

/** What happens to sessions, in this tab or in another one. */
export type Change =
  | { readonly kind: 'opened'; readonly session: Session }
  /** The sessions of a tab, for a tab that asks. */
  | { readonly kind: 'known'; readonly sessions: readonly Session[] }
  /** The end of a sign-in has moved. All of its sessions share it. */
  | { readonly kind: 'extended'; readonly from: string; readonly to: string }
  /** An environment has another name or color. */
  | {
      readonly kind: 'renamed'
      readonly environmentId: string
      readonly environmentName: string
      readonly color: string
    }
  | { readonly kind: 'ended'; readonly authorization: string }
  /** Signed out: all sessions of the sign-in, which end together. */
  | { readonly kind: 'closed'; readonly authorization: string }

const isOther =
  ({ environmentId }: Session) =>
  (one: Session) =>
    one.environmentId !== environmentId

function sessionsAfter(change: Change): readonly Session[] {
  const { sessions } = stored
  switch (change.kind) {
    case 'opened':
      return [...sessions.filter(isOther(change.session)), change.session]
    case 'known':
      return [...sessions, ...change.sessions.filter((one) => isLive(one) && sessions.every(isOther(one)))]
    case 'extended':
      return sessions.map((one) => (one.expiresAt === change.from ? { ...one, expiresAt: change.to } : one))
    case 'renamed': {
      const { environmentId, environmentName, color } = change
      return sessions.map((one) => (one.environmentId === environmentId ? { ...one, environmentName, color } : one))
    }
    case 'ended':
      return sessions.map((one) => (one.authorization === change.authorization ? { ...one, hasEnded: true } : one))
    case 'closed': {
      const end = sessions.find(({ authorization }) => authorization === change.authorization)?.expiresAt
      return sessions.filter(({ expiresAt }) => expiresAt !== end)
    }
  }
}

/** Applies a change of another tab. */
export function apply(change: Change): void {
  const sessions = sessionsAfter(change)
  for (const left of stored.sessions.filter((one) => sessions.every(isOther(one)))) forgetAll(left.environmentId)
  const isKept = sessions.some(({ authorization }) => authorization === stored.current)
  write({ sessions, current: isKept ? stored.current : (sessions[0]?.authorization ?? null) })
}

let share: (change: Change) => void = () => {}

/** Tells `listener` of the changes in this tab. */
export function shareChanges(listener: (change: Change) => void): void {
  share = listener
}

function change(made: Change): void {
  apply(made)
  share(made)
}

/** Adds a new session and makes it current. Replaces an earlier session of the same environment. */
export function addSession(opened: Session): void {
  const session = isExpired(opened) ? { ...opened, ignoresClock: true } : opened
  change({ kind: 'opened', session })
  selectSession(session)
}

export function selectSession({ authorization }: Session): void {
  if (stored.current !== authorization) write({ ...stored, current: authorization })
}

/** Forgets a session, with all of its sign-in. Another session of the tab becomes current, if there is one. */
export const removeSession = ({ authorization }: Session): void => change({ kind: 'closed', authorization })

/** Marks a session that cannot be used any more, until another one of its environment replaces it. */
export function endSession({ authorization, hasEnded }: Session): void {
  if (hasEnded !== true) change({ kind: 'ended', authorization })
}

/** Moves the end of a sign-in, which all of its sessions share. */
export function extendSessions(from: string, to: string): void {
  if (from !== to) change({ kind: 'extended', from, to })
}

/** Changes what the tabs show of an environment. Its sessions stay as they are. */
export const renameEnvironment = (environmentId: string, environmentName: string, color: string): void =>
  change({ kind: 'renamed', environmentId, environmentName, color })

export const hasSession = (): boolean => stored.sessions.length > 0

/** Returns the sessions of the tab, including those that have ended. */
export const knownSessions = (): readonly Session[] => stored.sessions

/** Returns the session of the tab in an environment. */
export const sessionOf = (environmentId: string): Session | undefined =>
  stored.sessions.find((session) => session.environmentId === environmentId)

export const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the sessions of the tab. */
export const useSessions = (): readonly Session[] => useSyncExternalStore(subscribe, () => stored.sessions)

/** Returns the current session, or undefined if no one is signed in. */
export const currentSession = (): Session | undefined =>
  stored.sessions.find(({ authorization }) => authorization === stored.current)

/** Like `currentSession`, for components. */
export const useCurrentSession = (): Session | undefined => useSyncExternalStore(subscribe, currentSession)
