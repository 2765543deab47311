// Sends the operations of GraphiQL to the gateway: queries and mutations as JSON, subscriptions as server-sent events.
import type { GraphiQLProps } from 'graphiql'
import { type ExecutionResult, getOperationAST, OperationTypeNode, parse } from 'graphql'
import { createClient } from 'graphql-sse'

/** The page and the graph have the same address. */
const address = () => location.pathname

/** Sends an operation with the authorization of a session. */
export const post = (authorization: string, operation: unknown): Promise<Response> =>
  fetch(address(), {
    method: 'POST',
    headers: { authorization, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(operation),
  })

/** Reads the text itself, because the parsed document of the editor is still the old one right after an edit. */
function isSubscription(query: string, operationName: string | null | undefined): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === OperationTypeNode.SUBSCRIPTION
  } catch {
    // If the syntax is invalid, the gateway reports where.
    return false
  }
}

/** Returns a fetcher that sends operations with a session. */
export function createFetcher(authorization: string): GraphiQLProps['fetcher'] {
  const streams = createClient({ url: address(), headers: { authorization }, retryAttempts: 0 })
  return async ({ query, operationName, ...given }) => {
    const variables = given.variables as Record<string, unknown> | undefined
    const operation = { query, operationName: operationName ?? undefined, variables }
    if (isSubscription(query, operationName)) return streams.iterate(operation)
    return (await (await post(authorization, operation)).json()) as ExecutionResult<Record<string, unknown>>
  }
}
