// Queries that are sent before the code of their page has been loaded. The page, which sends the same query, receives
// that response.
import { type AnyVariables, type Client, createRequest, formatDocument, type TypedDocumentNode } from '@urql/core'
import { makeFetchBody, makeFetchOptions } from '@urql/core/internal'

/** Milliseconds after which a response that no page has asked for is too old. */
const PATIENCE = 10_000

interface Ahead {
  readonly authorization: string | undefined
  readonly response: Promise<Response>
}

/** What was sent and not asked for, by the body of the request. */
const ahead = new Map<unknown, Ahead>()

const authorizationIn = ({ headers }: RequestInit): string | undefined =>
  new Headers(headers).get('authorization') ?? undefined

/** Sends a query, without a cache. @param client one of the same session as that of the page */
export function sendAhead<Data, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): void {
  const { key, query } = createRequest(document, variables)
  // As the cache of the pages forwards it.
  const given = Object.keys(variables ?? {}).length === 0 ? undefined : variables
  const operation = client.createRequestOperation<Data>('query', {
    key,
    query: formatDocument(query),
    variables: given,
  })
  const request = makeFetchOptions(operation, makeFetchBody(operation))
  const response = fetch(operation.context.url, request)
  // Reported by the page, if it asks.
  response.catch(() => undefined)
  ahead.set(request.body, { authorization: authorizationIn(request), response })
  setTimeout(() => ahead.delete(request.body), PATIENCE)
}

/** Like `fetch`, but takes the response of a request that was sent ahead, once and for the same session only. */
export const fetchOrTake: typeof fetch = (url, request = {}) => {
  const sent = ahead.get(request.body)
  ahead.delete(request.body)
  return sent !== undefined && sent.authorization === authorizationIn(request) ? sent.response : fetch(url, request)
}
