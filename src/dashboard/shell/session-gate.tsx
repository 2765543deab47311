// Shows the dashboard to those who are signed in, and the sign-in page to everyone else.
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Provider } from 'urql'
import { createGraphClient } from '../graph/client.ts'
import type { Problem } from '../graph/problem.ts'
import { Loading } from '../parts/loading.tsx'
import { showProblems } from '../parts/messages.ts'
import { Dashboard } from './dashboard.tsx'
import { openSession } from '../session/open-session.ts'
import { hasSession, removeSession, type Session, useCurrentSession } from '../session/session.ts'
import { CurrentSession } from '../session/session-context.ts'
import { SignIn } from '../session/sign-in.tsx'
import { signInCode } from '../session/sign-in-code.ts'

/** The link signs in once, no matter how often React runs the effect below. */
const signedIn = signInCode === undefined ? Promise.resolve(undefined) : openSession({ code: signInCode })

export function SessionGate() {
  const session = useCurrentSession()
  const [isOpening, setOpening] = useState(signInCode !== undefined)
  const [problem, setProblem] = useState<Problem>()

  useEffect(() => {
    void signedIn.then((found) => {
      setProblem(found)
      setOpening(false)
      // If the tab has an earlier session, there is no sign-in page to show the error.
      if (found !== undefined && hasSession()) showProblems([found])
    })
  }, [])

  if (isOpening) return <Loading />
  // Each session has a new client, so that the cache has no data of another environment.
  return session === undefined ? (
    <SignIn problem={problem} />
  ) : (
    <SignedIn key={session.authorization} session={session}>
      <Dashboard />
    </SignedIn>
  )
}

function SignedIn({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const client = useMemo(() => createGraphClient(session.authorization, () => endSession(session)), [session])
  return (
    <CurrentSession value={session}>
      <Provider value={client}>{children}</Provider>
    </CurrentSession>
  )
}

/** Forgets a session that the gateway has rejected. */
function endSession(session: Session): void {
  if (!removeSession(session)) return
  showProblems([{ message: `The session for ${session.environmentName} has ended. Sign in again.` }])
}
