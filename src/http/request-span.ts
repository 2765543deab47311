// The span of a request.
import { inSpan } from '../lib/span.ts'
import type { RequestRecord } from './request-record.ts'

/** Answers a request in a span. */
export function inRequestSpan(
  record: RequestRecord,
  { method }: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  return inSpan(
    () => ({ name: method, kind: 'server', parent: record.received, attributes: { 'http.request.method': method } }),
    async (span) => {
      if (span === undefined) return answer()
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
    },
  )
}
