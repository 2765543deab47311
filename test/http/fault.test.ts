// Internal errors: the caller gets an error id, and the operator finds the cause in the log.
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createRateLimiter, largestPlan } from '../../src/http/rate-limit.ts'
import { createTurns } from '../../src/http/turns.ts'
import { createClient, useWorld } from '../support/world.ts'

const world = useWorld()

describe('with a table missing', () => {
  async function broken<Result>(work: () => Promise<Result>): Promise<Result> {
    const { pool } = world.database
    await pool.query('ALTER TABLE contexts RENAME TO misplaced')
    try {
      return await work()
    } finally {
      await pool.query('ALTER TABLE misplaced RENAME TO contexts')
    }
  }

  test.each([
    ['a query', '{ environment { name } contexts { nodes { key } } }', ['contexts']],
    [
      'a mutation',
      'mutation { createContext(input: { type: "tenant", identifier: "secret-name" }) { userErrors { message } } }',
      ['createContext'],
    ],
  ])('%s returns an error id without the cause, which is logged once', async (_what, operation, path) => {
    const before = world.logged.length
    const answer = await broken(() => world.development.send(operation))
    expect(answer.status).toBe(500)
    expect(answer.data).toBeNull()
    expect(answer.errors).toMatchObject([
      { path, extensions: { code: 'INTERNAL_SERVER_ERROR', errorId: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
    ])
    const told = JSON.stringify(answer.errors)
    for (const cause of ['relation', 'prisma', 'Prisma', 'select', 'SELECT', '.ts', 'stack', 'secret-name']) {
      expect(told).not.toContain(cause)
    }
    const errorId = answer.errors[0]?.extensions?.['errorId']
    const lines = world.logged.slice(before).filter((line) => line['errorId'] === errorId)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: 50, err: { message: expect.stringContaining('contexts') } })
  })

  test('a user error keeps its message', async () => {
    const answer = await broken(() => world.development.send('{ subscribers(first: 101) { totalCount } }'))
    expect(answer.errors).toMatchObject([
      { message: 'first must be at most 100', extensions: { code: 'BAD_USER_INPUT' } },
    ])
  })
})

test('a query that Prisma rejects is logged without its values, through GraphQL and REST', async () => {
  const logged: string[] = []
  const logger = pino({}, { write: (line: string) => logged.push(line) })
  const app = createApp({
    readiness: () => Promise.reject(new Error('not asked')),
    // Prisma rejects every create whose id is not a string.
    gateway: { ...world.gateway, newId: () => JSON.parse('7') },
    rateLimiter: createRateLimiter({ rates: largestPlan, now: world.gateway.now, logger }),
    turns: createTurns(5),
    logger,
    corsOrigins: [],
    trustedProxies: 0,
    introspection: true,
    graphiql: false,
    dashboard: false,
  })
  const client = createClient(app, world.development.key)
  const integration = { identifier: 'acme', name: 'a-secret-of-acme' }
  const rest = await client.rest('POST /v1/integrations', { body: { ...integration, providerId: 'slack' } })
  const graph = await client.send(
    'mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { userErrors { code } } }',
    { input: { ...integration, providerId: 'SLACK' } },
  )
  expect(rest.status).toBe(500)
  const errorIds = [rest.body.errorId, graph.errors[0]?.extensions?.['errorId']]
  expect(logged.map((line) => JSON.parse(line))).toMatchObject(
    errorIds.map((errorId) => ({
      errorId,
      err: {
        name: 'PrismaClientValidationError',
        message: expect.stringMatching(/^Invalid `.*integration\.create\(\)` invocation/),
        stack: expect.stringMatching(/^PrismaClientValidationError: Invalid .*\n\s+at /),
      },
    })),
  )
  expect(logged.join()).not.toContain('a-secret-of-acme')
})
