// Limits the cost and the depth of an operation.
//
// A short query can ask for millions of objects: the subscribers of a page, the topics of each, the subscriptions of
// each topic. The cost of an operation is the number of objects that it could return, with page sizes multiplied in.
// It is computed once the variables are known and before anything is executed.
import { createComplexityRule } from '@pothos/plugin-complexity'
import { type ExecutionArgs, OperationTypeNode, validate } from 'graphql'
import { codedError } from './errors.ts'
import type { GraphContext } from '../schema/builder.ts'
import { factsOf } from './document-facts.ts'

/** Maximum number of objects: enough for a full page of objects that each have a full page, each with one object. */
export const MAX_COST = 25_000

/** Maximum nesting of fields, including fragments. Introspection is not counted. */
export const MAX_DEPTH = 20

/**
 * The number of objects above which a query counts as large. Completing it occupies the thread for tens of
 * milliseconds.
 */
const LARGE_COST = 1_000

/** @returns the cost. @throws AggregateError of GraphQL errors if the operation is over a limit. */
function computeCost({ schema, document, operationName, variableValues }: ExecutionArgs): number {
  let cost = 0
  const rule = createComplexityRule({
    context: {},
    operationName,
    variableValues: variableValues ?? {},
    validate({ complexity, depth }, report) {
      cost = complexity
      if (depth > MAX_DEPTH) {
        const message = `The query nests fields ${depth} levels deep: at most ${MAX_DEPTH} are allowed`
        report(codedError('QUERY_TOO_DEEP', message))
      }
      if (complexity > MAX_COST) {
        const message = `This operation could return ${complexity} objects: at most ${MAX_COST} are allowed. Request smaller pages or fewer levels`
        report(codedError('QUERY_TOO_COSTLY', message))
      }
    },
  })
  const errors = validate(schema, document, [rule])
  if (errors.length > 0) throw new AggregateError(errors)
  return cost
}

/** @returns the cost. @throws like `computeCost` */
function assertCost(args: ExecutionArgs): number {
  const compute = () => computeCost(args)
  return factsOf(args)?.costOf(args.variableValues, compute) ?? compute()
}

/**
 * Rejects an operation over a limit. The cost of a subscription is that of one result. Only one large query per
 * environment runs at a time.
 *
 * @returns a promise only if the query must wait for another one. @throws like `computeCost`
 */
export function limitCost(
  args: ExecutionArgs,
  { takeLargePlace }: Pick<GraphContext, 'takeLargePlace'>,
): Promise<void> | undefined {
  if (assertCost(args) <= LARGE_COST || factsOf(args)?.type !== OperationTypeNode.QUERY) return undefined
  return takeLargePlace?.()
}
