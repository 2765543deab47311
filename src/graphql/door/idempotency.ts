// Idempotency in the graph: a key applies to mutations only.
import { getOperationAST, OperationTypeNode } from 'graphql'
import { z } from 'zod'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { type Answer, fingerprintOf, runIdempotently } from '../../http/idempotency.ts'
import type { AnyResponse } from '../../http/plain-response.ts'
import type { RateMeter } from '../../http/rate-meter.ts'
import type { BodyInMemory } from '../../http/request-body.ts'
import { errorKinds } from '../../lib/errors.ts'
import { type DocumentCache, parseOnce } from '../pipeline/document-cache.ts'
import { factsOf } from '../pipeline/document-facts.ts'
import { MAX_QUERY_LENGTH } from '../pipeline/document-limits.ts'
import { ratesOf } from '../pipeline/rate.ts'
import type { ParsedQuery } from '../schema/builder.ts'
import { nameOfQuery, type PersistedQueries } from '../pipeline/persisted-queries.ts'

const requestBody = z.object({
  query: z.string().max(MAX_QUERY_LENGTH).nullish(),
  operationName: z.string().nullish(),
  variables: z.unknown(),
})

interface Known {
  readonly queries: PersistedQueries
  readonly documents: DocumentCache
}

interface RequestedOperation extends ParsedQuery {
  readonly operationName: string | null | undefined
  /**
   * The text that identifies equal requests. A client may send its query in one request and only the query's hash in
   * the next.
   */
  readonly identity: string
}

/** The operation of a request body. Undefined if the body is invalid: yoga reports the error. */
function operationOf(
  body: string,
  { caller }: DoorScope,
  { queries, documents }: Known,
): RequestedOperation | undefined {
  try {
    const params: unknown = JSON.parse(body)
    const { query: sent, operationName, variables } = requestBody.parse(params)
    const query = sent == null || sent === '' ? queries.find(caller, params) : sent
    if (query === undefined) return undefined
    const isNamed = nameOfQuery(params) !== undefined
    const identity = isNamed ? JSON.stringify([query, operationName ?? null, variables ?? null]) : body
    return { ...parseOnce(documents, query), operationName, identity }
  } catch {
    return undefined
  }
}

function isMutation({ document, operationName }: RequestedOperation): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION
}

const withoutData = z.object({
  data: z.null().optional(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }).optional() })),
})

/** True if the response has no data because the caller lacks a right. Its status is 200. */
function isForbidden({ headers, body }: Answer): boolean {
  const { code } = errorKinds.FORBIDDEN
  if (!body.includes(`"${code}"`) || headers['content-type']?.includes('json') !== true) return false
  const { data } = withoutData.safeParse(JSON.parse(body))
  return data?.errors.some(({ extensions }) => extensions?.code === code) ?? false
}

/**
 * Runs an operation. With an idempotency key, all fields of a mutation and the stored response are one transaction.
 * Queries ignore the key.
 *
 * @throws Refusal `RATE_LIMITED` before the transaction begins, so that a caller over its limit does not hold one.
 */
export async function runOperation(
  scope: DoorScope,
  request: Request,
  { text }: Pick<BodyInMemory, 'text'>,
  { meter, ...known }: Known & { readonly meter: RateMeter },
  run: (scope: DoorScope) => Promise<AnyResponse>,
): Promise<AnyResponse> {
  if (request.method !== 'POST' || !request.headers.has('idempotency-key')) return run(scope)
  const operation = operationOf(text(), scope, known)
  if (operation === undefined || !isMutation(operation)) return run(scope)
  meter.draw(ratesOf(operation, () => Buffer.byteLength(operation.identity)))
  const secret = factsOf(operation)?.secret ?? false
  const fingerprint = () => fingerprintOf(scope, request, operation.identity)
  const repeatable = { request, fingerprint, secret, isForbidden }
  return runIdempotently(scope, repeatable, run)
}
