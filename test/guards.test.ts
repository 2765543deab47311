// What the graph refuses before it runs, and what its errors tell.
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { MAX_COST, MAX_DEPTH } from '../src/graphql/plugins/use-cost-limit.ts'
import { MAX_ALIASES, MAX_DIRECTIVES, MAX_QUERY_LENGTH } from '../src/graphql/plugins/use-document-limits.ts'
import { codesOf, post, request } from './support/http.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')

/** Fragments on `type` of which each selects by way of the next. */
const chain = (count: number, type: string, select: (next: string) => string, end: string) =>
  `${times(count, (i) => `fragment f${i} on ${type} { ${select(`...f${i + 1}`)} }`)} fragment f${count} on ${type} { ${end} }`

const doubled = chain(45, 'Environment', (next) => `a: parent { ${next} } b: parent { ${next} }`, 'name')
const spreadTwice = chain(60, 'Query', (next) => `${next} ${next}`, 'environment { name }')

describe('a query that is too large', () => {
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
    ['spreads each fragment twice', `{ ...f0 } ${spreadTwice}`, 'QUERY_TOO_COSTLY'],
  ])('is refused with its code: one that %s', async (_case, query, code) => {
    const answer = await post(world, { query })
    expect(codesOf(answer)).toEqual([code])
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).not.toHaveProperty('data')
  })

  test('is refused for all that is wrong with it', async () => {
    const answer = await post(world, { query: `{ environment { ...f0 } } ${doubled}` })
    expect(codesOf(answer)).toEqual(['QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY'])
  })

  test('is refused with HTTP 200 where the caller takes the older media type only', async () => {
    const query = `{ ${'__typename '.repeat(10_000)} }`
    const answer = await post(world, { query }, { accept: 'application/json' })
    expect(codesOf(answer)).toEqual(['TOO_MANY_TOKENS'])
    expect(answer.status).toBe(200)
  })

  test('is refused again when it is sent again', async () => {
    const query = `{ ${times(MAX_ALIASES + 1, (i) => `b${i}: __typename`)} }`
    const codes = [codesOf(await post(world, { query })), codesOf(await post(world, { query }))]
    expect(codes).toEqual([['TOO_MANY_ALIASES'], ['TOO_MANY_ALIASES']])
  })

  test('is let through at the very limits', async () => {
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

  test('counts no colon of an argument, a variable or an object as an alias', async () => {
    const filter = '{ type: "tenant", identifier: "acme", search: "a" }'
    const query = `query ($first: Int = 1) { ${times(50, (i) => `c${i}: contexts(first: $first, filter: ${filter}) { totalCount }`)} }`
    expect((await post(world, { query })).errors).toEqual([])
  })

  test('as a body of 10 MB is too large for HTTP itself', async () => {
    const answer = await post(world, { query: '{ __typename }', variables: { x: 'x'.repeat(10_000_000) } })
    expect(answer.status).toBe(413)
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE'])
  })

  test('as a body that comes in pieces and names no length is cut off all the same', async () => {
    const piece = new TextEncoder().encode('x'.repeat(1_000_000))
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(piece) })
    const headers = { 'content-type': 'application/json' }
    const answer = await request(world, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(answer.status).toBe(413)
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE'])
  })

  test('does no harm by variables that nest 100,000 levels', async () => {
    const data = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const mutation =
      'mutation ($data: JSONObject!) { createContext(input: { type: "tenant", identifier: "deep", data: $data }) { userErrors { message } } }'
    const answer = await post(world, `{"query": ${JSON.stringify(mutation)}, "variables": {"data": ${data}}}`)
    expect(JSON.parse(answer.text).data.createContext.userErrors).toEqual([
      { message: 'data must not nest deeper than 32 levels' },
    ])
  })
})

