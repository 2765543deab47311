// The table of routes: every route calls a resolver that the graph calls too.
import { isObjectType } from 'graphql'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { schema } from '../../src/graphql/schema/schema.ts'
import { createRateLimiter, largestPlan } from '../../src/http/rate-limit.ts'
import { describeTable } from '../../src/rest/openapi.ts'
import type { Route } from '../../src/rest/route.ts'
import { createRestFetch } from '../../src/rest/server.ts'
import { table } from '../../src/rest/table.ts'
import { useWorld } from '../support/world.ts'

const routes = table.map((route) => ({ ...route, name: `${route.method.toUpperCase()} ${route.path}` }))

const ofGraph = new Set(
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .map(resolverOf),
)

describe('the table', () => {
  test.each(routes)('names for $name a resolver that the graph calls too', ({ resolver }) => {
    expect(ofGraph).toContain(resolver)
  })

  test('has one route for each method and path', () => {
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length)
  })
})

describe('a second table', () => {
  const world = useWorld()

  test('is served under a prefix of its own', async () => {
    const prefixed = table.map((route): Route => ({ ...route, path: `/legacy${route.path}` }))
    const logger = pino({ level: 'silent' })
    const rateLimiter = createRateLimiter({ rates: largestPlan, now: world.gateway.now, logger })
    const fetch = createRestFetch({ gateway: world.gateway, logger, rateLimiter }, prefixed)
    const statusOf = async (path: string) => {
      const headers = { authorization: `ApiKey ${world.development.key}` }
      return (await fetch(new Request(`http://gateway.test${path}`, { headers }))).status
    }
    expect(await statusOf('/legacy/v2/topics')).toBe(200)
    expect(await statusOf('/v2/topics')).toBe(404)
    expect(Object.keys(describeTable(prefixed, {}).paths)).toContain('/legacy/v2/topics')
  })
})

describe('the files of the REST API', () => {
  const folder = path.resolve(import.meta.dirname, '../../src/rest')

  /** Imports from src/data, except types. */
  function dataImports(name: string): string[] {
    const file = ts.createSourceFile(name, readFileSync(path.join(folder, name), 'utf8'), ts.ScriptTarget.Latest)
    return file.statements
      .filter(ts.isImportDeclaration)
      .filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
      .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
      .map((specifier) => specifier.replace(/^(\.\.\/)+/, ''))
      .filter((specifier) => specifier.startsWith('data/'))
  }

  // The kinds of database errors, and the values of enumerations.
  const harmless = ['data/database-errors.ts', 'data/prisma/enums.ts']

  test.each(readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')))(
    '%s does not import the database',
    (name) => {
      expect(dataImports(name).filter((specifier) => !harmless.includes(specifier))).toEqual([])
    },
  )
})
