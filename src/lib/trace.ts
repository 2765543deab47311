// Traces: the context in the header `traceparent` of requests (W3C Trace Context).
import { randomUUID } from 'node:crypto'

/** The part of a trace that requests and jobs pass on. */
export interface Traced {
  /** The version, the id of the trace, the id of the parent span, and flags: `00-<32>-<16>-<2 hex digits>`. */
  readonly traceparent: string
}

/** Ids must not be zero, and the version not `ff`. Later versions may append fields. */
const header = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(-.*)?$/

/** Reads the header. @returns undefined if it is missing or invalid. */
export function readTraceparent(given: string | null): string | undefined {
  const [, fields, more] = header.exec(given ?? '') ?? []
  if (fields === undefined || (more !== undefined && given?.startsWith('00') === true)) return undefined
  return `00-${fields}`
}

/** The id of a trace: 32 hexadecimal digits. */
export const traceIdOf = ({ traceparent }: Traced): string => traceparent.slice(3, 35)

/** The random part of a UUID, without the version: 16 hexadecimal digits, which are never all zero. */
const randomSpanId = (): string => {
  const uuid = randomUUID()
  return uuid.slice(19, 23) + uuid.slice(24)
}

/**
 * A trace that begins here. Its ids are created when needed, from Node's own pool of random bytes, because asking the
 * system for them takes longer than routing a request.
 */
export class NewTrace implements Traced {
  #traceparent: string | undefined

  get traceparent(): string {
    // Not sampled, because no one has recorded its first span.
    return (this.#traceparent ??= `00-${randomUUID().replaceAll('-', '')}-${randomSpanId()}-00`)
  }
}
