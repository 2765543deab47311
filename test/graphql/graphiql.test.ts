// GraphiQL as it is served: its example operations, and where it leads. A browser opens it in test/system/graphiql.test.ts.
import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { examples } from '../../src/graphql/graphiql-examples.ts'
import { schema } from '../../src/graphql/schema/schema.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('the examples of GraphiQL', () => {
  test.each(examples)('$label is an operation of the schema', ({ query }) => {
    expect(validate(schema, parse(query))).toEqual([])
  })

  test('run without an error, one after the other', async () => {
    for (const { label, query, variables = '{}' } of examples) {
      if (getOperationAST(parse(query))?.operation === OperationTypeNode.SUBSCRIPTION) continue
      const { data, errors } = await world.development.send(query, JSON.parse(variables))
      expect({ label, errors }).toEqual({ label, errors: [] })
      expect(JSON.stringify(data)).not.toMatch(/"(userErrors|errors)":\[\{/)
    }
  })
})

describe('the page of GraphiQL', () => {
  const limited = useWorld({ rates: { trigger: 10, configuration: 10, global: 20 } })
  const open = ({ app }: typeof world, headers: Record<string, string> = {}) =>
    app.fetch(new Request('http://gateway.test/graphql', { headers: { accept: 'text/html', ...headers } }))

  test('is sent compressed, and only once to a browser that keeps it', async () => {
    const response = await open(world, { 'accept-encoding': 'gzip, deflate, br' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('cache-control')).toBe('public, no-cache')
    const compressed = Buffer.from(await response.arrayBuffer())
    const whole = await (await open(world)).text()
    expect(gunzipSync(compressed).toString()).toBe(whole)
    expect(compressed.byteLength).toBeLessThan(whole.length / 2)
    const again = await open(world, { 'if-none-match': response.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    expect(again.headers.get('content-security-policy')).toBe(response.headers.get('content-security-policy'))
    expect(await again.text()).toBe('')
  })

  test('counts for the rate limit of an address', async () => {
    limited.setClock(new Date())
    expect((await open(limited)).headers.get('ratelimit-remaining')).toBe('10')
    const refused = await open(limited)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
  })
})

describe('GraphiQL and the dashboard', () => {
  const withoutGraphiql = useWorld({ graphiql: false })
  const withoutDashboard = useWorld({ dashboard: false })
  const open = async ({ app }: typeof world, path: string) => {
    const headers = { accept: 'text/html' }
    return (await app.fetch(new Request(`http://gateway.test${path}`, { headers }))).text()
  }

  test('lead to each other', async () => {
    expect(await open(world, '/')).toContain('<meta name="graphiql" content="on"')
    expect(await open(world, '/graphql')).toContain('const DASHBOARD = true')
  })

  test('do not lead to each other where the other one is off', async () => {
    expect(await open(withoutGraphiql, '/')).toContain('<meta name="graphiql" content="off"')
    expect(await open(withoutDashboard, '/graphql')).toContain('const DASHBOARD = false')
  })
})
