// The steps of an operation, in their order. Plain requests, yoga (GET, streams, persisted queries) and WebSockets run the
// same list: a step that is added here reaches all of them.
import { type ExecutionArgs, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { UNKNOWN_OPERATION } from '../../http/request-record.ts'
import { errorsOf, type Mask, reportErrors, withHttpStatus } from '../door/errors.ts'
import { execute, type OperationArgs, subscribe } from '../execution/execute.ts'
import type { GraphContext } from '../schema/builder.ts'
import { limitCost } from './cost-limit.ts'
import { factsOf } from './document-facts.ts'
import { limitErrors } from './error-limit.ts'
import { onReadDatabase } from './on-read-database.ts'
import { drawRates } from './rate.ts'
import { guarded } from './stream.ts'
import { assertTransport, transportOf } from './transport.ts'
import { coerceVariables } from './variable-limits.ts'

type Results = AsyncIterable<ExecutionResult>
export type OperationResult = ExecutionResult | Results
type Work = (context: GraphContext) => ExecutionResult | Promise<ExecutionResult>

/** An operation of a valid document on its way through the steps. */
interface Passage {
  readonly args: ExecutionArgs
  readonly context: GraphContext
  /** The coerced variables. */
  variables: OperationArgs['coercedVariables']
  /** Runs the execution on a database: by default on that of the context. */
  on: (work: Work) => ReturnType<Work>
  outcome: OperationResult
}

interface Step {
  readonly name: string
  /** @returns a promise only if it must wait. What it throws ends the operation. */
  readonly run: (passage: Passage) => Promise<void> | void
}

/** A step for every result, also of an operation that ended early. */
interface Ending {
  readonly name: string
  readonly run: (result: ExecutionResult, context: Pick<GraphContext, 'record'>) => ExecutionResult
}

export interface PipelineOptions {
  /** Whether errors suggest the right name of a misspelled one. */
  readonly suggestions: boolean
  readonly mask: Mask
  readonly metrics: Parameters<typeof reportErrors>[0]
}

const typeOf = ({ document, operationName }: ExecutionArgs) => getOperationAST(document, operationName)?.operation

/** What follows parsing and validation, which are kept with each document. */
const stepsOf = ({ suggestions, mask }: PipelineOptions): readonly Step[] => [
  { name: 'transport', run: ({ args, context }) => assertTransport(typeOf(args), context) },
  {
    name: 'record',
    run({ args, context }) {
      context.record.operation = factsOf(args)?.name ?? UNKNOWN_OPERATION
    },
  },
  {
    name: 'variables',
    run(passage) {
      passage.variables = coerceVariables(passage.args, !suggestions)
    },
  },
  { name: 'cost', run: ({ args, context }) => limitCost(args, context) },
  { name: 'rate', run: ({ args, context }) => drawRates(args, context) },
  {
    name: 'replica',
    run(passage) {
      const { args, context } = passage
      if (context.scope.hasReplica) passage.on = (work) => onReadDatabase(typeOf(args), context, work)
    },
  },
  {
    name: 'execute',
    async run(passage) {
      const { args, context, variables, on } = passage
      passage.outcome =
        typeOf(args) === OperationTypeNode.SUBSCRIPTION
          ? await subscribe({ ...args, contextValue: context, coercedVariables: variables })
          : await on((contextValue) => execute({ ...args, contextValue, coercedVariables: variables }))
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
  /** Executes an operation of a valid document. Errors are results, ready to be sent. */
  readonly run: (args: ExecutionArgs, context: GraphContext) => Promise<OperationResult>
  /** A result that did not come from `run`, such as a syntax error, ready to be sent. One from it stays as it is. */
  readonly end: (result: ExecutionResult, context: Pick<GraphContext, 'record'>) => ExecutionResult
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const steps = stepsOf(options)
  const endings = endingsOf(options)
  const ended = new WeakSet<ExecutionResult>()
  const end: Pipeline['end'] = (given, context) => {
    if (ended.has(given)) return given
    const result = endings.reduce((found, { run }) => run(found, context), given)
    ended.add(result)
    return result
  }
  return {
    end,
    async run(args, context) {
      const passage: Passage = { args, context, variables: undefined, on: (work) => work(context), outcome: {} }
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
