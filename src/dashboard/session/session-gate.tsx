// Shows the dashboard to who is signed in, and the sign-in page to everyone else.
import { type ReactNode, useMemo } from 'react'
import { Provider } from 'urql'
import { createGraphClient } from '../graph/client.ts'
import { Dashboard } from '../shell/dashboard.tsx'
import { removeSession, type Session, useCurrentSession } from './session.ts'
import { CurrentSession } from './session-context.ts'
import { SignIn } from './sign-in.tsx'

export function SessionGate() {
  const session = useCurrentSession()
  // A new client for each session, so that nothing of another environment stays in the cache.
  return session === undefined ? (
    <SignIn />
  ) : (
    <SignedIn key={session.authorization} session={session}>
      <Dashboard />
    </SignedIn>
  )
}

function SignedIn({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const client = useMemo(() => createGraphClient(session.authorization, () => removeSession(session)), [session])
  return (
    <CurrentSession value={session}>
      <Provider value={client}>{children}</Provider>
    </CurrentSession>
  )
}
