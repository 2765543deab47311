// Requests of a benchmark to the REST API.
import type { GatewayProcess } from './gateway-process.ts'

/** Sends a request. @returns the parsed body of the response. @throws Error if the response is not a success. */
export type Post = (path: string, body: object) => Promise<unknown>

/** Sends requests with the first API key that a process printed. */
export function postTo({ address, keys: [key] }: GatewayProcess): Post {
  if (key === undefined) throw new Error('the first start printed no API key')
  const headers = { 'content-type': 'application/json', authorization: `ApiKey ${key}` }
  return async (path, body) => {
    const response = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<unknown>
  }
}
