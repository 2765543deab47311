// HTTP methods and error statuses of the REST API.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { table } from '../../src/rest/routes/table.ts'
import { patternOf } from '../support/contract.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function withAda() {
  const acme = await world.environment()
  await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', firstName: 'Ada' } })
  return acme
}

describe('HTTP methods', () => {
  test('include HEAD, which responds like GET without a body', async () => {
    const ada = await withAda()
    const head = await ada.rest('HEAD /v2/subscribers/ada')
    expect(head).toMatchObject({ status: 200, body: undefined })
    expect(head.headers.get('content-type')).toBe('application/json')
    expect((await ada.rest('HEAD /v2/subscribers/eve')).status).toBe(404)
  })

  const paths = [...new Set(table.map(({ path }) => path))]
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

  test.each(paths)('that %s lacks return 405 with an Allow header', async (template) => {
    const methodsOf = (rows: typeof table) => rows.map(({ method }) => method.toUpperCase())
    const allowed = methodsOf(table.filter(({ path }) => path === template))
    const reading = allowed.includes('GET') ? ['HEAD'] : []
    const allow = [...allowed, ...reading, 'OPTIONS'].sort().join(', ')
    const path = template.replaceAll(/\{\w+\}/g, 'ada') as `/${string}`
    // `/trigger/bulk` also matches `/trigger/{transactionId}`, whose methods are therefore not tested.
    const possible = methodsOf(table.filter((row) => patternOf(row.path).test(path)))
    for (const method of methods.filter((name) => !possible.includes(name))) {
      const refused = await world.development.rest(`${method} ${path}`)
      expect(refused).toMatchObject({ status: 405, body: { statusCode: 405, path } })
      expect(refused.headers.get('allow')).toBe(allow)
    }
    const asked = await world.development.rest(`OPTIONS ${path}`)
    expect(asked).toMatchObject({ status: 204, body: undefined })
    expect(asked.headers.get('allow')).toBe(allow)
  })
})

describe('REST errors', () => {
  afterEach(() => vi.restoreAllMocks())

  test.each([
    ['no credentials', '', 'Missing authorization header'],
    ['another scheme', 'Basic x', 'Invalid authentication scheme: "Basic"'],
    ['an unknown key', 'ApiKey nobody', 'API Key not found'],
    ['no key', 'ApiKey', 'API Key not found'],
  ])('are 401 for %s', async (_what, authorization, message) => {
    const refused = await world.development.rest('GET /v2/subscribers', { headers: { authorization } })
    expect(refused).toMatchObject({ status: 401, body: { statusCode: 401, message } })
  })

  test('are 401 for a revoked key', async () => {
    const acme = await world.environment()
    const { newApiKey } = await acme.act('createApiKey', { name: 'Old' }, 'newApiKey { key apiKey { id } }')
    await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
    const refused = await world.client(newApiKey.key).rest('GET /v2/subscribers')
    expect(refused).toMatchObject({ status: 401, body: { message: 'API Key not found' } })
  })

  test('are 403 for writes with a read-only key', async () => {
    const acme = await withAda()
    const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    const reader = world.client(newApiKey.key)
    expect((await reader.rest('GET /v2/subscribers/ada')).status).toBe(200)
    expect(await reader.rest('DELETE /v2/subscribers/ada')).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('subscriber:write') },
    })
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(200)
  })

  test('are 400 with a type and an error list for an invalid trigger request', async () => {
    const unreadable = { statusCode: 400, type: 'PAYLOAD_VALIDATION_ERROR', errors: [] }
    const refused = await world.development.rest('POST /v1/events/trigger', { body: '{' })
    expect(refused).toMatchObject({ status: 400, body: unreadable })
    const headers = { 'idempotency-key': 'k'.repeat(256) }
    const keyed = await world.development.rest('POST /v1/events/trigger', { body: {}, headers })
    expect(keyed.body).toMatchObject({ ...unreadable, errors: [{ field: 'idempotency-key' }] })
  })

  function failStatements(error: Error) {
    vi.spyOn(world.database.pool, 'query').mockImplementation(() => {
      throw error
    })
  }

  test('are 500 with an error id for internal errors, and only the log has the cause', async () => {
    const cause = new Error('relation "subscribers" is on fire')
    failStatements(cause)
    const before = world.logged.length
    const failed = await world.development.rest('GET /v2/subscribers/ada')
    expect(failed).toMatchObject({ status: 500, body: { errorId: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
    expect(JSON.stringify(failed.body)).not.toMatch(/fire|relation|\.ts/)
    const lines = world.logged.slice(before).filter(({ errorId }) => errorId === failed.body.errorId)
    expect(lines).toMatchObject([{ level: 50, err: { message: cause.message } }])
  })

  test('are 503 in plain text with Retry-After while the database is unavailable', async () => {
    const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    failStatements(away)
    const refused = await world.development.rest('GET /v2/subscribers')
    expect(refused).toMatchObject({ status: 503, body: expect.stringMatching(/Try again/) })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('content-type')).toMatch(/^text\/plain/)
  })
})
