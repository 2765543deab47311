// Chooses the database of an operation. A query may read from a replica; all its fields then read from the same one.
import { type ExecutionResult, OperationTypeNode } from 'graphql'
import { reading } from '../../domain/resolver/reading.ts'
import type { GraphContext } from '../schema/builder.ts'

type Result = ExecutionResult | Promise<ExecutionResult>

/** Executes an operation with the given context or, if it is a query, with the context of a replica. */
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
