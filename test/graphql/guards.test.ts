// Requests that the graph rejects before it runs them, and the errors it returns.
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { MAX_COST, MAX_DEPTH } from '../../src/graphql/pipeline/cost-limit.ts'
import { MAX_REPEATS, MAX_SPREADS } from '../../src/graphql/pipeline/field-repeats.ts'
import { MAX_ALIASES, MAX_DIRECTIVES, MAX_QUERY_LENGTH } from '../../src/graphql/pipeline/document-limits.ts'
import { codesOf, post, request } from '../support/http.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')

/** Fragments on `type`, each of which spreads the next. */
const chain = (count: number, type: string, select: (next: string) => string, end: string) =>
  `${times(count, (i) => `fragment f${i} on ${type} { ${select(`...f${i + 1}`)} }`)} fragment f${count} on ${type} { ${end} }`

const doubled = chain(45, 'Environment', (next) => `a: parent { ${next} } b: parent { ${next} }`, 'name')
const spreadTwice = chain(60, 'Query', (next) => `${next} ${next}`, 'environment { name }')

describe('query limits', () => {
  test.each([
    ['nests 3,000 levels', '{ a'.repeat(3000) + '}'.repeat(3000), 'QUERY_TOO_DEEP'],
    [
      'nests through fragments',
      `{ environment { ...f0 } } ${chain(MAX_DEPTH, 'Environment', (next) => `parent { ${next} }`, 'name')}`,
      'QUERY_TOO_DEEP',
    ],
    ['nests lists', `{ nodes(ids: ${'['.repeat(2000)}${']'.repeat(2000)}) { id } }`, 'QUERY_TOO_DEEP'],
    ['has 10,000 aliases', `{ ${times(10_000, (i) => `a${i}: __typename`)} }`, 'TOO_MANY_ALIASES'],
    ['has 10,000 directives', `{ __typename ${'@skip(if: false) '.repeat(10_000)} }`, 'TOO_MANY_DIRECTIVES'],
    ['has a list of 10,000 literals', `{ nodes(ids: [${'1,'.repeat(10_000)}]) { id } }`, 'TOO_MANY_TOKENS'],
    ['repeats a field 10,000 times', `{ ${'__typename '.repeat(10_000)} }`, 'TOO_MANY_TOKENS'],
    ['is one long text', `{ node(id: "${'x'.repeat(MAX_QUERY_LENGTH)}") { id } }`, 'QUERY_TOO_LONG'],
    ['repeats a field 101 times', `{ ${'__typename '.repeat(MAX_REPEATS + 1)} }`, 'TOO_MANY_FIELDS'],
    [
      'repeats a field through fragments',
      `{ ${times(60, () => '... { environment { ...f } }')} ...g } fragment f on Environment { id id } fragment g on Query { environment { ${'id '.repeat(99)} } }`,
      'TOO_MANY_FIELDS',
    ],
    [
      'repeats a field below a repeated field',
      `{ ${'environment { parent { id id } } '.repeat(51)} }`,
      'TOO_MANY_FIELDS',
    ],
    [
      'repeats a field in an unused fragment',
      `{ __typename } fragment f on Query { ${'__typename '.repeat(MAX_REPEATS + 1)} }`,
      'TOO_MANY_FIELDS',
    ],
    [
      'spreads 201 fragments in one place',
      `{ ${times(MAX_SPREADS + 1, (i) => `...f${i}`)} } ${times(MAX_SPREADS + 1, (i) => `fragment f${i} on Query { __typename }`)}`,
      'TOO_MANY_FIELDS',
    ],
    [
      'multiplies its fields through fragments',
      `{ ${times(99, (i) => `a${i}: environment { ...f }`)} } fragment f on Environment { ${'id '.repeat(90)} ...g } fragment g on Environment { ${'name '.repeat(90)} }`,
      'TOO_MANY_FIELDS',
    ],
    ['spreads each fragment twice', `{ ...f0 } ${spreadTwice}`, 'QUERY_TOO_COSTLY'],
  ])('reject a query that %s', async (_case, query, code) => {
    const answer = await post(world, { query })
    expect(codesOf(answer)).toEqual([code])
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).not.toHaveProperty('data')
  })

  test('report every limit that a query exceeds', async () => {
    const answer = await post(world, { query: `{ environment { ...f0 } } ${doubled}` })
    expect(codesOf(answer)).toEqual(['QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY'])
  })

  test('return HTTP 200 to a caller that accepts only application/json', async () => {
    const query = `{ ${'__typename '.repeat(10_000)} }`
    const answer = await post(world, { query }, { accept: 'application/json' })
    expect(codesOf(answer)).toEqual(['TOO_MANY_TOKENS'])
    expect(answer.status).toBe(200)
  })

  test('reject a repeated query every time', async () => {
    const query = `{ ${times(MAX_ALIASES + 1, (i) => `b${i}: __typename`)} }`
    const codes = [codesOf(await post(world, { query })), codesOf(await post(world, { query }))]
    expect(codes).toEqual([['TOO_MANY_ALIASES'], ['TOO_MANY_ALIASES']])
  })

  test('allow a query with exactly the maximum repeats, aliases, directives or depth', async () => {
    const repeats = await post(world, { query: `{ ${'__typename '.repeat(MAX_REPEATS)} ... { environment { id } } }` })
    expect(repeats.errors).toEqual([])
    const aliases = await post(world, { query: `{ ${times(MAX_ALIASES, (i) => `a${i}: __typename`)} }` })
    expect(aliases.errors).toEqual([])
    const directives = times(MAX_DIRECTIVES, () => '...@include(if: true) { __typename }')
    expect((await post(world, { query: `{ ${directives} }` })).errors).toEqual([])
    const parents = MAX_DEPTH - 2
    const deep = await post(world, {
      query: `{ environment { ${'parent { '.repeat(parents)} name ${'}'.repeat(parents)} } }`,
    })
    expect(deep.errors).toEqual([])
  })

  test('do not count colons in arguments, variables or objects as aliases', async () => {
    const filter = '{ type: "tenant", identifier: "acme", search: "a" }'
    const query = `query ($first: Int = 1) { ${times(50, (i) => `c${i}: contexts(first: $first, filter: ${filter}) { totalCount }`)} }`
    expect((await post(world, { query })).errors).toEqual([])
  })

  test('reject a body of 10 MB with status 413', async () => {
    const answer = await post(world, { query: '{ __typename }', variables: { x: 'x'.repeat(10_000_000) } })
    expect(answer.status).toBe(413)
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE'])
  })

  test('reject an oversized body that is streamed without a Content-Length', async () => {
    const piece = new TextEncoder().encode('x'.repeat(1_000_000))
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(piece) })
    const headers = { 'content-type': 'application/json' }
    const answer = await request(world, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(answer.status).toBe(413)
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE'])
  })

  test('return a user error for variables nested 100,000 levels deep', async () => {
    const data = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const mutation =
      'mutation ($data: JSONObject!) { createContext(input: { type: "tenant", identifier: "deep", data: $data }) { userErrors { message } } }'
    const answer = await post(world, `{"query": ${JSON.stringify(mutation)}, "variables": {"data": ${data}}}`)
    expect(JSON.parse(answer.text).data.createContext.userErrors).toEqual([
      { message: 'data must not nest deeper than 32 levels' },
    ])
  })
})

