// Reads what the gateway needs of a response.
import type { Dispatcher } from 'undici'

/** Reads at most `maxBytes`. Leaving the loop early closes the connection. */
export async function bytesOfBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
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
