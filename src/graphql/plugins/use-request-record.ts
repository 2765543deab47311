// Notes the operation that a request executes, for the metrics and the log, and reports its errors with its trace.
import type { ExecutionArgs, ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { UNKNOWN_OPERATION } from '../../http/request-record.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { type Mask, reportErrors } from '../door/errors.ts'
import type { GraphContext } from '../schema/builder.ts'
import { factsOf } from './document-facts.ts'

function noteOperation(args: ExecutionArgs, { record }: Pick<GraphContext, 'record'>): void {
  record.operation = factsOf(args)?.name ?? UNKNOWN_OPERATION
}

/** @param mask converts errors before yoga does, which does not know the request of an error. */
export function useRequestRecord(metrics: Metrics, mask: Mask): Plugin<GraphContext> {
  return {
    onExecute({ args }) {
      const { record } = args.contextValue
      noteOperation(args, args.contextValue)
      return {
        onExecuteDone({ result, setResult }) {
          if (isAsyncIterable(result)) return
          const { errors }: ExecutionResult = result
          if (errors) setResult({ ...result, errors: errors.map((error) => mask(error, record)) })
        },
      }
    },
    onSubscribe({ args }) {
      noteOperation(args, args.contextValue)
    },
    onResultProcess({ result }) {
      if (!Array.isArray(result) && !isAsyncIterable(result)) reportErrors(metrics, result.errors)
    },
  }
}
