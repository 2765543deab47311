// Requests without credentials that sign in to the dashboard, the only operation that needs no Authorization header.
import { type DocumentNode, getOperationAST, Kind, OperationTypeNode, parse } from 'graphql'
import { z } from 'zod'
import { anonymousCaller } from '../../domain/access/dashboard-session.ts'
import { hasCredentials } from '../../http/authenticate.ts'
import type { BodyInMemory, BodyReader } from '../../http/request-body.ts'
import { Refusal } from '../../lib/errors.ts'
import type { PersistedQueries } from '../pipeline/persisted-queries.ts'

/** Maximum bytes of the body, because anyone can send one. */
const MAX_BODY = 16 * 1024
const MAX_TOKENS = 500

const SIGN_IN = 'openDashboardSession'

const requestBody = z.object({ query: z.string().nullish(), operationName: z.string().nullish() })

/** True if an operation contains exactly one sign-in and nothing else. Several would be several guesses at once. */
function isSignIn(document: DocumentNode, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== OperationTypeNode.MUTATION) return false
  const [field, ...others] = operation.selectionSet.selections
  return others.length === 0 && field?.kind === Kind.FIELD && field.name.value === SIGN_IN
}

function signsIn({ json }: BodyInMemory, queries: PersistedQueries): boolean {
  try {
    const params = json()
    const { query: sent, operationName } = requestBody.parse(params)
    const query = sent ?? queries.find(anonymousCaller, params) ?? ''
    return query.includes(SIGN_IN) && isSignIn(parse(query, { maxTokens: MAX_TOKENS }), operationName)
  } catch {
    // A request that cannot be read is not a sign-in, so it requires credentials.
    return false
  }
}

/** Reads the body of a sign-in without credentials. @returns undefined for any other request. */
export async function readSignIn(
  received: Request,
  address: string | undefined,
  { bodies, queries }: { readonly bodies: BodyReader; readonly queries: PersistedQueries },
): Promise<BodyInMemory | undefined> {
  if (received.method !== 'POST' || hasCredentials(received.headers)) return undefined
  try {
    const body = await bodies.readOperation(received, { caller: anonymousCaller, address }, MAX_BODY)
    if (signsIn(body, queries)) return body
    body.release()
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'PAYLOAD_TOO_LARGE') return undefined
    throw error
  }
}
