// The steps of an operation, in order. Plain requests, yoga (GET, streams, persisted queries) and WebSockets run the
// same list, so a new step reaches all of them.
import { type ExecutionArgs, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { readFirst } from '../../domain/resolver/resolver.ts'
import { UNKNOWN_OPERATION } from '../../http/request-record.ts'
import { errorsOf, type Mask, reportErrors, withHttpStatus } from './errors.ts'
import { execute, type OperationArgs, subscribe } from '../execution/execute.ts'
import type { GraphContext } from '../schema/builder.ts'
import { limitCost } from './cost-limit.ts'
import { factsOf } from './document-facts.ts'
import { limitErrors } from './error-limit.ts'
import { onReadDatabase } from './on-read-database.ts'
import { drawRates } from './rate.ts'
import { guarded } from './stream.ts'
import { assertTransport, transportOf } from './transport.ts'
import { reportInvalidVariables } from './rejected-variables.ts'
import { coerceVariables, InvalidVariables } from './variable-limits.ts'

type Results = AsyncIterable<ExecutionResult>
export type OperationResult = ExecutionResult | Results
type Work = (context: GraphContext) => ExecutionResult | Promise<ExecutionResult>

/** An operation of a valid document on its way through the steps. */
interface Passage {
  readonly args: ExecutionArgs
  readonly context: GraphContext
  /** Undefined if the document has no such operation. */
  readonly type: OperationTypeNode | undefined
  /** The coerced variables. */
  variables: OperationArgs['coercedVariables']
  /** Runs the execution on a database. Default: the context's. */
  on: (work: Work) => ReturnType<Work>
  outcome: OperationResult
}

interface Step {
  readonly name: string
  /** @returns a promise only if it must wait. A thrown error ends the operation. */
  readonly run: (passage: Passage) => Promise<void> | void
}

/** A step for every result, including results of operations that ended early. */
interface Ending {
  readonly name: string
  readonly run: (result: ExecutionResult, context: Pick<GraphContext, 'record'>) => ExecutionResult
}

export interface PipelineOptions {
  /** True if errors suggest the right spelling of a name. */
  readonly suggestions: boolean
  readonly mask: Mask
  readonly metrics: Parameters<typeof reportErrors>[0]
}

const typeOf = ({ document, operationName }: ExecutionArgs) => getOperationAST(document, operationName)?.operation

/** Awaiting a value that is not a promise would take as long as a small operation. */
function afterwards<Value>(value: Promise<Value> | Value, then: (value: Value) => void): Promise<void> | void {
  if (value instanceof Promise) return value.then(then)
  then(value)
}

/** The steps after parsing and validation, whose results are cached with each document. */
const stepsOf = ({ suggestions, mask }: PipelineOptions): readonly Step[] => [
  { name: 'transport', run: ({ type, context }) => assertTransport(type, context) },
  {
    name: 'record',
    run({ args, context }) {
      context.record.operation = factsOf(args)?.name ?? UNKNOWN_OPERATION
    },
  },
  {
    name: 'variables',
    run(passage) {
      try {
        passage.variables = coerceVariables(passage.args, !suggestions)
      } catch (error) {
        if (error instanceof InvalidVariables) reportInvalidVariables(passage.args, passage.context, error)
        throw error
      }
    },
  },
  { name: 'cost', run: ({ args, context }) => limitCost(args, context) },
  { name: 'rate', run: ({ args, context }) => drawRates(args, context) },
  {
    name: 'replica',
    run(passage) {
      const { type, context } = passage
      if (context.scope.hasReplica) passage.on = (work) => onReadDatabase(type, context, work)
    },
  },
  {
    name: 'execute',
    run(passage) {
      const { type, args, context, variables: coercedVariables, on } = passage
      // Spreading them into the arguments of a query would take a tenth of the time of a small query.
      const { schema, document, operationName } = args
      const run = (contextValue: GraphContext) =>
        execute({ schema, document, operationName, contextValue, coercedVariables })
      const first = factsOf(args)?.first ?? []
      const outcome =
        type === OperationTypeNode.SUBSCRIPTION
          ? subscribe({ ...args, contextValue: context, coercedVariables })
          : on(
              first.length === 0
                ? run
                : (contextValue) => readFirst(contextValue.scope, first).then(() => run(contextValue)),
            )
      return afterwards(outcome, (found) => {
        passage.outcome = found
      })
    },
  },
  {
    name: 'stream',
    run(passage) {
      const { outcome, context } = passage
      if (isAsyncIterable(outcome)) passage.outcome = guarded(outcome, context, transportOf(context), mask)
    },
  },
]

const endingsOf = ({ mask, metrics }: PipelineOptions): readonly Ending[] => [
  {
    name: 'mask',
    run: (result, { record }) =>
      result.errors === undefined ? result : { ...result, errors: result.errors.map((error) => mask(error, record)) },
  },
  { name: 'status', run: withHttpStatus },
  { name: 'size', run: limitErrors },
  {
    name: 'report',
    run(result) {
      reportErrors(metrics, result.errors)
      return result
    },
  },
]

export interface Pipeline {
  /** Executes an operation of a valid document. Errors are returned as results that can be sent. */
  readonly run: (args: ExecutionArgs, context: GraphContext) => Promise<OperationResult>
  /** Prepares a result that did not come from `run`, such as a syntax error, for sending. */
  readonly end: (result: ExecutionResult, context: Pick<GraphContext, 'record'>) => ExecutionResult
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const steps = stepsOf(options)
  const endings = endingsOf(options)
  const end: Pipeline['end'] = (given, context) => endings.reduce((result, { run }) => run(result, context), given)
  return {
    end,
    async run(args, context) {
      const passage: Passage = {
        args,
        context,
        type: typeOf(args),
        variables: undefined,
        on: (work) => work(context),
        outcome: {},
      }
      try {
        for (const { run } of steps) {
          const waiting = run(passage)
          if (waiting !== undefined) await waiting
        }
      } catch (error) {
        passage.outcome = { errors: errorsOf(error, (thrown) => options.mask(thrown, context.record)) }
      }
      return isAsyncIterable(passage.outcome) ? passage.outcome : end(passage.outcome, context)
    },
  }
}
