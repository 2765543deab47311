// Authentication of every request by its API key.
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { codesOf, post, request } from '../support/http.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const query = '{ environment { name } }'
const withoutKey = { authorization: '' }

describe('authentication', () => {
  test.each([
    ['no header', '', 'Missing authorization header'],
    ['another scheme', 'Basic abc', 'Invalid authentication scheme: "Basic"'],
    ['a key as Bearer', `Bearer ng_nobodys`, 'Session not found'],
    ['a scheme alone', 'ApiKey', 'API Key not found'],
    ['an unknown key', 'ApiKey ng_nobodys', 'API Key not found'],
  ])('rejects a request with %s', async (_case, authorization, message) => {
    const answer = await post(world, { query }, { authorization })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey')
    expect(answer.errors).toEqual([{ message, extensions: { code: 'UNAUTHENTICATED' } }])
  })

  test('accepts the scheme in any case', async () => {
    const answer = await post(world, { query }, { authorization: `apikey ${world.development.key}` })
    expect(answer.status).toBe(200)
  })

  test('logs rejected keys once and then their number once a minute, without the keys and without headers', async () => {
    const { unknownKeys } = world.gateway
    unknownKeys.close()
    const start = world.logged.length
    const secret = 'ng_a-key-that-somebody-guessed'
    const headers = { authorization: `ApiKey ${secret}`, 'x-secret': secret, 'user-agent': secret }
    for (let count = 0; count < 100; count += 1) {
      await Promise.all([1, 2, 3].map(() => post(world, { query }, headers)))
    }
    const lines = () => world.logged.slice(start).filter(({ level }) => Number(level) >= 30)
    expect(lines()).toMatchObject([{ level: 40, msg: 'API keys rejected', count: 1 }])
    unknownKeys.close()
    expect(lines()).toMatchObject([{ count: 1 }, { level: 40, msg: 'API keys rejected', count: 299 }])
    expect(JSON.stringify(lines())).not.toContain(secret)
  })

  test('rejects a revoked key like an unknown one', async () => {
    const client = await world.environment()
    const { newApiKey } = await client.act('createApiKey', { name: 'Short-lived' }, 'newApiKey { key apiKey { id } }')
    const revoked = world.client(newApiKey.key)
    expect(await revoked.send(query)).toMatchObject({ status: 200 })
    await client.act('revokeApiKey', { id: newApiKey.apiKey.id })
    const answer = await revoked.send(query)
    expect(answer.status).toBe(401)
    expect(answer.errors).toEqual([{ message: 'API Key not found', extensions: { code: 'UNAUTHENTICATED' } }])
  })

  test.each([
    ['introspection', () => post(world, { query: getIntrospectionQuery() }, withoutKey)],
    ['a query over GET', () => request(world, { headers: withoutKey }, `?query=${encodeURIComponent(query)}`)],
    ['a body that is no JSON', () => post(world, '{ "not JSON', withoutKey)],
    ['a body that is too large', () => post(world, 'x'.repeat(5_000_000), withoutKey)],
    ['a method that the graph does not have', () => request(world, { method: 'DELETE', headers: withoutKey })],
  ])('comes before every other check: %s', async (_case, send) => {
    const answer = await send()
    expect(answer.status).toBe(401)
    expect(codesOf(answer)).toEqual(['UNAUTHENTICATED'])
  })

  test('is not needed to open GraphiQL', async () => {
    const page = await request(world, { headers: { ...withoutKey, accept: 'text/html,*/*;q=0.8' } })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.text).toContain('<title>GraphiQL</title>')
  })

  test('forbids an operation that the API key has no permission for', async () => {
    const client = await world.environment()
    const { newApiKey } = await client.act(
      'createApiKey',
      { name: 'Dashboard', access: 'READ_ONLY' },
      'newApiKey { key }',
    )
    const reader = world.client(newApiKey.key)
    expect((await reader.send('{ subscribers { totalCount } }')).errors).toEqual([])
    const { errors } = await reader.send(
      'mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { code } } }',
    )
    expect(errors).toMatchObject([
      { message: expect.stringContaining('subscriber:write'), extensions: { code: 'FORBIDDEN' } },
    ])
    expect(await client.ask('{ subscribers { totalCount } }')).toEqual({ subscribers: { totalCount: 0 } })
  })
})
