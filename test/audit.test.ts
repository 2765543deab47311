// The complete published audit of GraphQL over HTTP.
import { serverAudits } from 'graphql-http'
import { describe, expect, test } from 'vitest'
import { useWorld } from './support/world.ts'

const world = useWorld()

const audits = serverAudits({
  url: 'http://gateway.test/graphql',
  fetchFn: (url: string, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `ApiKey ${world.development.key}`)
    return world.app.fetch(new Request(url, { ...init, headers }))
  },
})

describe('GraphQL over HTTP', () => {
  test('has an audit of 61 parts', () => expect(audits).toHaveLength(61))

  for (const { id, name, fn } of audits) {
    test(`${id}: ${name}`, async () => expect(await fn()).toMatchObject({ status: 'ok' }))
  }
})
