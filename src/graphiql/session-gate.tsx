// Shows GraphiQL with the dashboard session of the tab, or a form that opens one.
import { useEffect, useState } from 'react'
import { type Session, useCurrentSession } from '../dashboard/session/session.ts'
import { Explorer } from './explorer.tsx'
import { post } from './fetcher.ts'
import { SignIn } from './sign-in.tsx'

const ENDED = 'Your session has ended. Enter an API key.'

/** @returns why the session cannot be used, or undefined if it can. */
async function problemOf({ authorization }: Session): Promise<string | undefined> {
  try {
    const { status } = await post(authorization, { query: '{ __typename }' })
    return status === 401 ? ENDED : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface Checked {
  readonly session: Session
  readonly problem: string | undefined
}

/** Shows GraphiQL, or the form if the tab has no usable session. */
export function SessionGate() {
  const session = useCurrentSession()
  const [checked, setChecked] = useState<Checked>()
  useEffect(() => {
    if (session === undefined) return
    let isCurrent = true
    void problemOf(session).then((problem) => isCurrent && setChecked({ session, problem }))
    return () => {
      isCurrent = false
    }
  }, [session])
  if (session === undefined) return <SignIn />
  if (checked?.session !== session) return null
  return checked.problem === undefined ? <Explorer session={session} /> : <SignIn problem={checked.problem} />
}
