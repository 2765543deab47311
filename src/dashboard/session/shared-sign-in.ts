// The sign-in that all tabs of the browser share. docs/decisions/dashboard-sessions.md says why a worker passes it on.
import { environmentInAddress, forgetEnvironmentInAddress } from './address.ts'
import { apply, type Change, isSession, knownSessions, shareChanges } from './session.ts'

/** What a tab tells the others. The worker answers `alone` if there are none. */
type Message = Change | { readonly kind: 'ask' } | { readonly kind: 'alone' }

/** Milliseconds in which other tabs answer. A tab that the browser has frozen does not. */
const PATIENCE = 1_000

/** Undefined without HTTPS, except on the same machine: each tab then has a sign-in of its own. */
const workers: ServiceWorkerContainer | undefined = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined

const send = (message: Message): void => workers?.controller?.postMessage(message)

/** @returns undefined for anything that no tab of this release sends. */
function messageIn(data: unknown): Message | undefined {
  const { kind, session, sessions, authorization, from, to, ...others } = Object(data) as Record<string, unknown>
  const { environmentId, environmentName, color } = others
  if (kind === 'ask' || kind === 'alone') return { kind }
  if (kind === 'opened' && isSession(session)) return { kind, session }
  if (kind === 'known' && Array.isArray(sessions)) return { kind, sessions: sessions.filter(isSession) }
  if ((kind === 'ended' || kind === 'closed') && typeof authorization === 'string') return { kind, authorization }
  if (kind === 'extended' && typeof from === 'string' && typeof to === 'string') return { kind, from, to }
  if (typeof environmentId === 'string' && typeof environmentName === 'string' && typeof color === 'string') {
    if (kind === 'renamed') return { kind, environmentId, environmentName, color }
  }
  return undefined
}

function receive(message: Message): void {
  if (message.kind === 'alone') return
  if (message.kind === 'ask') {
    send({ kind: 'known', sessions: knownSessions() })
    return
  }
  const closed = message.kind === 'closed' ? knownSessions() : []
  apply(message)
  // Otherwise an ADMIN session of this tab would open the environment again.
  const left = closed.filter((session) => !knownSessions().includes(session))
  if (left.some(({ slug }) => slug === environmentInAddress())) forgetEnvironmentInAddress()
}

/** Resolves once the other tabs have answered, or none will. */
function ask(): Promise<void> {
  if (workers?.controller == null || knownSessions().length > 0) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    workers.addEventListener('message', function onAnswer({ data }) {
      if (!['known', 'alone'].includes(messageIn(data)?.kind ?? '')) return
      workers.removeEventListener('message', onAnswer)
      clearTimeout(timer)
      resolve()
    })
    send({ kind: 'ask' })
  })
}

function share(): Promise<void> {
  if (workers === undefined) return Promise.resolve()
  workers.addEventListener('message', ({ data }) => {
    const message = messageIn(data)
    if (message !== undefined) receive(message)
  })
  workers.startMessages()
  shareChanges(send)
  // Without a worker, each tab has a sign-in of its own.
  workers.register('session-worker.js').catch(() => {})
  return ask()
}

/** Resolves once the tab has the sign-in of the other tabs, if there is one. */
export const shared = share()
