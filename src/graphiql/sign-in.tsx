// The form that opens a session with an API key. The key itself is not stored.
import { type SubmitEvent, useState } from 'react'
import { openSession } from '../dashboard/session/open-session.ts'
import { dashboardAddress, hasDashboard } from './served.ts'

interface SignInProps {
  /** Why the user must enter a key again. */
  readonly problem?: string
}

export function SignIn({ problem }: SignInProps) {
  const [key, setKey] = useState('')
  const [error, setError] = useState(problem)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setError(undefined)
    setError((await openSession({ apiKey: key.trim().replace(/^ApiKey /i, '') })).problem?.message)
  }
  return (
    <form className="sign-in" onSubmit={(event) => void submit(event)}>
      <label htmlFor="key">API key</label>
      <div>
        <input
          id="key"
          type="password"
          autoComplete="off"
          autoFocus
          required
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        <button type="submit">Open GraphiQL</button>
      </div>
      <p role="alert">{error}</p>
      {hasDashboard && (
        <p>
          No key at hand? <a href={dashboardAddress}>Sign in to the dashboard</a> with a link, and open GraphiQL there.
        </p>
      )}
    </form>
  )
}
