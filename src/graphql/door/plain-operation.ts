// Operations that arrive as a JSON object in a POST request and are answered with JSON: most of them. They take the steps
// of yoga's plugins without its pipeline, which takes longer than many operations. Yoga does everything else: streams, GET,
// persisted queries, and errors of requests that cannot be executed.
import { type ExecutionArgs, type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql'
import { z } from 'zod'
import type { PlainResponse } from '../../http/plain-response.ts'
import type { BodyInMemory } from '../../http/request-body.ts'
import { execute } from '../execution/execute.ts'
import { onReadDatabase } from '../plugins/on-read-database.ts'
import { type DocumentCache, parseOnce } from '../plugins/document-cache.ts'
import { factsOf } from '../plugins/document-facts.ts'
import { limitCost } from '../plugins/use-cost-limit.ts'
import { MAX_QUERY_LENGTH } from '../plugins/use-document-limits.ts'
import type { Validate } from '../plugins/use-engine.ts'
import { limitErrors } from '../plugins/use-error-limit.ts'
import { drawRates } from '../plugins/use-rate-limit.ts'
import { jsonContentType } from '../plugins/use-strict-requests.ts'
import { coerceVariables } from '../plugins/use-variable-limits.ts'
import type { GraphContext, ParsedQuery } from '../schema/builder.ts'
import { schema } from '../schema/schema.ts'
import { errorsOf, type Mask, reportErrors, resultResponse, type ResultType, withHttpStatus } from './errors.ts'

const jsonObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** The parameters of a request that sends its query. */
const plainBody = z.strictObject({
  query: z.string().min(1).max(MAX_QUERY_LENGTH),
  operationName: z.string().nullish(),
  variables: jsonObject.nullish(),
  extensions: jsonObject.refine((extensions) => !('persistedQuery' in extensions)).nullish(),
})

/** A valid operation. */
export interface PlainOperation extends ParsedQuery {
  readonly operationName: string | null | undefined
  readonly variables: Readonly<Record<string, unknown>> | null | undefined
  /** Its root field, or `multiple`. */
  readonly name: string
  /** The type of its response. */
  readonly type: ResultType
}

const responseTypes: ReadonlyMap<string, ResultType> = new Map([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
])

/** The first type of an Accept header in which an operation that is no stream can be answered, as yoga chooses it. */
function acceptedType(accept: string | null): ResultType | undefined {
  for (const range of (accept ?? '*/*').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const type = responseTypes.get(name)
    if (type && parameters.every((text) => !text.startsWith('charset') || text === 'charset=utf-8')) return type
  }
  return undefined
}

interface Known {
  readonly documents: DocumentCache
  readonly validate: Validate
}

/**
 * Reads the operation of a POST request. Returns undefined if it is for yoga.
 */
export function readPlainOperation(
  { method, headers }: Request,
  { json }: Pick<BodyInMemory, 'json'>,
  { documents, validate }: Known,
): PlainOperation | undefined {
  if (method !== 'POST' || !jsonContentType.test(headers.get('content-type') ?? '')) return undefined
  const type = acceptedType(headers.get('accept'))
  if (type === undefined) return undefined
  try {
    const { query, operationName, variables } = plainBody.parse(json())
    const { document } = parseOnce(documents, query)
    if (validate(document).length > 0) return undefined
    const facts = factsOf({ document, operationName })
    if (facts === undefined || facts.type === OperationTypeNode.SUBSCRIPTION) return undefined
    return { query, document, operationName, variables, name: facts.name, type }
  } catch {
    // Yoga finds the same, and reports it.
    return undefined
  }
}

export interface Execution {
  /** Whether errors suggest the right name of a misspelled one. */
  readonly suggestions: boolean
  readonly mask: Mask
}

/** Executes an operation within its limits. */
export async function executePlainly(
  { document, operationName, variables, name, type }: PlainOperation,
  context: GraphContext,
  { suggestions, mask: maskOf }: Execution,
): Promise<PlainResponse> {
  const mask = (thrown: unknown) => maskOf(thrown, context.record)
  context.record.operation = name
  const args = { schema, document, operationName, variableValues: variables, contextValue: context }
  const result = await resultOf(args, context, suggestions).then(
    (executed) => masked(executed, mask),
    (error: unknown) => ({ errors: errorsOf(error, mask) }),
  )
  reportErrors(context.scope.metrics, result.errors)
  return resultResponse(limitErrors(withHttpStatus(result)), type)
}

async function resultOf(args: ExecutionArgs, context: GraphContext, suggestions: boolean): Promise<ExecutionResult> {
  const variables = coerceVariables(args, !suggestions)
  await limitCost(args, context)
  drawRates(args, context)
  const { document, operationName } = args
  return onReadDatabase(args, context, (chosen) =>
    execute({ schema, document, operationName, coercedVariables: variables, contextValue: chosen }),
  )
}

const masked = (result: ExecutionResult, mask: (thrown: unknown) => GraphQLError): ExecutionResult =>
  result.errors === undefined ? result : { ...result, errors: result.errors.map(mask) }
