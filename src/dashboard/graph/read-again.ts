// Reads the present data of a query, past the cache, outside of the rendering of a component.
import type { AnyVariables, TypedDocumentNode } from 'urql'
import { useClient } from 'urql'

/** Returns a function that reads the data. @returns undefined if the request failed. */
export function useReadAgain<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): () => Promise<Data | undefined> {
  const client = useClient()
  return async () => (await client.query(document, variables, { requestPolicy: 'network-only' })).data
}
