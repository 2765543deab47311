// Executes queries and mutations by their plans.
import { type DocumentNode, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { schema } from '../schema/schema.ts'
import { OperationRun } from './operation-run.ts'
import { planOf, type Values } from './plan.ts'

interface Given {
  readonly document: DocumentNode
  readonly operationName: string | undefined
  /** Coerced. */
  readonly variables: Values
  readonly context: unknown
}

/**
 * Executes an operation of a valid document, which must not be a subscription. The result has its keys in the order of the
 * operation.
 */
export function executeOperation(given: Given): ExecutionResult | Promise<ExecutionResult> {
  const { document, operationName, variables, context } = given
  const operation = getOperationAST(document, operationName)
  const type = operation && schema.getRootType(operation.operation)
  if (!type) throw new Error('the document has no such operation')
  const run = new OperationRun(planOf(document, operation, variables), variables, context)
  return operation.operation === OperationTypeNode.MUTATION ? run.executeInOrder(type) : run.execute(type)
}
