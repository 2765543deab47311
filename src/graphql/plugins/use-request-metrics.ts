// Notes the operation that a request executes, and its errors, for the metrics.
import type { ExecutionArgs } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { UNKNOWN_OPERATION } from '../../http/request-record.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { reportErrors } from '../errors.ts'
import type { GraphContext } from '../schema/builder.ts'
import { factsOf } from './document-facts.ts'

function noteOperation(args: ExecutionArgs, { record }: Pick<GraphContext, 'record'>): void {
  record.operation = factsOf(args)?.name ?? UNKNOWN_OPERATION
}

export function useRequestMetrics(metrics: Metrics): Plugin<GraphContext> {
  return {
    onExecute({ args }) {
      noteOperation(args, args.contextValue)
    },
    onSubscribe({ args }) {
      noteOperation(args, args.contextValue)
    },
    onResultProcess({ result }) {
      if (!Array.isArray(result) && !isAsyncIterable(result)) reportErrors(metrics, result.errors)
    },
  }
}