describe('the cost of a query', () => {
  /** 30 times a list whose every node has a list of its own, which is taken to have 10 items: 30 × (1 + first × 11). */
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
  ])('multiplies page sizes in: %s', async (_case, query, variables) => {
    const answer = await post(world, { query, variables })
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([
      {
        message: `This operation could return ${costOf100}, at most ${MAX_COST} are allowed: request smaller pages or fewer levels`,
        extensions: { code: 'QUERY_TOO_COSTLY' },
      },
    ])
  })

  test('counts every id of `nodes`', async () => {
    const { environment } = await world.development.ask('{ environment { id } }')
    const query = `query ($ids: [ID!]!) { ${times(30, (i) => `a${i}: nodes(ids: $ids) { ... on Subscriber { channels { providerId } } }`)} }`
    const answer = await post(world, { query, variables: { ids: Array(100).fill(environment.id) } })
    expect(answer.errors).toMatchObject([{ message: expect.stringContaining('33000 objects') }])
  })

  test('is that of the operation that runs', async () => {
    const query = `query Cheap { __typename } query Costly ${lists('(first: 100)')}`
    expect((await post(world, { query, operationName: 'Cheap' })).errors).toEqual([])
    expect(codesOf(await post(world, { query, operationName: 'Costly' }))).toEqual(['QUERY_TOO_COSTLY'])
  })

  test('keeps a mutation from running', async () => {
    const query = `mutation { createContext(input: { type: "tenant", identifier: "costly" }) { context { ...f0 } userErrors { code } } } ${chain(20, 'Context', (next) => `${next} ${next}`, '...on Node { ...on Environment { parent { id } } }')}`
    expect(codesOf(await post(world, { query }))).toEqual(['QUERY_TOO_COSTLY'])
    expect(await world.development.ask('{ context(key: "tenant:costly") { id } }')).toEqual({ context: null })
  })

  test('lets a full page through whose every node has a full page, and no level more', async () => {
    const nested = (inner: string) =>
      `{ subscribers(first: 100) { nodes { topicSubscriptions(first: 100) { nodes { topic { ${inner} } } } } } }`
    expect((await post(world, { query: nested('key') })).errors).toEqual([])
    const more = await post(world, { query: nested('subscriptions(first: 1) { totalCount }') })
    expect(codesOf(more)).toEqual(['QUERY_TOO_COSTLY'])
  })

  test('leaves smaller pages alone', async () => {
    expect((await post(world, { query: lists('(first: 50)') })).errors).toEqual([])
  })

  test.each([
    ['{ subscribers(first: 101) { totalCount } }', 'first', 'first must be at most 100'],
    ['{ subscribers(last: 5000) { totalCount } }', 'last', 'last must be at most 100'],
    ['{ contexts(first: -1) { totalCount } }', 'first', 'first must be at least 0'],
    ['{ contexts(first: 1, last: 1) { totalCount } }', 'last', 'last must not be given together with first'],
    ['{ contexts(after: "x") { totalCount } }', 'after', 'after is not a cursor'],
  ])('is no matter of a page that cannot be had: %s', async (query, field, message) => {
    const { errors } = await post(world, { query })
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', field: [field] } }])
  })
})

describe('introspection', () => {
  test('passes all limits, as GraphiQL and other tools ask for it', async () => {
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

describe('every error has a code', () => {
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
      { query: 'query ($k: String = "a:b") { context(key: $k) { id } }', variables: { k: null } },
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
  ])('%s', async (_case, body, code) => {
    const answer = await post(world, body)
    expect(codesOf(answer)).toEqual([code])
    expect(answer.status).toBe(400)
  })

  test('all variables that are wrong are told at once', async () => {
    const query = 'query ($a: Int!, $b: String!) { contexts(first: $a) { totalCount } context(key: $b) { id } }'
    expect(codesOf(await post(world, { query }))).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT'])
  })

  test('variables of a GET that are no JSON', async () => {
    const answer = await request(world, {}, '?query={__typename}&variables={')
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([
      { message: 'variables and extensions must be JSON', extensions: { code: 'BAD_USER_INPUT' } },
    ])
  })
})

describe('what another web site could make a browser send', () => {
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
  ])('is refused as a body of %s', async (type, body) => {
    const answer = await post(world, body, { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.errors).toEqual([
      { message: 'Content-Type must be application/json', extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } },
    ])
    expect(await forged()).toEqual({ context: null })
  })

  test('is refused as a mutation over GET', async () => {
    const answer = await request(world, {}, `?query=${encodeURIComponent(mutation)}`)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(codesOf(answer)).toEqual(['METHOD_NOT_ALLOWED'])
    expect(await forged()).toEqual({ context: null })
  })

  test('a query over GET is answered, and JSON may name its charset', async () => {
    expect((await request(world, {}, '?query={__typename}')).text).toBe('{"data":{"__typename":"Query"}}')
    const named = await post(world, { query: '{ __typename }' }, { 'content-type': 'application/json; charset=utf-8' })
    expect(named.status).toBe(200)
  })

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is no method of the graph', async (method) => {
    const answer = await request(world, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, POST')
    expect(codesOf(answer)).toEqual(['METHOD_NOT_ALLOWED'])
  })

  test('nothing runs whose answer the caller cannot take', async () => {
    const answer = await post(world, { query: mutation }, { accept: 'image/png' })
    expect(answer.status).toBe(406)
    expect(codesOf(answer)).toEqual(['NOT_ACCEPTABLE'])
    expect(await forged()).toEqual({ context: null })
  })

  test('several operations in one request are refused', async () => {
    const answer = await post(world, [{ query: mutation }, { query: mutation }])
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([{ message: 'Batching is not supported.', extensions: { code: 'BAD_USER_INPUT' } }])
    expect(await forged()).toEqual({ context: null })
  })

  test('every answer tells the browser not to guess its type, and not to frame it', async () => {
    for (const { headers } of [await request(world, { headers: { accept: 'text/html' } }), await post(world, '')]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })
})

