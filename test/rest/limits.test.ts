// Rate limits and idempotency keys of the REST API.
import { afterEach, describe, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld({ rates: { trigger: 60, configuration: 4, global: 30 } })

const noon = new Date('2027-03-01T12:00:00Z')

afterEach(() => world.setClock(undefined))

describe('a rate limit', () => {
  test('rejects a request with 429 without running it', async () => {
    world.setClock(noon)
    const acme = await world.environment()
    let calls = 1
    while ((await acme.rest('GET /v2/subscribers')).status === 200) {
      expect(calls).toBeLessThan(30)
      calls += 1
    }
    const refused = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    expect(refused).toMatchObject({ status: 429, body: expect.stringContaining('Too many requests') })
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)

    world.setClock(new Date(noon.getTime() + wait * 1000))
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(404)
  })

  test('charges each operation to the bucket of its category', async () => {
    const acme = await world.environment()
    const trigger = await acme.rest('POST /v1/events/trigger/bulk', { body: { events: [{}] } })
    expect(trigger.headers.get('ratelimit-policy')).toMatch(/category="trigger";cost="bulk"$/)
    const search = await acme.rest('GET /v2/subscribers')
    expect(search.headers.get('ratelimit-policy')).toMatch(/category="configuration";cost="single"$/)
    expect(search.headers.get('ratelimit-limit')).toBe('20')
  })

  test('appears in the headers of error responses, with and without a valid API key', async () => {
    const missing = await world.development.rest('GET /v2/subscribers/nobody')
    expect(missing.headers.get('ratelimit-remaining')).not.toBeNull()
    const stranger = await world.client('nobody').rest('GET /v2/subscribers')
    expect(stranger.headers.get('ratelimit-policy')).toMatch(/category="global"/)
  })
})

describe('an idempotency key', () => {
  const headers = { 'idempotency-key': 'order-1' }

  test('replays the first response and marks it as a replay', async () => {
    const acme = await world.environment()
    const body = { name: 'Staging', color: '#0ea5e9' }
    const first = await acme.rest('POST /v1/environments', { body, headers })
    expect(first.status).toBe(201)
    expect(first.headers.get('idempotency-key')).toBe('order-1')
    expect(first.headers.has('idempotency-replay')).toBe(false)
    const again = await acme.rest('POST /v1/environments', { body, headers })
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(again.headers.get('idempotency-replay')).toBe('true')
  })

  test('replays an error response, even after its cause is gone', async () => {
    const acme = await world.environment()
    const refuse = () => acme.rest('PATCH /v2/subscribers/ada', { body: { firstName: 'Ada' }, headers })
    const first = await refuse()
    expect(first.status).toBe(404)
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    expect(await refuse()).toMatchObject({ status: 404, body: first.body })
  })

  test('is rejected with 422 for a different body or path', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' }, headers })
    const other = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'grace' }, headers })
    expect(other).toMatchObject({ status: 422, body: { errors: { 'idempotency-key': { value: 'order-1' } } } })
    const elsewhere = await acme.rest('PATCH /v2/subscribers/ada', { body: { subscriberId: 'ada' }, headers })
    expect(elsewhere.status).toBe(422)
  })

  test('is rejected with 400 when it has more than 255 characters', async () => {
    const refused = await world.development.rest('POST /v2/subscribers', {
      body: { subscriberId: 'ada' },
      headers: { 'idempotency-key': 'k'.repeat(256) },
    })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('255') } })
  })

  test('is returned but stores no response for DELETE', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    expect((await acme.rest('DELETE /v2/subscribers/ada', { headers })).status).toBe(200)
    const again = await acme.rest('DELETE /v2/subscribers/ada', { headers })
    expect(again.status).toBe(404)
    expect(again.headers.get('idempotency-key')).toBe('order-1')
  })

  test('takes effect once in twenty concurrent requests, and each returns that result or a 409', async () => {
    const acme = await world.environment()
    const body = { subscriberId: 'ada' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => acme.rest('POST /v2/subscribers?failIfExists=true', { body, headers })),
    )
    const inFlight = answers.filter(({ status }) => status === 409)
    for (const { headers } of inFlight) expect(headers.get('retry-after')).toBe('1')
    const done = answers.filter((answer) => !inFlight.includes(answer))
    expect(done.filter(({ headers }) => !headers.has('idempotency-replay'))).toHaveLength(1)
    expect(new Set(done.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(done[0]).toMatchObject({ status: 201, body })
  })
})
