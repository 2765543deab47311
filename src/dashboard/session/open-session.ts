// Opens a session of the dashboard with a pasted API key.
import { createGraphClient } from '../graph/client.ts'
import { graphql } from '../graph/graphql.ts'
import { type Problem, problemOf } from '../graph/problem.ts'
import { addSession } from './session.ts'

const signInQuery = graphql(`
  query SignIn {
    environment {
      id
      name
      color
    }
  }
`)

/** Opens a session and makes it current. Returns what went wrong, or undefined if it is open. */
export async function openWithKey(key: string): Promise<Problem | undefined> {
  const authorization = `ApiKey ${key.trim().replace(/^ApiKey\s+/i, '')}`
  const { data, error } = await createGraphClient(authorization, () => {}).query(signInQuery, {})
  if (error !== undefined) {
    const isUnknown = error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')
    return isUnknown ? { message: 'This API key does not exist, or it was revoked.' } : problemOf(error)
  }
  if (data === undefined) return { message: 'The gateway returned no result.' }
  const { id, name, color } = data.environment
  const expiresAt = new Date(Date.now() + 12 * 60 * 60 * 1000).toISOString()
  addSession({ authorization, environmentId: id, environmentName: name, color, access: 'FULL', expiresAt })
  return undefined
}
