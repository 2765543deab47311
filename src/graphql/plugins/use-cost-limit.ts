// What an operation may cost: the number of objects that it could return, page sizes multiplied in, and its depth.
import { createComplexityRule } from '@pothos/plugin-complexity'
import { type ExecutionArgs, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

/** Objects that one operation may ask for: a full page of which each has a full page, and each of those an object. */
export const MAX_COST = 25_000

/** Fields inside each other, whichever fragments they are in. Introspection is not counted. */
export const MAX_DEPTH = 20

function assertCost({ schema, document, operationName, variableValues }: ExecutionArgs): void {
  const rule = createComplexityRule({
    context: {},
    operationName,
    variableValues: variableValues ?? {},
    validate({ complexity, depth }, report) {
      if (depth > MAX_DEPTH) {
        const message = `The query has fields ${depth} levels deep, and ${MAX_DEPTH} are allowed`
        report(codedError('QUERY_TOO_DEEP', message))
      }
      if (complexity > MAX_COST) {
        const message = `This operation could return ${complexity} objects, and ${MAX_COST} are allowed: ask for smaller pages or fewer levels`
        report(codedError('QUERY_TOO_COSTLY', message))
      }
    },
  })
  const errors = validate(schema, document, [rule])
  if (errors.length > 0) throw new AggregateError(errors)
}

/** Refuses an operation that asks for too much, before any of it runs. Of a subscription, that is each of its results. */
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
