// Raw GraphQL requests, including those that a well-behaved client never sends.
import { expect } from 'vitest'
import type { GraphqlError, World } from './world.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Empty if the body is not JSON. */
  readonly errors: readonly GraphqlError[]
}

/**
 * Sends a request to `/graphql`, with the API key of Development unless `headers` override it. Checks that every error
 * has a code and does not expose the extension for the HTTP layer.
 */
export async function request(world: World, init: RequestInit = {}, search = ''): Promise<RawAnswer> {
  const headers = new Headers({ authorization: `ApiKey ${world.development.key}` })
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  const response = await world.app.fetch(new Request(`http://gateway.test/graphql${search}`, { ...init, headers }))
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const errors: readonly GraphqlError[] = isJson ? (JSON.parse(text).errors ?? []) : []
  for (const { extensions } of errors) {
    expect(extensions).toHaveProperty('code', expect.any(String))
    expect(extensions).not.toHaveProperty('http')
  }
  return { status: response.status, headers: response.headers, text, errors }
}

/** Posts JSON, and accepts the GraphQL response media type, with which the HTTP status reflects the error. */
export function post(world: World, body: unknown, headers: HeadersInit = {}): Promise<RawAnswer> {
  const all = new Headers({ 'content-type': 'application/json', accept: 'application/graphql-response+json' })
  for (const [name, value] of new Headers(headers)) all.set(name, value)
  return request(world, { method: 'POST', headers: all, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

export const codesOf = ({ errors }: { readonly errors: readonly GraphqlError[] }) =>
  errors.map(({ extensions }) => extensions?.['code'])
