// Opens and closes dashboard sessions.
import { createGraphClient } from '../graph/client.ts'
import { graphql, type ResultOf, type VariablesOf } from '../graph/graphql.ts'
import { type Problem, problemOf } from '../graph/problem.ts'
import { addSession, removeSession, type Session } from './session.ts'

const openDashboardSession = graphql(`
  mutation OpenDashboardSession($input: OpenDashboardSessionInput!) {
    openDashboardSession(input: $input) {
      token
      dashboardSession {
        access
        expiresAt
        environment {
          id
          name
          color
        }
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const closeDashboardSession = graphql(`
  mutation CloseDashboardSession($input: CloseDashboardSessionInput!) {
    closeDashboardSession(input: $input) {
      closed
      userErrors {
        message
        field
      }
    }
  }
`)

/** Exactly one of an API key, a sign-in code and another environment. */
type Credential = VariablesOf<typeof openDashboardSession>['input']
type Opened = ResultOf<typeof openDashboardSession>['openDashboardSession']

/** The explanation of a failure, by the field of the credential. */
const rejected: Readonly<Record<string, string>> = {
  apiKey: 'This API key does not exist, or it was revoked.',
  code: 'This link was used before, or it is older than ten minutes. Run npx notification-gateway login for another one.',
}

function explain({ message, field }: Opened['userErrors'][number]): Problem {
  return { message: rejected[field?.[0] ?? ''] ?? message }
}

/**
 * Opens a session and makes it current.
 *
 * @param from the session to switch from, to another environment
 * @returns what went wrong, or undefined if the session is open.
 */
export async function openSession(input: Credential, from?: Session): Promise<Problem | undefined> {
  const client = createGraphClient(from?.authorization, () => {})
  const { data, error } = await client.mutation(openDashboardSession, { input })
  if (error !== undefined) return problemOf(error)
  const { token, dashboardSession, userErrors } = data?.openDashboardSession ?? { userErrors: [] }
  const [userError] = userErrors
  if (userError !== undefined) return explain(userError)
  if (token == null || dashboardSession == null) return { message: 'The gateway returned no session.' }
  const { access, expiresAt, environment } = dashboardSession
  addSession({
    authorization: `Dashboard ${token}`,
    environmentId: environment.id,
    environmentName: environment.name,
    color: environment.color,
    access,
    expiresAt,
  })
  return undefined
}

/** Ends a session. The tab forgets the session even if the gateway does not respond. */
export async function closeSession(session: Session): Promise<void> {
  removeSession(session)
  await createGraphClient(session.authorization, () => {}).mutation(closeDashboardSession, { input: {} })
}
