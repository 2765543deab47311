// Limits the cost and the depth of an operation.
//
// A short query can ask for millions of objects: the subscribers of a page, the topics of each, the subscriptions of
// each topic. The cost of an operation is the number of objects that it could return, with page sizes multiplied in.
// It is computed once the variables are known and before anything is executed.
import { createComplexityRule } from '@pothos/plugin-complexity'
import { type ExecutionArgs, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

/** The number of objects: enough for a full page of objects that each have a full page, each with one object. */
export const MAX_COST = 25_000

/** The nesting of fields, fragments included. Introspection is not counted. */
export const MAX_DEPTH = 20

function assertCost({ schema, document, operationName, variableValues }: ExecutionArgs): void {
  const rule = createComplexityRule({
    context: {},
    operationName,
    variableValues: variableValues ?? {},
    validate({ complexity, depth }, report) {
      if (depth > MAX_DEPTH) {
        const message = `The query nests fields ${depth} levels deep, at most ${MAX_DEPTH} are allowed`
        report(codedError('QUERY_TOO_DEEP', message))
      }
      if (complexity > MAX_COST) {
        const message = `This operation could return ${complexity} objects, at most ${MAX_COST} are allowed: request smaller pages or fewer levels`
        report(codedError('QUERY_TOO_COSTLY', message))
      }
    },
  })
  const errors = validate(schema, document, [rule])
  if (errors.length > 0) throw new AggregateError(errors)
}

/** Rejects operations over a limit. The cost of a subscription is that of one result. */
export function useCostLimit(): Plugin {
  return {
    onExecute({ args }: { args: ExecutionArgs }) {
      assertCost(args)
    },
    onSubscribe({ args }: { args: ExecutionArgs }) {
      assertCost(args)
    },
  }
}
