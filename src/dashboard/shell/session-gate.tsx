// Shows the dashboard to those who are signed in, and the sign-in page to everyone else.
import { useEffect, useState } from 'react'
import type { Problem } from '../graph/problem.ts'
import { Loading } from '../parts/loading.tsx'
import { showProblems } from '../parts/messages.ts'
import { useAddressedEnvironment } from './addressed-environment.ts'
import { LoadedDashboard } from './loaded-dashboard.tsx'
import { completeAddress } from '../session/address.ts'
import { openSession } from '../session/open-session.ts'
import { OtherEnvironment } from '../session/other-environment.tsx'
import { hasSession, selectSession, useCurrentSession, useSessions } from '../session/session.ts'
import { shared } from '../session/shared-sign-in.ts'
import { SignIn } from '../session/sign-in.tsx'
import { signInCode } from '../session/sign-in-code.ts'

/** The link signs in once, no matter how often React runs the effect below. Without a link, another tab may. */
const signedIn = signInCode === undefined ? shared.then(() => undefined) : openSession({ code: signInCode })

export function SessionGate() {
  const current = useCurrentSession()
  const addressed = useAddressedEnvironment()
  const session = useSessions().find(({ slug }) => slug === addressed)
  const [isOpening, setOpening] = useState(signInCode !== undefined || !hasSession())
  const [problem, setProblem] = useState<Problem>()

  useEffect(() => {
    void signedIn.then((opening) => {
      setProblem(opening?.problem)
      setOpening(false)
      // If the tab has an earlier session, there is no sign-in page to show the error.
      if (opening?.problem !== undefined && hasSession()) showProblems([opening.problem])
    })
  }, [])
  useEffect(() => {
    if (session !== undefined) selectSession(session)
    else if (current !== undefined && addressed === undefined) completeAddress(current.slug)
  }, [session, current, addressed])

  if (isOpening) return <Loading />
  if (current === undefined) return <SignIn problem={problem} />
  if (addressed === undefined) return <Loading />
  // Each environment has a client of its own, so that the cache has no data of another one.
  return session === undefined ? (
    <OtherEnvironment key={addressed} slug={addressed} session={current} />
  ) : (
    <LoadedDashboard key={session.environmentId} session={session} />
  )
}
