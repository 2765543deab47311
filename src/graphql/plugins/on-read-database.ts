// Chooses the database of an operation: a query may read from a replica. All its fields read from the same one.
import { type DocumentNode, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { reading } from '../../domain/resolver/reading.ts'
import type { GraphContext } from '../schema/builder.ts'

interface Chosen {
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
}

type Result = ExecutionResult | Promise<ExecutionResult>

/** Executes an operation with the context that it is given, or with one for a replica if it is a query. */
export function onReadDatabase(
  { document, operationName }: Chosen,
  context: GraphContext,
  execute: (context: GraphContext) => Result,
): Result {
  const { scope: given } = context
  if (!given.hasReplica) return execute(context)
  if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY) return execute(context)
  return reading<ExecutionResult>(
    given,
    (scope) => execute(scope === given ? context : { ...context, scope }),
    ({ errors = [] }) => errors.map(({ originalError }) => originalError),
  )
}
