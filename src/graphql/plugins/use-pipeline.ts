// Runs the pipeline inside yoga, which parses requests that are not plain and writes their responses.
import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { type DocumentCache, parseOnce } from '../pipeline/document-cache.ts'
import type { OperationResult, Pipeline } from '../pipeline/pipeline.ts'
import type { Validate } from '../pipeline/validation.ts'
import type { GraphContext } from '../schema/builder.ts'

interface Parts {
  readonly pipeline: Pipeline
  readonly documents: DocumentCache
  readonly validate: Validate
}

interface OnParse {
  readonly params: { readonly source: string }
  readonly setParseFn: (parse: () => DocumentNode) => void
}

interface OnValidate {
  readonly params: { readonly documentAST: DocumentNode }
  readonly setResult: (errors: ReturnType<Validate>) => void
}

type Result = ExecutionResult | AsyncIterable<ExecutionResult> | readonly ExecutionResult[] | undefined

const isSingle = (result: Result): result is ExecutionResult =>
  result !== undefined && !Array.isArray(result) && !isAsyncIterable(result)

export function usePipeline({ pipeline, documents, validate }: Parts): Plugin<GraphContext, GraphContext> {
  /** Results that are ready to be sent. Yoga calls the hook for each result, for some of them twice. */
  const ended = new WeakSet<OperationResult>()
  const run = async (args: ExecutionArgs) => {
    // Yoga extends the context that the door creates.
    const result = await pipeline.run(args, args.contextValue as GraphContext)
    ended.add(result)
    return result
  }
  const end = (given: ExecutionResult, context: Parameters<Pipeline['end']>[1]) => {
    if (ended.has(given)) return given
    const result = pipeline.end(given, context)
    ended.add(result)
    return result
  }
  return {
    onParse({ params, setParseFn }: OnParse) {
      setParseFn(() => parseOnce(documents, params.source).document)
    },
    onValidate({ params, setResult }: OnValidate) {
      setResult(validate(params.documentAST))
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(run)
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(run)
    },
    onExecutionResult(execution) {
      const { result, context } = execution
      if (isSingle(result)) execution.setResult(end(result, context))
    },
    // Requests that cannot be read have a result but no execution.
    onResultProcess(processing) {
      const { result, serverContext } = processing
      if (isSingle(result)) processing.setResult(end(result, serverContext))
    },
    onResponse({ response }) {
      // Otherwise, a buffering proxy would hold back the events.
      if (/^(text\/event-stream|multipart\/mixed)/.test(response.headers.get('content-type') ?? '')) {
        response.headers.set('X-Accel-Buffering', 'no')
      }
    },
  }
}