describe('the cost limit', () => {
  /** A query for 30 lists whose nodes each have a list, assumed to hold 10 items. It costs 30 × (1 + first × 11). */
  const lists = (page: string, rest = '') =>
    `{ ${times(30, (i) => `a${i}: subscribers${page} { nodes { channels { providerId } } ${rest} }`)} }`
  const costOf100 = '33030 objects'

  test.each([
    ['a literal', lists('(first: 100)'), {}],
    ['a variable', `query ($size: Int) ${lists('(first: $size)')}`, { size: 100 }],
    ["a variable's default", `query ($size: Int = 100) ${lists('(first: $size)')}`, {}],
    ['`last`', lists('(last: 100)'), {}],
    ['a size that is out of bounds, as the largest', lists('(first: 1000000)'), {}],
    [
      'fragments',
      `{ ${times(30, (i) => `a${i}: subscribers(first: 100) { ...Page }`)} }
       fragment Page on SubscriberConnection { ...{ nodes { ...Person } } }
       fragment Person on Subscriber { channels { providerId } }`,
      {},
    ],
    ['`edges`', lists('(first: 100)').replaceAll('nodes {', 'edges { node {').replaceAll('} }  }', '} } } }'), {}],
    ['`pageInfo`, which is free', lists('(first: 100)', 'pageInfo { hasNextPage }'), {}],
  ])('multiplies nested page sizes: %s', async (_case, query, variables) => {
    const answer = await post(world, { query, variables })
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([
      {
        message: `This operation could return ${costOf100}: at most ${MAX_COST} are allowed. Request smaller pages or fewer levels`,
        extensions: { code: 'QUERY_TOO_COSTLY' },
      },
    ])
  })

  test('counts every id passed to `nodes`', async () => {
    const { environment } = await world.development.ask('{ environment { id } }')
    const query = `query ($ids: [ID!]!) { ${times(30, (i) => `a${i}: nodes(ids: $ids) { ... on Subscriber { channels { providerId } } }`)} }`
    const answer = await post(world, { query, variables: { ids: Array(100).fill(environment.id) } })
    expect(answer.errors).toMatchObject([{ message: expect.stringContaining('33000 objects') }])
  })

  test('counts only the operation that runs', async () => {
    const query = `query Cheap { __typename } query Costly ${lists('(first: 100)')}`
    expect((await post(world, { query, operationName: 'Cheap' })).errors).toEqual([])
    expect(codesOf(await post(world, { query, operationName: 'Costly' }))).toEqual(['QUERY_TOO_COSTLY'])
  })

  test('rejects a mutation before it runs', async () => {
    const query = `mutation { createContext(input: { type: "tenant", identifier: "costly" }) { context { ...f0 } userErrors { code } } } ${chain(20, 'Context', (next) => `${next} ${next}`, '...on Node { ...on Environment { parent { id } } }')}`
    expect(codesOf(await post(world, { query }))).toEqual(['QUERY_TOO_COSTLY'])
    expect(await world.development.ask('{ context(key: "tenant:costly") { id } }')).toEqual({ context: null })
  })

  test('allows two nested levels of full pages, but not a third', async () => {
    const nested = (inner: string) =>
      `{ subscribers(first: 100) { nodes { topicSubscriptions(first: 100) { nodes { topic { ${inner} } } } } } }`
    expect((await post(world, { query: nested('key') })).errors).toEqual([])
    const more = await post(world, { query: nested('subscriptions(first: 1) { totalCount }') })
    expect(codesOf(more)).toEqual(['QUERY_TOO_COSTLY'])
  })

  test('allows smaller pages', async () => {
    expect((await post(world, { query: lists('(first: 50)') })).errors).toEqual([])
  })

  test.each([
    ['{ subscribers(first: 101) { totalCount } }', 'first', 'first must be at most 100'],
    ['{ subscribers(last: 5000) { totalCount } }', 'last', 'last must be at most 100'],
    ['{ contexts(first: -1) { totalCount } }', 'first', 'first must be at least 0'],
    ['{ contexts(first: 1, last: 1) { totalCount } }', 'last', 'last must not be given together with first'],
    ['{ contexts(after: "x") { totalCount } }', 'after', 'after must be a cursor of this list'],
  ])('does not hide the error of an invalid page argument: %s', async (query, field, message) => {
    const { errors } = await post(world, { query })
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', field: [field] } }])
  })
})

