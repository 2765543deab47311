// GraphiQL as it is served: its example operations and its links. test/system/graphiql.test.ts opens it in a browser.
import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { examples } from '../../src/graphiql/examples.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
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
  const withoutGraphiql = useWorld({ graphiql: false })
  const open = ({ app }: typeof world, headers: Record<string, string> = {}) =>
    app.fetch(new Request('http://gateway.test/graphql', { headers: { accept: 'text/html', ...headers } }))

  /** Requests the script of the page of one gateway from another one. */
  const openScript = async (of: typeof world, headers: Record<string, string> = {}, from = of) => {
    const [, script] = /<script type="module"[^>]* src="(.+?)">/.exec(await (await open(of)).text()) ?? []
    return from.app.fetch(new Request(new URL(script ?? '', 'http://gateway.test/graphql'), { headers }))
  }

  test('runs scripts of the gateway only, and no inline scripts', async () => {
    const response = await open(world)
    const policy = response.headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "worker-src 'self'"]))
    expect(await response.text()).not.toMatch(/<script(?![^>]* src=)/)
  })

  test('has compressed files, which a browser with a cache downloads only once', async () => {
    const response = await openScript(world, { 'accept-encoding': 'gzip, deflate, br' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const compressed = Buffer.from(await response.arrayBuffer())
    const whole = Buffer.from(await (await openScript(world)).arrayBuffer())
    expect(brotliDecompressSync(compressed).equals(whole)).toBe(true)
    expect(compressed.byteLength).toBeLessThan(whole.byteLength / 2)
  })

  test('has no files if it is turned off', async () => {
    expect((await openScript(world, {}, withoutGraphiql)).ok).toBe(false)
  })

  test('counts toward the rate limit of an address', async () => {
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

  test('link to each other', async () => {
    expect(await open(world, '/')).toContain('<meta name="graphiql" content="on"')
    expect(await open(world, '/graphql')).toContain('<meta name="dashboard" content="on"')
  })

  test('do not link to each other if the other one is turned off', async () => {
    expect(await open(withoutGraphiql, '/')).toContain('<meta name="graphiql" content="off"')
    expect(await open(withoutDashboard, '/graphql')).toContain('<meta name="dashboard" content="off"')
  })
})
