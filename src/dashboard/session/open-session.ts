// Opens and closes dashboard sessions.
import { createGraphClient } from '../graph/client.ts'
import { graphql, type ResultOf, type VariablesOf } from '../graph/graphql.ts'
import { type Problem, problemOf } from '../graph/problem.ts'
import { forgetEnvironmentInAddress } from './address.ts'
import { addSession, extendSessions, removeSession, type Session } from './session.ts'

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
          slug
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

const renewDashboardSession = graphql(`
  mutation RenewDashboardSession($input: RenewDashboardSessionInput!) {
    renewDashboardSession(input: $input) {
      dashboardSession {
        expiresAt
      }
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

/** The session that is open, or what went wrong. */
type Opening =
  | { readonly session: Session; readonly problem?: undefined }
  | { readonly session?: undefined; readonly problem: Problem }

/**
 * Opens a session and makes it current.
 *
 * @param from the session to switch from, to another environment
 */
export async function openSession(input: Credential, from?: Session): Promise<Opening> {
  const client = createGraphClient(() => from?.authorization)
  const { data, error } = await client.mutation(openDashboardSession, { input })
  if (error !== undefined) return { problem: problemOf(error) }
  const { token, dashboardSession, userErrors } = data?.openDashboardSession ?? { userErrors: [] }
  const [userError] = userErrors
  if (userError !== undefined) return { problem: explain(userError) }
  if (token == null || dashboardSession == null) {
    return { problem: { message: 'The gateway returned no session.' } }
  }
  const { access, expiresAt, environment } = dashboardSession
  const session: Session = {
    authorization: `Dashboard ${token}`,
    environmentId: environment.id,
    environmentName: environment.name,
    slug: environment.slug,
    color: environment.color,
    access,
    expiresAt,
  }
  addSession(session)
  return { session }
}

/** The gateway renews a session in its last hour. Five minutes of it are for clocks that differ. */
const DUE = 55 * 60_000

/** Milliseconds before a sign-in that kept its end is renewed again: the clock of the device may be ahead. */
const PAUSE = 5 * 60_000

/** When each sign-in was last renewed, by its end. One at its maximum keeps its end. */
const renewed = new Map<string, number>()

/** Renews a session that is in use shortly before its end. */
export async function renewIfDue({ authorization, expiresAt }: Session): Promise<void> {
  const now = Date.now()
  if (Date.parse(expiresAt) - now > DUE || now - (renewed.get(expiresAt) ?? 0) < PAUSE) return
  renewed.set(expiresAt, now)
  const client = createGraphClient(() => authorization)
  const { data, error } = await client.mutation(renewDashboardSession, { input: {} })
  if (error !== undefined) renewed.delete(expiresAt)
  const later = data?.renewDashboardSession.dashboardSession?.expiresAt
  if (later !== undefined) extendSessions(expiresAt, later)
}

/** Ends a session. The tab forgets the session even if the gateway does not respond. */
export async function closeSession(session: Session): Promise<void> {
  forgetEnvironmentInAddress()
  removeSession(session)
  await createGraphClient(() => session.authorization).mutation(closeDashboardSession, { input: {} })
}
