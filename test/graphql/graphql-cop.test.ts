// The checks of the security auditor graphql-cop, re-created as raw HTTP requests. None finds anything in a gateway
// that publishes neither its schema nor GraphiQL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpServer, startHttpServer } from '../../src/http/node-server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ introspection: false, graphiql: false })

let server: HttpServer
beforeAll(async () => {
  server = await startHttpServer(world.app.fetch, '127.0.0.1', 0)
})
afterAll(() => server.close())

interface Answer {
  readonly status: number
  readonly text: string
  /** Undefined if the body is not JSON: reading it throws then. */
  readonly body: {
    readonly data?: unknown
    readonly errors: readonly [{ readonly message: string; readonly extensions: { readonly code: string } }]
  }
}

async function send(init: RequestInit, search = ''): Promise<Answer> {
  const response = await fetch(`${server.address}/graphql${search}`, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, text, body: (isJson ? JSON.parse(text) : undefined) as Answer['body'] }
}

const keyed = (): Record<string, string> => ({ authorization: `ApiKey ${world.development.key}` })

/** Sends JSON as the auditor does, with the API key of its command line. */
const ask = (body: unknown) =>
  send({
    method: 'POST',
    headers: { ...keyed(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const query = (text: string) => ask({ query: text, operationName: 'cop' })

/**
 * A request that another web site can make a browser send. It has no key, because keys are never in cookies or URLs.
 */
const forge = (init: RequestInit, search = '') => send(init, search)

test('the auditor recognizes the gateway', async () => {
  expect((await query('query cop { __typename }')).body).toEqual({ data: { __typename: 'Query' } })
})

describe('denial of service', () => {
  test('alias overloading: 101 aliases are rejected', async () => {
    const aliases = Array.from({ length: 101 }, (_, i) => `alias${i}:__typename`).join(' \n')
    const { body } = await query(`query cop { ${aliases} }`)
    expect(body.data).toBeUndefined()
    expect(body.errors[0].extensions.code).toBe('TOO_MANY_ALIASES')
  })

  test('batch queries: a list of operations is rejected', async () => {
    const { status, body } = await ask(Array(10).fill({ query: 'query cop { __typename }' }))
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(1)
  })

  test('directive overloading: a directive that is repeated 10 times gives one error', async () => {
    const { body } = await query('query cop { __typename @aa@aa@aa@aa@aa@aa@aa@aa@aa@aa }')
    expect(body.errors).toMatchObject([{ message: 'Unknown directive "@aa".' }])
  })

  test('field duplication: a field that is repeated 500 times is rejected', async () => {
    const { body } = await query(`query cop { ${'__typename \n'.repeat(500)} }`)
    expect(body.data).toBeUndefined()
    expect(body.errors[0].extensions.code).toBe('TOO_MANY_FIELDS')
  })

  test('circular introspection is rejected', async () => {
    const fields = 'fields { type { '.repeat(4)
    const { body } = await query(`query cop { __schema { types { ${fields} name ${'} } '.repeat(4)} } } }`)
    expect(body.data).toBeUndefined()
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0].extensions.code).toBe('INTROSPECTION_DISABLED')
  })
})

describe('information', () => {
  test('introspection is rejected', async () => {
    const { body } = await query('query cop { __schema { types { name fields { name } } } }')
    expect(body.data).toBeUndefined()
    expect(body.errors[0].extensions.code).toBe('INTROSPECTION_DISABLED')
  })

  test.each([
    ['a field of the schema', 'query cop { __schema { directive } }', {}],
    ['a field', 'query cop { subscriber(subscriberId: "a") { firstNam } }', {}],
    ['an argument', 'query cop { subscribers(frist: 1) { totalCount } }', {}],
    ['a type', 'query cop ($f: SubscriberFilte) { subscribers(filter: $f) { totalCount } }', {}],
    ['an enum value', 'query cop { subscribers(orderBy: { field: CREATED_ATT, direction: ASC }) { totalCount } }', {}],
    ['a field of a literal', 'query cop { subscribers(filter: { serch: "a" }) { totalCount } }', {}],
    [
      'a field of a variable',
      'query cop ($f: SubscriberFilter) { subscribers(filter: $f) { totalCount } }',
      { f: { serch: 'a' } },
    ],
    [
      'an enum value of a variable',
      'query cop ($o: SubscriberOrder) { subscribers(orderBy: $o) { totalCount } }',
      { o: { field: 'CREATED_ATT', direction: 'ASC' } },
    ],
  ])('field suggestions: a misspelled name of %s gets no suggestion', async (_case, text, variables) => {
    const { body } = await ask({ query: text, operationName: 'cop', variables })
    expect(body.errors.length).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toContain('Did you mean')
  })

  test.each(['/graphql', '/', '/graphiql', '/playground', '/console'])('GraphiQL is not at %s', async (path) => {
    const response = await fetch(server.address + path, { headers: { accept: 'text/html' } })
    expect(await response.text()).not.toMatch(/graphiql\.min\.css|GraphQL Playground|GraphiQL|graphql-playground/)
  })

  test('trace mode: no response has the extension', async () => {
    const { body } = await query('query cop { __typename }')
    expect(body).not.toHaveProperty('extensions')
  })

  test('unhandled errors: a query that cannot be parsed gives no exception', async () => {
    const { body } = await query('qwerty cop { abc }')
    expect(body.errors[0].extensions).toEqual({ code: 'GRAPHQL_PARSE_FAILED' })
  })
})

describe('forged requests', () => {
  test('GET queries: a request of another web site is not answered', async () => {
    const { status, body } = await forge({}, '?query=query cop {__typename}')
    expect(status).toBe(401)
    expect(body.data).toBeUndefined()
  })

  test('GET mutations are rejected, with a key too', async () => {
    for (const headers of [{}, keyed()]) {
      const { status, body } = await send({ headers }, '?query=mutation cop {__typename}')
      expect([401, 405]).toContain(status)
      expect(body.data).toBeUndefined()
    }
  })

  test.each([
    ['url-encoded', 'application/x-www-form-urlencoded', 'query=query cop { __typename }'],
    ['plain text', 'text/plain', '{"query":"query cop { __typename }"}'],
    [
      'multipart',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n{__typename}\r\n--x--',
    ],
  ])('POST bodies that a form can send are rejected, with a key too: %s', async (_case, type, body) => {
    for (const headers of [{}, keyed()]) {
      const answer = await send({ method: 'POST', headers: { ...headers, 'content-type': type }, body })
      expect([401, 415]).toContain(answer.status)
      expect(answer.body.data).toBeUndefined()
    }
  })
})
