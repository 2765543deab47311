// Loads the code of the dashboard, which the sign-in page does without, and shows it.
import { type ComponentType, useEffect, useState } from 'react'
import { Loading } from '../parts/loading.tsx'
import { signInCode } from '../session/sign-in-code.ts'
import { hasSession, type Session } from '../session/session.ts'
import { Failed } from './failed.tsx'
import { sendHomeAhead } from './home-ahead.ts'

interface DashboardProps {
  readonly session: Session
}

const load = () => import('./dashboard.tsx')

// With a session, or with a code that opens one, it is needed at once. The component below shows a failure.
if (signInCode !== undefined || hasSession()) void load().catch(() => undefined)
if (signInCode === undefined) sendHomeAhead()

/**
 * Not `lazy` of React: it delays what it shows, and the router, which is created meanwhile, would not notice that its
 * first page was loaded in between.
 */
export function LoadedDashboard(props: DashboardProps) {
  const [Dashboard, setDashboard] = useState<ComponentType<DashboardProps>>()
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  useEffect(() => {
    void load().then(
      (loaded) => setDashboard(() => loaded.Dashboard),
      (error: unknown) => setFailure({ error }),
    )
  }, [])
  if (failure !== undefined) return <Failed error={failure.error} />
  return Dashboard === undefined ? <Loading /> : <Dashboard {...props} />
}
