// Chooses the database of an operation: a query may read from a replica. All its fields read from the same one.
import { type ExecutionResult, OperationTypeNode } from 'graphql'
import { reading } from '../../domain/resolver/reading.ts'
import type { GraphContext } from '../schema/builder.ts'

type Result = ExecutionResult | Promise<ExecutionResult>

/** Executes an operation with the context that it is given, or with one for a replica if it is a query. */
export function onReadDatabase(
  type: OperationTypeNode | undefined,
  context: GraphContext,
  execute: (context: GraphContext) => Result,
): Result {
  const { scope: given } = context
  if (type !== OperationTypeNode.QUERY) return execute(context)
  return reading<ExecutionResult>(
    given,
    (scope) => execute(scope === given ? context : { ...context, scope }),
    ({ errors = [] }) => errors.map(({ originalError }) => originalError),
  )
}
