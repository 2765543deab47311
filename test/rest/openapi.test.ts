// The OpenAPI document, the contract check that uses it, and the documentation page.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { EndpointType } from '../../src/data/prisma/enums.ts'
import { endpointTypes } from '../../src/domain/channel/endpoint-type.ts'
import { table } from '../../src/rest/routes/table.ts'
import { contractOf } from '../support/contract.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.test/notifications', euBaseUrl: 'https://eu.gateway.test' })

const withoutDashboard = useWorld({ dashboard: false })

/** The error statuses of every operation (SPEC: Errors). */
const refused = [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 422, 429, 500, 503]

/** The paths of enums that list a value twice. */
function duplicates(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const values = 'enum' in value && Array.isArray(value.enum) ? value.enum : []
  const own = new Set(values).size < values.length ? [path] : []
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => duplicates(inner, `${path}/${key}`))]
}

const get = (path: string) => world.app.fetch(new Request(`http://gateway.test${path}`))

async function readDocument(path = '/openapi.json') {
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')

  return response.json()
}

describe('the OpenAPI document', () => {
  test.each(['/openapi.json', '/novu/openapi.json'])('at %s passes the recommended rules of Redocly', async (path) => {
    const problems = await lintFromString({
      source: JSON.stringify(await readDocument(path)),
      config: await createConfig({ extends: ['recommended'] }),
    })
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer ?? '?'}: ${message}`),
    ).toEqual([])
  })

  test('contains the API version, both base URLs and the authentication scheme', async () => {
    expect(await readDocument()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '3.19.0' },
      servers: [{ url: 'https://gateway.test/notifications' }, { url: 'https://eu.gateway.test' }],
      security: [{ ApiKey: [] }, { Dashboard: [] }],
      components: { securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
    })
  })

  test('lists the credentials that an operation accepts besides an API key', async () => {
    const { paths } = await readDocument()
    const opens = (path: string, method: string) =>
      paths[path][method].security?.flatMap((scheme: object) => Object.keys(scheme))
    expect(opens('/v1/inbox/session', 'post')).toEqual(['ApiKey', 'Dashboard', 'Environment'])
    expect(opens('/v2/subscribers/{subscriberId}/preferences', 'patch')).toEqual(['ApiKey', 'Dashboard', 'Session'])
    expect(opens('/v2/subscribers/{subscriberId}/notifications', 'get')).toEqual(['ApiKey', 'Dashboard', 'Session'])
    expect(opens('/v2/subscribers/{subscriberId}', 'get')).toBeUndefined()
  })

  test('contains exactly the operations of the route table', async () => {
    const { paths } = await readDocument()
    const operations = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )
    expect(operations.sort()).toEqual(table.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test.each(table)('lists the statuses, common errors and idempotency key of $method $path', async (row) => {
    const { paths } = await readDocument()
    const { responses, parameters } = paths[row.path][row.method]
    const stale = row.conditional ? [412] : []
    expect(Object.keys(responses).sort()).toEqual(
      [...new Set([...row.statuses, ...refused, ...stale])].sort().map(String),
    )
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' })
    const condition = { $ref: '#/components/parameters/IfMatch' }
    if (row.conditional) expect(parameters).toContainEqual(condition)
    else expect(parameters).not.toContainEqual(condition)
  })

  test('describes every parameter', async () => {
    const { paths } = await readDocument()
    const undescribed = table.flatMap(({ path, method }) =>
      paths[path][method].parameters
        .filter((parameter: object) => !('$ref' in parameter) && !('description' in parameter))
        .map(({ name }: { name: string }) => `${name} of ${method} ${path}`),
    )
    expect(undescribed).toEqual([])
  })

  test.each([
    ['/v1/events/trigger', 'events', '/v1/events/trigger/bulk'],
    ['/v2/subscribers', 'subscribers', '/v1/subscribers/bulk'],
  ])('uses the body schema of %s for the rows of its bulk operation', async (path, rows, bulkPath) => {
    const { paths, components } = await readDocument()
    const schemaOf = (path: string) => paths[path].post.requestBody.content['application/json'].schema
    const bulk = components.schemas[schemaOf(bulkPath).$ref.split('/').at(-1)]
    // Any other value is also accepted, and fails alone.
    expect(bulk.properties[rows].items.anyOf).toEqual([schemaOf(path), { description: expect.any(String) }])
  })

  test('names the schema of every body', async () => {
    const { paths } = await readDocument()
    const bodies = table
      .filter(({ body, takesFile }) => body !== undefined && takesFile === undefined)
      .map(({ path, method }) => paths[path][method].requestBody.content['application/json'].schema)
    expect(bodies).toEqual(bodies.map(() => ({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) })))
    expect(new Set(bodies.map(({ $ref }) => $ref)).size).toBeGreaterThan(bodies.length / 2)
  })

  test('describes a file that is a body or a response as bytes of any type', async () => {
    const { paths } = await readDocument()
    const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } }
    expect(paths['/v1/attachments'].post.requestBody).toEqual({ required: true, content: bytes })
    expect(paths['/v1/attachments/{id}'].get.responses[200].content).toEqual(bytes)
  })

  test('describes a channel endpoint as one of the endpoint types, told apart by its type', async () => {
    const { schemas } = (await readDocument()).components
    const { oneOf, discriminator } = schemas.ChannelEndpoint
    expect(discriminator.propertyName).toBe('type')
    expect(Object.keys(discriminator.mapping).sort()).toEqual(Object.values(EndpointType).sort())
    for (const [type, $ref] of Object.entries<string>(discriminator.mapping)) {
      expect(oneOf).toContainEqual({ $ref })
      const { properties, required } = schemas[$ref.split('/').at(-1) ?? '']
      expect(properties.type.const).toBe(type)
      expect(required).toHaveLength(11)
      expect(Object.keys(properties.endpoint.properties)).toEqual(
        Object.keys(endpointTypes[type as EndpointType].fields),
      )
    }
    expect(schemas.PhoneEndpoint.properties.endpoint).toMatchObject({
      properties: { phoneNumber: { type: 'string' } },
      required: ['phoneNumber'],
    })
    expect(schemas.ToolWebhookEndpoint.properties.endpoint).toMatchObject({
      properties: { method: { enum: ['POST', 'PUT', 'PATCH'] } },
      required: ['url'],
    })
  })

  // The recommended rules of Spectral that Redocly's do not contain.
  test('passes the recommended rules of Spectral', async () => {
    const { info, paths, tags, components } = await readDocument()
    const operations = table.map(({ path, method }) => paths[path][method])
    const names = tags.map(({ name }: { name: string }) => name)
    expect(info).toMatchObject({ contact: { name: expect.any(String) }, description: expect.any(String) })
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    for (const { operationId, description, tags } of operations) {
      expect(operationId).toMatch(/^[\w.]+$/)
      expect(description).toMatch(/^\S/)
      expect(description).not.toMatch(/<script|eval\(/)
      expect(tags).toHaveLength(1)
      expect(names).toContain(tags[0])
    }
    expect(new Set(names).size).toBe(names.length)
    expect(Object.keys(paths).filter((path) => /\/$|\?|\{\}/.test(path))).toEqual([])
    const text = JSON.stringify({ paths, components })
    expect(Object.keys(components.schemas).filter((name) => !text.includes(`/schemas/${name}"`))).toEqual([])
    expect(duplicates(components)).toEqual([])
  })

  test('lists rate limit and idempotency headers for every shared response except 414', async () => {
    const { components } = await readDocument()
    const { URI_TOO_LONG, ...others } = components.responses
    expect(URI_TOO_LONG.headers).toEqual({})
    for (const { headers } of Object.values<{ headers: object }>(others)) {
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RateLimit-Policy', 'Idempotency-Key']))
    }
  })

  test('has a valid example for every operation with a body', () => {
    const without = table.filter(({ body, example }) => body?.safeParse(example).success === false)
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })
})