describe('introspection', () => {
  test('stays within every limit for the full query that GraphiQL and other tools send', async () => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    })
    const answer = await post(world, { query })
    expect(answer.errors).toEqual([])
    expect(JSON.parse(answer.text).data.__schema.queryType).toEqual({ name: 'Query', kind: 'OBJECT' })
  })
})

describe('error codes', () => {
  test.each([
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['a character that is no GraphQL', { query: '{ a ; b }' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nobody }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a circle of fragments', { query: '{ ...f } fragment f on Query { ...f }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable of the wrong type',
      { query: 'query ($n: Int!) { contexts(first: $n) { totalCount } }', variables: { n: 'x' } },
      'BAD_USER_INPUT',
    ],
    [
      'a variable that is missing',
      { query: 'query ($n: Int!) { contexts(first: $n) { totalCount } }' },
      'BAD_USER_INPUT',
    ],
    [
      'a null that a default does not cover',
      { query: 'query ($k: ID = "a") { node(id: $k) { id } }', variables: { k: null } },
      'BAD_USER_INPUT',
    ],
    ['a word that is no node id', { query: '{ node(id: "ada") { id } }' }, 'BAD_USER_INPUT'],
    [
      'an operation that is not there',
      { query: 'query A { __typename }', operationName: 'B' },
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['no query', { variables: {} }, 'BAD_USER_INPUT'],
    ['a query that is no text', { query: 1 }, 'BAD_USER_INPUT'],
    ['variables that are a list', { query: '{ __typename }', variables: [] }, 'BAD_USER_INPUT'],
    ['a member that is not known', { query: '{ __typename }', qeury: '' }, 'BAD_USER_INPUT'],
    ['a body that is null', 'null', 'BAD_USER_INPUT'],
    ['a body that is a text', '"{ __typename }"', 'BAD_USER_INPUT'],
    ['a body that is no JSON', '{ "query": ', 'BAD_USER_INPUT'],
    ['an empty body', '', 'BAD_USER_INPUT'],
  ])('are returned for %s', async (_case, body, code) => {
    const answer = await post(world, body)
    expect(codesOf(answer)).toEqual([code])
    expect(answer.status).toBe(400)
  })

  test('are returned for all invalid variables at once', async () => {
    const query = 'query ($a: Int!, $b: String!) { contexts(first: $a) { totalCount } context(key: $b) { id } }'
    expect(codesOf(await post(world, { query }))).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT'])
  })

  test('are returned for GET variables that are not JSON', async () => {
    const answer = await request(world, {}, '?query={__typename}&variables={')
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([
      { message: 'variables and extensions must be JSON', extensions: { code: 'BAD_USER_INPUT' } },
    ])
  })
})

describe('protection against forged requests', () => {
  const mutation = 'mutation { createContext(input: { type: "tenant", identifier: "forged" }) { userErrors { code } } }'
  const forged = () => world.development.ask('{ context(key: "tenant:forged") { id } }')

  test.each([
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(mutation)}`],
    ['text/plain', JSON.stringify({ query: mutation })],
    [
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query: mutation })}\r\n--x--`,
    ],
    ['application/graphql', mutation],
    ['application/jsonp', JSON.stringify({ query: mutation })],
  ])('rejects a body of type %s', async (type, body) => {
    const answer = await post(world, body, { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.errors).toEqual([
      { message: 'Content-Type must be application/json', extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } },
    ])
    expect(await forged()).toEqual({ context: null })
  })

  test('rejects a mutation over GET', async () => {
    const answer = await request(world, {}, `?query=${encodeURIComponent(mutation)}`)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(codesOf(answer)).toEqual(['METHOD_NOT_ALLOWED'])
    expect(await forged()).toEqual({ context: null })
  })

  test('allows a query over GET, and a charset in the Content-Type', async () => {
    expect((await request(world, {}, '?query={__typename}')).text).toBe('{"data":{"__typename":"Query"}}')
    const named = await post(world, { query: '{ __typename }' }, { 'content-type': 'application/json; charset=utf-8' })
    expect(named.status).toBe(200)
  })

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('rejects the method %s', async (method) => {
    const answer = await request(world, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, POST')
    expect(codesOf(answer)).toEqual(['METHOD_NOT_ALLOWED'])
  })

  test('does not run a mutation when the caller accepts no supported media type', async () => {
    const answer = await post(world, { query: mutation }, { accept: 'image/png' })
    expect(answer.status).toBe(406)
    expect(codesOf(answer)).toEqual(['NOT_ACCEPTABLE'])
    expect(await forged()).toEqual({ context: null })
  })

  test('rejects several operations in one request', async () => {
    const answer = await post(world, [{ query: mutation }, { query: mutation }])
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([{ message: 'Batching is not supported.', extensions: { code: 'BAD_USER_INPUT' } }])
    expect(await forged()).toEqual({ context: null })
  })

  test('forbids caches to store a response, except the descriptions of the API', async () => {
    const { key } = world.development
    const headers = { authorization: `ApiKey ${key}` }
    const cacheOf = async (path: string, init: RequestInit = { headers }) => {
      const response = await world.app.fetch(new Request(`http://gateway.test${path}`, init))
      return response.headers.get('cache-control')
    }
    const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{' }
    for (const path of ['/graphql', '/graphql?query={__typename}', '/v2/topics', '/v1/nothing', '/nothing']) {
      expect([path, await cacheOf(path), await cacheOf(path, {}), await cacheOf(path, post)]).toEqual([
        path,
        'no-store',
        'no-store',
        'no-store',
      ])
    }
    // The page names its files, which browsers cache.
    expect(await cacheOf('/graphql', { headers: { accept: 'text/html' } })).toBe('no-store')
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/openapi.json']) {
      expect([path, await cacheOf(path)]).toEqual([path, 'public, max-age=3600'])
    }
  })

  test('forbids the browser to guess the type of a response or to frame it', async () => {
    for (const { headers } of [await request(world, { headers: { accept: 'text/html' } }), await post(world, '')]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })

  test("allows GraphiQL's page to run only its own script and to call no other server", async () => {
    const { headers, text } = await request(world, { headers: { accept: 'text/html' } })
    expect([...text.matchAll(/<script[^>]*>/g)]).toHaveLength(1)
    expect(text).toMatch(/<script type="module" crossorigin src="\.\/graphiql\/[^"]+"><\/script>/)
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]),
    )
  })
})

