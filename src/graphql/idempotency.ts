// Idempotency in the graph: a key applies to mutations only.
import { getOperationAST, OperationTypeNode } from 'graphql'
import { z } from 'zod'
import type { Scope } from '../domain/scope.ts'
import { runIdempotently } from '../http/idempotency.ts'
import type { RateMeter } from '../http/rate-meter.ts'
import { MAX_QUERY_LENGTH, parseBounded } from './plugins/use-document-limits.ts'
import { ratesOf } from './plugins/use-rate-limit.ts'
import type { ParsedQuery } from './schema/builder.ts'

const requestBody = z.object({ query: z.string().max(MAX_QUERY_LENGTH), operationName: z.string().nullish() })

interface RequestedOperation extends ParsedQuery {
  readonly operationName: string | null | undefined
}

/** The operation of a request body. Undefined if the body is invalid: yoga reports the error. */
function operationOf(body: string): RequestedOperation | undefined {
  try {
    const { query, operationName } = requestBody.parse(JSON.parse(body))
    return { ...parseBounded(query), operationName }
  } catch {
    return undefined
  }
}

function isMutation({ document, operationName }: RequestedOperation): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION
}

/**
 * Runs an operation. A mutation with an idempotency key is one transaction with all its fields and its response. Queries
 * ignore the key.
 *
 * @param run gets the query if it was parsed to decide this.
 * @throws Refusal `RATE_LIMITED` before the transaction begins, so that a caller over its limit does not hold one.
 */
export async function runOperation(
  scope: Scope,
  request: Request,
  meter: RateMeter,
  run: (scope: Scope, parsed?: ParsedQuery) => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST' || !request.headers.has('idempotency-key')) return run(scope)
  const body = await request.clone().text()
  const operation = operationOf(body)
  if (operation === undefined || !isMutation(operation)) return run(scope, operation)
  meter.draw(ratesOf(operation))
  return runIdempotently(scope, request, body, (inner) => run(inner, operation))
}