describe('the contract check', () => {
  const limits = {
    'RateLimit-Limit': '300',
    'RateLimit-Policy': '300;w=5',
    'RateLimit-Remaining': '299',
    'RateLimit-Reset': '0',
  }
  const json = { 'Content-Type': 'application/json' }
  const missing = {
    method: 'GET',
    path: '/v2/subscribers/ada',
    key: {},
    status: 404,
    headers: { ...json, ...limits } as Record<string, string>,
    body: { statusCode: 404, timestamp: '2026-01-01T00:00:00.000Z', path: '/v2/subscribers/ada' } as object,
  }

  async function assert({ method, path, key, status, headers, body }: typeof missing): Promise<void> {
    const contract = await contractOf(world.app)
    const request = new Request(`http://gateway.test${path}`, { method, headers: key })
    const response = new Response(null, { status, headers })
    contract.assert(request, response, JSON.stringify(body))
  }

  test('accepts a documented response', async () => {
    await expect(assert(missing)).resolves.toBeUndefined()
  })

  test.each<[string, Partial<typeof missing>, string]>([
    ['a status that is not documented', { status: 418 }, 'no such status'],
    ['an operation that is not documented', { method: 'PUT', status: 200 }, 'no such operation'],
    ['a field that is missing', { body: { statusCode: 404 } }, "must have required property 'timestamp'"],
    ['a field that nobody documented', { body: { ...missing.body, cause: 'x' } }, 'additional properties'],
    ['another content type', { headers: { ...limits, 'Content-Type': 'text/html' } }, 'content type'],
    ['a 405 without Allow', { status: 405 }, 'Allow is missing'],
    ['an answer that tells of no limits', { headers: json }, 'RateLimit-Limit is missing'],
    ['an answer that does not echo its key', { key: { 'idempotency-key': 'k' } }, 'Idempotency-Key is missing'],
    ['a 414 that tells of limits', { status: 414 }, 'RateLimit-Limit is not documented'],
    ['a body where none is documented', { method: 'DELETE', path: '/v2/contexts/a/b', status: 204 }, 'has a body'],
  ])('rejects %s', async (_what, wrong, message) => {
    await expect(assert({ ...missing, ...wrong })).rejects.toThrow(message)
  })
})