describe('a fault', () => {
  /** The table is away while `work` runs. */
  async function withoutContexts(work: () => Promise<void>) {
    const { client } = world.database
    await client.$executeRaw`ALTER TABLE contexts RENAME TO contexts_away`
    try {
      await work()
    } finally {
      await client.$executeRaw`ALTER TABLE contexts_away RENAME TO contexts`
    }
  }

  test('tells the caller an id, and the operator the cause under that id', async () => {
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

  test('is logged once, however many fields it reaches', async () => {
    await withoutContexts(async () => {
      const before = world.logged.length
      const answer = await post(world, { query: '{ a: context(key: "a:b") { id } b: context(key: "a:b") { id } }' })
      const ids = answer.errors.map(({ extensions }) => extensions?.['errorId'])
      expect(ids).toHaveLength(2)
      expect(new Set(ids).size).toBe(1)
      expect(world.logged.slice(before)).toHaveLength(1)
    })
  })

  test('leaves the rest of an answer, which is then no HTTP error', async () => {
    await withoutContexts(async () => {
      const answer = await post(world, { query: '{ context(key: "a:b") { id } environment { name } }' })
      expect(answer.status).toBe(200)
      expect(codesOf(answer)).toEqual(['INTERNAL_SERVER_ERROR'])
      expect(JSON.parse(answer.text).data).toEqual({ context: null, environment: { name: 'Development' } })
    })
  })
})

describe('a browser', () => {
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

  test('may call from nowhere unless the operator says so', async () => {
    const asked = await request(world, preflight('https://dashboard.example.com'))
    const called = await post(world, { query: '{ __typename }' }, { origin: 'https://dashboard.example.com' })
    for (const answer of [asked, called]) expect(granted(answer)).toBeNull()
  })

  test.each(['https://dashboard.example.com', 'https://admin.example.com'])(
    'may call from %s, which is named',
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
    'may not call from %s',
    async (origin) => {
      const asked = await request(open, preflight(origin))
      const called = await post(open, { query: '{ __typename }' }, { origin })
      for (const answer of [asked, called]) expect(granted(answer)).toBeNull()
    },
  )
})

describe('a closed gateway', () => {
  const closed = useWorld({ introspection: false, graphiql: false })

  test.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Query") { name } }',
    '{ ...f } fragment f on Query { __schema { queryType { name } } }',
  ])('does not say what is in it: %s', async (query) => {
    const answer = await post(closed, { query })
    expect(answer.status).toBe(400)
    expect(codesOf(answer)).toEqual(['INTROSPECTION_DISABLED'])
  })

  test('still says the name of a type that was answered', async () => {
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
  ])('suggests no right name for a wrong one: %s', async (_case, body) => {
    expect((await post(world, body)).text).toContain('Did you mean')
    const answer = await post(closed, body)
    expect(answer.errors).toHaveLength(1)
    expect(answer.text).not.toContain('Did you mean')
  })

  test('has no page for a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const anonymous = await request(closed, { headers: { authorization: '', accept } })
    expect(anonymous.status).toBe(401)
    expect(codesOf(anonymous)).toEqual(['UNAUTHENTICATED'])
    const known = await request(closed, { headers: { accept } })
    expect(known.headers.get('content-type')).toContain('application/json')
    expect(codesOf(known)).toEqual(['BAD_USER_INPUT'])
  })
})
