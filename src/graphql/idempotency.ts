// Idempotency at this door: which operations a key applies to.
import { getOperationAST, OperationTypeNode, parse } from 'graphql'
import { z } from 'zod'
import type { Scope } from '../domain/scope.ts'
import { runIdempotently } from '../http/idempotency.ts'
import { MAX_QUERY_LENGTH, MAX_TOKENS } from './document-limits.ts'

const operation = z.object({ query: z.string().max(MAX_QUERY_LENGTH), operationName: z.string().nullish() })

/** Whether a body asks for a mutation. What cannot be read asks for nothing, and the engine tells the caller why. */
function isMutation(body: string): boolean {
  try {
    const { query, operationName } = operation.parse(JSON.parse(body))
    return (
      getOperationAST(parse(query, { maxTokens: MAX_TOKENS }), operationName)?.operation === OperationTypeNode.MUTATION
    )
  } catch {
    return false
  }
}

/**
 * Runs an operation. A mutation with an idempotency key is one transaction with all its fields and its answer; a query
 * holds none, whatever header it has.
 */
export async function runOperation(
  scope: Scope,
  request: Request,
  run: (scope: Scope) => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST' || !request.headers.has('idempotency-key')) return run(scope)
  const body = await request.clone().text()
  return isMutation(body) ? runIdempotently(scope, request, body, run) : run(scope)
}
