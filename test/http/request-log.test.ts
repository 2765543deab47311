// The request log, which is written at the level debug.
import { describe, expect, test } from 'vitest'
import { REQUEST_ANSWERED, RequestRecord } from '../../src/http/request-record.ts'
import { noMetrics } from '../../src/lib/metrics.ts'
import { listen, transports } from '../support/transports.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ requestLog: true })

async function linesOf(act: () => Promise<unknown>) {
  const before = world.logged.length
  await act()
  return world.logged.slice(before).filter(({ msg }) => msg === REQUEST_ANSWERED)
}

describe('the request log', () => {
  test('has one line for each request, with its operation and caller, and without its query', async () => {
    await world.development.rest('GET /v2/topics')
    const secret = 'a-secret-in-the-query'
    const lines = await linesOf(async () => {
      await world.development.ask('{ topics { totalCount } }')
      await world.development.rest(`GET /v2/topics?key=${secret}`)
      await world.client('unknown').rest('GET /v2/topics')
      await world.app.fetch(new Request(`http://gateway.test/health?${secret}`))
    })
    const caller = { environmentId: expect.any(String), apiKeyId: expect.any(String) }
    const line = { level: 20, milliseconds: expect.any(Number) }
    expect(lines).toMatchObject([
      { ...line, ...caller, method: 'POST', path: '/graphql', operation: 'topics', status: 200 },
      { ...line, ...caller, method: 'GET', path: '/v2/topics', operation: 'GET /v2/topics', status: 200 },
      { ...line, method: 'GET', path: '/v2/topics', operation: 'unknown', status: 401 },
      { ...line, method: 'GET', path: '/health', operation: '/health', status: 200 },
    ])
    expect(lines[2]).not.toHaveProperty('environmentId')
    expect(JSON.stringify(lines)).not.toContain(secret)
    expect(JSON.stringify(lines)).not.toContain(world.development.key)
  })

  test('has one line for a subscription over each transport', async () => {
    await world.development.act('createSubscriber', { subscriberId: 'ada' })
    const address = await listen(world)
    const lines = await linesOf(async () => {
      for (const [, follow] of transports) {
        const query = 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }'
        const stream = await follow(address, `ApiKey ${world.development.key}`, { query })
        await stream.next()
        await stream.leave()
      }
    })
    const line = { path: '/graphql', operation: 'notificationCountsChanged', status: 200, apiKeyId: expect.any(String) }
    expect(lines).toMatchObject(transports.map(() => line))
  })

  test('shortens a long path', async () => {
    const [line] = await linesOf(() => world.app.fetch(new Request(`http://gateway.test/${'a'.repeat(5_000)}`)))
    expect(String(line?.['path']).length).toBeLessThan(600)
  })

  test('is not built at a higher log level', () => {
    const logger = {
      isLevelEnabled: () => false,
      debug() {
        throw new Error('a line was built')
      },
    }
    new RequestRecord(undefined, new Headers()).answered({ metrics: noMetrics, logger }, 200, {
      method: 'GET',
      get url(): string {
        throw new Error('the path was read')
      },
    })
  })
})
