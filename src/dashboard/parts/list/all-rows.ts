// All rows of a list, beyond the page on the screen.
import type { AnyVariables, Client, OperationResult, TypedDocumentNode } from 'urql'
import { problemOf } from '../../graph/problem.ts'
import type { PageArguments, PageInfo } from './pages.ts'

/** Maximum rows to read. */
export const MAX_ROWS = 10_000

/** Rows per request: the maximum of the graph. */
const PAGE_SIZE = 100

/** A list of the graph: its query, and the variables that select one of its pages. */
export interface Source<Data, Variables extends AnyVariables> {
  readonly document: TypedDocumentNode<Data, Variables>
  readonly variablesOf: (page: PageArguments) => Variables
}

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: PageInfo
}

/** Reads rows of a list, at most `MAX_ROWS`. @throws Error with the reason if the gateway rejects it */
export async function readAllRows<Data, Row, Variables extends AnyVariables>(
  client: Client,
  { document, variablesOf }: Source<Data, Variables>,
  connectionOf: (data: Data) => Connection<Row> | null,
): Promise<{ readonly rows: readonly Row[]; readonly isComplete: boolean }> {
  const rows: Row[] = []
  let after: string | null = null
  do {
    const variables: Variables = variablesOf({ first: PAGE_SIZE, after })
    // The cache would keep thousands of rows that no page shows.
    const options = { requestPolicy: 'network-only' } as const
    const { data, error }: OperationResult<Data, Variables> = await client.query(document, variables, options)
    if (error !== undefined) throw new Error(problemOf(error).message)
    const connection = data === undefined ? null : connectionOf(data)
    if (connection === null) break
    rows.push(...connection.nodes)
    after = connection.pageInfo.hasNextPage ? connection.pageInfo.endCursor : null
  } while (after !== null && rows.length < MAX_ROWS)
  return { rows, isComplete: after === null }
}
