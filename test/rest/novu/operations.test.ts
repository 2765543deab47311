// The operations of the published client: which of them the gateway has, and the answer of the others. docs/moving.md
// has them as a table.
import { readFileSync } from 'node:fs'
import type { Novu } from '@novu/api'
import { describe, expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { fieldsSent, unknownTo } from '../../support/novu/fields.ts'
import { hasRoute, isOutside, operations, routeOf, withOperations } from '../../support/novu/operations.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** Operations that the gateway should have and that nobody has built. A route for one of them shortens this list. */
const missing: readonly string[] = []

const outside = operations.filter(isOutside)
const inside = operations.filter((operation) => !isOutside(operation))

test('the client has 149 operations, of which the gateway has 89', () => {
  expect(operations).toHaveLength(149)
  expect(new Set(operations.map(({ name }) => name)).size).toBe(149)
  expect(inside).toHaveLength(89)
})

test('every operation of the subject has a route, and no other', () => {
  expect(inside.filter((operation) => !hasRoute(operation)).map(({ name }) => name)).toEqual(missing)
  expect(outside.filter(hasRoute)).toEqual([])
})

test.each(inside.map((operation) => [operation.name, operation] as const))(
  '%s knows every field that the client can send: none is ignored',
  (_name, operation) => {
    const route = routeOf(operation)
    expect(route && unknownTo(route, fieldsSent(operation))).toEqual([])
  },
)

test('the fields of the client are found', () => {
  const fields = inside.map(fieldsSent)
  expect(fields.filter(({ query }) => query.length > 0).length).toBeGreaterThan(20)
  expect(fields.filter(({ body }) => body.length > 0).length).toBeGreaterThan(35)
})

test('docs/moving.md has the table: npm run operations', () => {
  const page = readFileSync(new URL('../../../docs/moving.md', import.meta.url), 'utf8')
  expect(page).toBe(withOperations(page))
})

describe('an operation of another area', () => {
  test.each(outside.map(({ name, method, path }) => [name, method, path] as const))(
    '%s is a 400 with its method and path',
    async (_, method, template) => {
      const path = template.replaceAll(/\{\w+\}/g, 'one')
      const request = new Request(`http://gateway.test/novu${path}`, {
        method,
        headers: { authorization: `ApiKey ${world.development.key}`, 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '{}' }),
      })
      const response = await world.app.fetch(request)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        message: expect.stringMatching(/^This gateway has no [^/]+: see docs\/moving\.md$/),
        ctx: { unsupported: `${method} ${path}` },
      })
    },
  )

  test.each<readonly [string, (client: Novu) => Promise<unknown>]>([
    ['agents.list', (client) => client.agents.list({})],
    ['domains.list', (client) => client.domains.list({})],
    ['translations.master.retrieve', (client) => client.translations.master.retrieve()],
    ['layouts.list', (client) => client.layouts.list({})],
    ['environmentVariables.list', (client) => client.environmentVariables.list()],
    ['environments.diff', (client) => client.environments.diff({ sourceEnvironmentId: 'one' }, 'two')],
    ['workflows.sync', (client) => client.workflows.sync({ targetEnvironmentId: 'two' }, 'welcome')],
    [
      'activity.track',
      (client) => client.activity.track({ environmentId: 'one', integrationId: 'two', requestBody: {} }),
    ],
  ])('%s is requested once by a client that repeats', async (_, call) => {
    const requested: string[] = []
    const app = {
      fetch(request: Request) {
        requested.push(request.url)
        return world.app.fetch(request)
      },
    }
    await expect(call(novuClient({ app }, world.development.key, { repeats: true }))).rejects.toMatchObject({
      statusCode: 400,
      body: expect.stringContaining('"unsupported":'),
    })
    expect(requested).toHaveLength(1)
  })
})
