// The table of REST routes: every route calls a resolver that the graph also calls.
import { isObjectType } from 'graphql'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { query } from '../../src/domain/resolver/resolver.ts'
import { createDoorScope } from '../../src/domain/resolver/door-scope.ts'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import { createRateLimiter, largestPlan } from '../../src/http/rate-limit.ts'
import { BodyReader } from '../../src/http/request-body.ts'
import { RequestRecord } from '../../src/http/request-record.ts'
import { createTurns } from '../../src/http/turns.ts'
import { describeTable } from '../../src/rest/openapi.ts'
import { type Route, route } from '../../src/rest/route.ts'
import { createRestFetch } from '../../src/rest/server.ts'
import { table } from '../../src/rest/routes/table.ts'
import { novuTable } from '../../src/rest/vocabularies/novu/table.ts'
import { useWorld } from '../support/world.ts'

const routes = [...table, ...novuTable]

const ofGraph = new Set(
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .map(resolverOf),
)

function descendants(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child, ...descendants(child)))
  return children
}

/**
 * Returns the resolvers that the fields of this file name with `...calls(call)` but do not call, and those that
 * `callTo(resolver, call)` names but `call` does not call.
 */
function uncalledResolvers(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  const calleeOf = (node: ts.Node) => (ts.isCallExpression(node) ? node.expression.getText(source) : undefined)
  const misnamed = descendants(source)
    .filter(ts.isCallExpression)
    .filter((node) => calleeOf(node) === 'callTo')
    .filter(({ arguments: [resolver, call] }) => {
      const named = resolver?.getText(source)
      return call === undefined || !descendants(call).some((node) => calleeOf(node) === named)
    })
    .map((node) => `${path.basename(file)}: ${node.getText(source)}`)
  const uncalled = descendants(source)
    .filter(ts.isObjectLiteralExpression)
    .flatMap(({ properties }) => {
      const called = properties
        .filter(({ name }) => name !== undefined && ['resolve', 'subscribe'].includes(name.getText(source)))
        .flatMap(descendants)
        .map(calleeOf)
      return properties
        .filter(ts.isSpreadAssignment)
        .filter(({ expression }) => calleeOf(expression) === 'calls')
        .map(({ expression }) =>
          ts.isCallExpression(expression) ? expression.arguments[0]?.getText(source) : undefined,
        )
        .filter((resolver) => !called.includes(resolver))
        .map((resolver) => `${path.basename(file)}: ${String(resolver)}`)
    })
  return [...misnamed, ...uncalled]
}

describe('the table', () => {
  const served = useWorld()

  test.each(routes)('gives $name a resolver that the graph also calls', ({ resolver }) => {
    expect(ofGraph).toContain(resolver)
  })

  test('is compared with graph fields that call the resolver that they name', () => {
    const graphql = path.resolve(import.meta.dirname, '../../src/graphql')
    const names = readdirSync(graphql, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    expect(names.flatMap((name) => uncalledResolvers(path.join(graphql, name)))).toEqual([])
  })

  test.each([
    'GET /v1/integrations/active',
    'GET /v1/environments/me',
    'GET /v1/environments/api-keys',
    'OPTIONS /v1/integrations/active',
  ] as const)('answers 404 for %s, which is no id', async (target) => {
    const { status, headers } = await served.development.rest(target)
    expect([status, headers.get('allow')]).toEqual([404, null])
  })

  test.each([
    ['PATCH /v1/integrations/01a1fffd-9bd3-7763-a131-2d91c5f5c3e4', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ['POST /v1/events/trigger/welcome', 'DELETE, OPTIONS'],
  ] as const)('answers 405 with the allowed methods for %s', async (target, allow) => {
    const { status, headers } = await served.development.rest(target)
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test('cancels an event whose transaction id is the name of an operation', async () => {
    expect(await served.development.rest('DELETE /v1/events/trigger/broadcast')).toMatchObject({ status: 200 })
  })

  test('has one route for each method and path', () => {
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length)
  })
})

describe('a second table', () => {
  const world = useWorld()

  test('can be served under its own prefix', async () => {
    const prefixed = table.map((route): Route => ({ ...route, path: `/legacy${route.path}` }))
    const logger = pino({ level: 'silent' })
    const rateLimiter = createRateLimiter({ rates: largestPlan, now: world.gateway.now, logger })
    const served = { gateway: world.gateway, logger, rateLimiter, turns: createTurns(5), bodies: new BodyReader() }
    const fetch = createRestFetch(served, prefixed)
    const statusOf = async (path: string) => {
      const headers = { authorization: `ApiKey ${world.development.key}` }
      return (
        await fetch(
          new Request(`http://gateway.test${path}`, { headers }),
          new RequestRecord('192.0.2.1', new Headers()),
        )
      ).status
    }
    expect(await statusOf('/legacy/v2/topics')).toBe(200)
    expect(await statusOf('/v2/topics')).toBe(404)
    expect(Object.keys(describeTable(prefixed, {}).paths)).toContain('/legacy/v2/topics')
  })
})

describe('a route', () => {
  const world = useWorld()

  test('validates a body field once, and parameters by the rules of the resolver', async () => {
    let validations = 0
    const counted = z.string().refine(() => (validations += 1) > 0)
    const rename = query({
      name: 'topic.rename',
      permission: 'topic:read',
      input: z.object({ key: z.string().max(3), name: counted }),
      run: async (_scope, input) => input,
    })
    const { act } = route({
      method: 'put',
      path: '/topics/{key}',
      summary: 'Rename a topic',
      params: z.object({ key: z.string() }),
      body: rename.definition.input.omit({ key: true }),
      resolver: rename,
      input: ({ params, body }) => ({ ...body, ...params }),
      statuses: [200],
      response: z.unknown(),
      view: (output) => output,
    })
    const headers = new Headers({ authorization: `ApiKey ${world.development.key}` })
    const scope = createDoorScope(world.gateway, await authenticate(world.gateway, headers))
    const answered = await act(scope, { params: { key: 'a' }, query: {}, body: { name: 'A' } })
    expect(answered.body).toEqual({ key: 'a', name: 'A' })
    expect(validations).toBe(1)
    await expect(act(scope, { params: { key: 'long' }, query: {}, body: { name: 'A' } })).rejects.toThrow('key must be')
  })
})

describe('the files of the REST API', () => {
  const folder = path.resolve(import.meta.dirname, '../../src/rest')

  /** Imports from src/data, except type-only imports. */
  function dataImports(name: string): string[] {
    const file = ts.createSourceFile(name, readFileSync(path.join(folder, name), 'utf8'), ts.ScriptTarget.Latest)
    return file.statements
      .filter(ts.isImportDeclaration)
      .filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
      .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
      .map((specifier) => specifier.replace(/^(\.\.\/)+/, ''))
      .filter((specifier) => specifier.startsWith('data/'))
  }

  // Error kinds and enum values, which give no access to the database.
  const harmless = ['data/driver/database-errors.ts', 'data/prisma/enums.ts']

  test.each(readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')))(
    '%s does not import the database',
    (name) => {
      expect(dataImports(name).filter((specifier) => !harmless.includes(specifier))).toEqual([])
    },
  )
})
