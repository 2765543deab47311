// Reads what the gateway needs of a response.
import type { Dispatcher } from 'undici'
import { ArrivingBytes } from '../../lib/bytes/arriving-bytes.ts'

/**
 * Reads at most `maxBytes`. Leaving the loop early closes the connection.
 *
 * @param expected the number of bytes, if it is known.
 */
export async function bytesOfBody(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  expected?: number,
): Promise<Buffer> {
  const bytes = new ArrivingBytes(expected === undefined ? undefined : Math.min(expected, maxBytes))
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes.add(chunk.subarray(0, maxBytes - bytes.size))
    if (bytes.size >= maxBytes) break
  }
  return bytes.end()
}

/** The number of bytes of a response, as it says. Undefined if it does not. */
export function lengthOf(headers: Dispatcher.ResponseData['headers']): number | undefined {
  const given = Number(headers['content-length'])
  return Number.isSafeInteger(given) && given > 0 ? given : undefined
}

export const textOf = async (body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> =>
  new TextDecoder().decode(await bytesOfBody(body, maxBytes))

/** `Retry-After` is a number of seconds, or a date relative to the server's own clock (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: Dispatcher.ResponseData['headers']): number | null {
  const given = headers['retry-after']
  if (typeof given !== 'string') return null
  if (/^\d{1,9}$/.test(given)) return Number(given)
  const seconds = (Date.parse(given) - Date.parse(String(headers['date']))) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}

/** The headers that occur once, by their names in lower case. */
export const singleHeaders = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