describe('an internal error', () => {
  /** Renames the contexts table while `work` runs, so that reading it fails. */
  async function withoutContexts(work: () => Promise<void>) {
    const { client } = world.database
    await client.$executeRaw`ALTER TABLE contexts RENAME TO contexts_away`
    try {
      await work()
    } finally {
      await client.$executeRaw`ALTER TABLE contexts_away RENAME TO contexts`
    }
  }

  test('gives the caller an id and logs the cause under that id', async () => {
    await withoutContexts(async () => {
      const answer = await post(world, { query: '{ contexts { totalCount } }' })
      expect(answer.status).toBe(500)
      const [error] = answer.errors
      expect(error).toEqual({
        message: expect.stringMatching(/^Something went wrong/),
        path: ['contexts'],
        locations: [{ line: 1, column: 3 }],
        extensions: { code: 'INTERNAL_SERVER_ERROR', errorId: expect.any(String) },
      })
      expect(answer.text).not.toMatch(/prisma|does not exist|contexts_/i)
      const logged = world.logged.filter(({ errorId }) => errorId === error?.extensions?.['errorId'])
      expect(logged).toMatchObject([{ err: { message: expect.stringContaining('contexts') } }])
    })
  })

  test('is logged once, however many fields it affects', async () => {
    await withoutContexts(async () => {
      const before = world.logged.length
      const answer = await post(world, { query: '{ a: context(key: "a:b") { id } b: context(key: "a:b") { id } }' })
      const ids = answer.errors.map(({ extensions }) => extensions?.['errorId'])
      expect(ids).toHaveLength(2)
      expect(new Set(ids).size).toBe(1)
      expect(world.logged.slice(before)).toHaveLength(1)
    })
  })

  test('does not affect other fields, and the response then has status 200', async () => {
    await withoutContexts(async () => {
      const answer = await post(world, { query: '{ context(key: "a:b") { id } environment { name } }' })
      expect(answer.status).toBe(200)
      expect(codesOf(answer)).toEqual(['INTERNAL_SERVER_ERROR'])
      expect(JSON.parse(answer.text).data).toEqual({ context: null, environment: { name: 'Development' } })
    })
  })
})

