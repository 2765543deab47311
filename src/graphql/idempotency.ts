// Idempotency at this door: which operations a key applies to.
import { getOperationAST, OperationTypeNode, parse } from 'graphql'
import { z } from 'zod'
import type { Scope } from '../domain/scope.ts'
import { runIdempotently } from '../http/idempotency.ts'
import type { RateMeter } from '../http/rate-meter.ts'
import { MAX_QUERY_LENGTH, MAX_TOKENS } from './plugins/use-document-limits.ts'
import { type Operation, ratesOf } from './plugins/use-rate-limit.ts'

const operation = z.object({ query: z.string().max(MAX_QUERY_LENGTH), operationName: z.string().nullish() })

/** The mutation that a body asks for, if it does. What cannot be read asks for nothing, and the engine tells why. */
function mutationOf(body: string): Operation | undefined {
  try {
    const { query, operationName } = operation.parse(JSON.parse(body))
    const document = parse(query, { maxTokens: MAX_TOKENS })
    const { MUTATION } = OperationTypeNode
    return getOperationAST(document, operationName)?.operation === MUTATION ? { document, operationName } : undefined
  } catch {
    return undefined
  }
}

/**
 * Runs an operation. A mutation with an idempotency key is one transaction with all its fields and its answer; a query
 * holds none, whatever header it has.
 *
 * @throws Refusal `RATE_LIMITED` before that transaction begins: a caller over its limit is not to hold one.
 */
export async function runOperation(
  scope: Scope,
  request: Request,
  meter: RateMeter,
  run: (scope: Scope) => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST' || !request.headers.has('idempotency-key')) return run(scope)
  const body = await request.clone().text()
  const mutation = mutationOf(body)
  if (mutation === undefined) return run(scope)
  meter.draw(ratesOf(mutation))
  return runIdempotently(scope, request, body, run)
}
