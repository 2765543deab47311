// Runs the pipeline inside of yoga, which reads the requests that are not plain and writes their responses.
import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { type DocumentCache, parseOnce } from '../pipeline/document-cache.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
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
  // Yoga adds to the context that the door gives it.
  const run = (args: ExecutionArgs) => pipeline.run(args, args.contextValue as GraphContext)
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
      if (isSingle(result)) execution.setResult(pipeline.end(result, context))
    },
    // Requests that cannot be read have a result without an execution.
    onResultProcess(processing) {
      const { result, serverContext } = processing
      if (isSingle(result)) processing.setResult(pipeline.end(result, serverContext))
    },
    onResponse({ response }) {
      // Otherwise a buffering proxy would hold the events back.
      if (/^(text\/event-stream|multipart\/mixed)/.test(response.headers.get('content-type') ?? '')) {
        response.headers.set('X-Accel-Buffering', 'no')
      }
    },
  }
}