describe('CORS', () => {
  const open = useWorld({ corsOrigins: ['https://dashboard.example.com', 'https://admin.example.com/'] })
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: {
      origin,
      authorization: '',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
  const granted = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

  test('allows no origin by default', async () => {
    const asked = await request(world, preflight('https://dashboard.example.com'))
    const called = await post(world, { query: '{ __typename }' }, { origin: 'https://dashboard.example.com' })
    for (const answer of [asked, called]) expect(granted(answer)).toBeNull()
  })

  test.each(['https://dashboard.example.com', 'https://admin.example.com'])(
    'allows the configured origin %s',
    async (origin) => {
      const asked = await request(open, preflight(origin))
      expect(asked.status).toBe(204)
      expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
      const called = await post(open, { query: '{ __typename }' }, { origin })
      const refused = await post(open, { query: '{ __typename }' }, { origin, authorization: '' })
      expect(refused.status).toBe(401)
      for (const answer of [asked, called, refused]) {
        expect(granted(answer)).toBe(origin)
        expect(answer.headers.get('vary')).toContain('Origin')
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      }
    },
  )

  test.each(['https://evil.example.com', 'http://dashboard.example.com', 'null'])(
    'does not allow the origin %s',
    async (origin) => {
      const asked = await request(open, preflight(origin))
      const called = await post(open, { query: '{ __typename }' }, { origin })
      for (const answer of [asked, called]) expect(granted(answer)).toBeNull()
    },
  )
})

describe('a gateway without introspection and GraphiQL', () => {
  const closed = useWorld({ introspection: false, graphiql: false })

  test.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Query") { name } }',
    '{ ...f } fragment f on Query { __schema { queryType { name } } }',
  ])('rejects introspection: %s', async (query) => {
    const answer = await post(closed, { query })
    expect(answer.status).toBe(400)
    expect(codesOf(answer)).toEqual(['INTROSPECTION_DISABLED'])
  })

  test('still answers __typename', async () => {
    expect(await closed.development.ask('{ environment { __typename } }')).toEqual({
      environment: { __typename: 'Environment' },
    })
  })

  test.each([
    ['a field', { query: '{ enviroment { name } }' }],
    ['an argument', { query: '{ contexts(frist: 1) { totalCount } }' }],
    ['an enum value', { query: '{ contexts(orderBy: { direction: AS }) { totalCount } }' }],
    [
      'a variable',
      { query: 'query ($f: ContextFilter) { contexts(filter: $f) { totalCount } }', variables: { f: { tpye: 'a' } } },
    ],
  ])('makes no suggestion for a misspelled name: %s', async (_case, body) => {
    expect((await post(world, body)).text).toContain('Did you mean')
    const answer = await post(closed, body)
    expect(answer.errors).toHaveLength(1)
    expect(answer.text).not.toContain('Did you mean')
  })

  test('serves no page to a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const anonymous = await request(closed, { headers: { authorization: '', accept } })
    expect(anonymous.status).toBe(401)
    expect(codesOf(anonymous)).toEqual(['UNAUTHENTICATED'])
    const known = await request(closed, { headers: { accept } })
    expect(known.headers.get('content-type')).toContain('application/json')
    expect(codesOf(known)).toEqual(['BAD_USER_INPUT'])
  })
})