describe('a client generated from the document', () => {
  const base = 'http://gateway.test'

  test('percent-encodes parameters and repeats the keys of arrays', async () => {
    const contract = await contractOf(world.app)
    const contextKeys = ['tenant:acme', 'app:web']
    expect(contract.requestOf(base, 'topicSubscription.list', { topicKey: 'a:b/c', limit: 5, contextKeys }).url).toBe(
      `${base}/v2/topics/a%3Ab%2Fc/subscriptions?limit=5&contextKeys=tenant%3Aacme&contextKeys=app%3Aweb`,
    )
    expect(contract.requestOf(base, 'channelEndpoint.list', { contextKeys: [] }).url).toBe(
      `${base}/v1/channel-endpoints?contextKeys=`,
    )
  })

  const ada = { subscriberId: 'ada' }
  const credentials = { webhookUrl: 'https://chat.example.com/ada' }

  test.each([
    ['an operation that it does not have', 'subscriber.rename', {}, undefined, 'no operation "subscriber.rename"'],
    ['no parameter that is required', 'subscriber.get', {}, undefined, "must have required property 'subscriberId'"],
    ['a parameter of another type', 'subscriber.list', { limit: 'ten' }, undefined, '/limit must be'],
    ['a parameter that is not there', 'subscriber.list', { colour: 'green' }, undefined, 'additional properties'],
    ['a value that is in no list', 'channelEndpoint.list', { channel: 'fax' }, undefined, 'one of the allowed values'],
    ['no body where one is required', 'subscriber.upsert', {}, undefined, 'must be object'],
    ['a body where none is read', 'subscriber.delete', ada, {}, 'must NOT be valid'],
    ['a field of another type', 'subscriber.upsert', {}, { ...ada, email: 5 }, '/email must be string'],
    ['a field that is not there', 'subscriber.upsert', {}, { ...ada, colour: 'green' }, 'additional properties'],
    ['an unknown provider', 'subscriber.upsert', {}, { ...ada, channels: { fax: credentials } }, 'property name'],
  ])('rejects %s', async (_what, operationId, parameters, body, message) => {
    const contract = await contractOf(world.app)
    expect(() => contract.requestOf(base, operationId, parameters, body)).toThrow(message)
  })
})

describe('the documentation page', () => {
  test('opens without an API key and loads all its files from the gateway', async () => {
    const page = await get('/docs')
    expect(page.status).toBe(200)
    const sources = [...(await page.text()).matchAll(/<(?:script|link) [^>]*(?:src|href)="([^"]+)"/g)].map(
      ([, source = '']) => source,
    )
    const files = sources.filter((source) => !source.startsWith('data:'))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const { status, headers } = await get(new URL(file, 'http://gateway.test/docs').pathname)
      expect({ file, status, type: headers.get('content-type') }).toEqual({
        file,
        status: 200,
        type: expect.stringMatching(/^text\/(css|javascript)/),
      })
    }
  })

  test('has its icon in the page, and a browser that asks for another icon gets none, with or without credentials', async () => {
    expect(await (await get('/docs')).text()).toContain('<link rel="icon" href="data:,">')
    expect((await get('/favicon.ico')).status).toBe(404)
  })

  test('has a way back to the dashboard, if there is one', async () => {
    const link = '<a href="./">Dashboard</a>'
    expect(await (await get('/docs')).text()).toContain(link)
    const response = await withoutDashboard.app.fetch(new Request('http://gateway.test/docs'))
    expect(await response.text()).not.toContain(link)
  })

  test('lists the API key last, because the dialog for credentials opens with the last entry', async () => {
    const { components } = await readDocument()
    expect(Object.keys(components.securitySchemes).at(-1)).toBe('ApiKey')
  })

  test('shows no link to a license', async () => {
    expect(await (await get('/docs/start.js')).text()).toContain('License: () => () => null')
  })

  test('allows only its own scripts, and requests to the documented servers', async () => {
    const { headers } = await get('/docs')
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self' https://gateway.test https://eu.gateway.test",
      ]),
    )
  })
})
