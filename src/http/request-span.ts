// The span of a request.
import { inSpan, type OpenSpan } from '../lib/span.ts'
import type { RequestRecord } from './request-record.ts'

type Answer = () => Promise<Response>

/** Processes a request in a span. */
export function inRequestSpan(record: RequestRecord, { method }: Request, answer: Answer): Promise<Response> {
  return inSpan(
    () => ({ name: method, kind: 'server', parent: record.received, attributes: { 'http.request.method': method } }),
    (span) => (span === undefined ? answer() : answerIn(span, record, answer)),
  )
}

async function answerIn(span: OpenSpan, record: RequestRecord, answer: Answer): Promise<Response> {
  record.join(span)
  const response = await answer()
  const { door, operation, caller } = record
  span.rename(`${door} ${operation}`)
  span.set({
    'http.response.status_code': response.status,
    ...(caller && { 'environment.id': caller.environmentId }),
  })
  if (response.status >= 500) span.fail()
  return response
}
