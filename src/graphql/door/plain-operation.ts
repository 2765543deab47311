// Operations that arrive as a JSON object in a POST request and are answered with JSON. This is most of them, including
// those that name a persisted or trusted document. They run the pipeline without yoga, which takes longer than many
// operations. Yoga handles the rest: streams, GET, and errors of requests that cannot be executed.
import { type DocumentNode, OperationTypeNode } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { z } from 'zod'
import type { Caller } from '../../domain/resolver/caller.ts'
import type { PlainResponse } from '../../http/plain-response.ts'
import type { BodyInMemory } from '../../http/request-body.ts'
import { type DocumentCache, parseOnce } from '../pipeline/document-cache.ts'
import { factsOf } from '../pipeline/document-facts.ts'
import { MAX_QUERY_LENGTH } from '../pipeline/document-limits.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { Validate } from '../pipeline/validation.ts'
import { jsonContentType } from '../plugins/use-strict-requests.ts'
import type { GraphContext } from '../schema/builder.ts'
import { schema } from '../graph/schema.ts'
import { resultResponse, type ResultType } from '../pipeline/errors.ts'
import { type PersistedQueries, resolveQuery } from '../pipeline/persisted-queries.ts'

const jsonObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const plainBody = z.strictObject({
  query: z.string().max(MAX_QUERY_LENGTH).nullish(),
  operationName: z.string().nullish(),
  variables: jsonObject.nullish(),
  extensions: jsonObject.nullish(),
  documentId: z.string().optional(),
  doc_id: z.string().optional(),
  id: z.string().optional(),
})

/** Operation parameters that contain a query and do not name another one. */
const sentQuery = plainBody.pick({ operationName: true, variables: true, extensions: true }).extend({
  query: z.string().min(1),
})

/** A valid operation. */
export interface PlainOperation {
  readonly document: DocumentNode
  readonly operationName: string | null | undefined
  readonly variables: Readonly<Record<string, unknown>> | null | undefined
  /** The media type of the response. */
  readonly type: ResultType
}

const responseTypes: ReadonlyMap<string, ResultType> = new Map([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
])

/** The first acceptable media type for an operation that is not a stream, as yoga chooses it. */
function acceptedType(accept: string | null): ResultType | undefined {
  for (const range of (accept ?? '*/*').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const type = responseTypes.get(name)
    if (type && parameters.every((text) => !text.startsWith('charset') || text === 'charset=utf-8')) return type
  }
  return undefined
}

interface Known {
  readonly caller: Caller
  readonly queries: PersistedQueries
  readonly documents: DocumentCache
  readonly validate: Validate
}

/** The parameters, with the query that they name. @throws the error that yoga reports. */
function parametersOf(body: unknown, { caller, queries }: Known): z.output<typeof sentQuery> {
  const params = plainBody.parse(body)
  const { query, extensions, documentId, doc_id, id } = params
  const isNamed = queries.trusted.only || !query || extensions?.['persistedQuery'] !== undefined
  if (!isNamed && documentId === undefined && doc_id === undefined && id === undefined) return { ...params, query }
  return sentQuery.strict().parse(resolveQuery(queries, caller, params))
}

/** Reads the operation of a POST request. Undefined if yoga must handle it. */
export function readPlainOperation(
  { method, headers }: Request,
  { json }: Pick<BodyInMemory, 'json'>,
  known: Known,
): PlainOperation | undefined {
  if (method !== 'POST' || !jsonContentType.test(headers.get('content-type') ?? '')) return undefined
  const type = acceptedType(headers.get('accept'))
  if (type === undefined) return undefined
  try {
    const { query, operationName, variables } = parametersOf(json(), known)
    const { document } = parseOnce(known.documents, query)
    if (known.validate(document).length > 0) return undefined
    const facts = factsOf({ document, operationName })
    if (facts === undefined || facts.type === OperationTypeNode.SUBSCRIPTION) return undefined
    return { document, operationName, variables, type }
  } catch {
    // Yoga reports the same error.
    return undefined
  }
}

/** Runs an operation through the pipeline. */
export async function executePlainly(
  { document, operationName, variables: variableValues, type }: PlainOperation,
  contextValue: GraphContext,
  { run }: Pick<Pipeline, 'run'>,
): Promise<PlainResponse> {
  const result = await run({ schema, document, operationName, variableValues, contextValue }, contextValue)
  if (isAsyncIterable(result)) throw new Error('a plain operation is no subscription')
  return resultResponse(result, type)
}
