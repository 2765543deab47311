// Rate limits and idempotency keys, as REST callers meet them.
import { afterEach, describe, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld({ rates: { trigger: 60, configuration: 4, global: 30 } })

const noon = new Date('2027-03-01T12:00:00Z')

afterEach(() => world.setClock(undefined))

describe('a caller over its limit', () => {
  test('gets a 429 in plain words, and what it asked for was not done', async () => {
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

  test('draws what each operation costs, from the bucket of its category', async () => {
    const acme = await world.environment()
    const trigger = await acme.rest('POST /v1/events/trigger/bulk', { body: { events: [{}] } })
    expect(trigger.headers.get('ratelimit-policy')).toMatch(/category="trigger";cost="bulk"$/)
    const search = await acme.rest('GET /v2/subscribers')
    expect(search.headers.get('ratelimit-policy')).toMatch(/category="configuration";cost="single"$/)
    expect(search.headers.get('ratelimit-limit')).toBe('20')
  })

  test('is told of the limits in a refusal too, with a key and without', async () => {
    const missing = await world.development.rest('GET /v2/subscribers/nobody')
    expect(missing.headers.get('ratelimit-remaining')).not.toBeNull()
    const stranger = await world.client('nobody').rest('GET /v2/subscribers')
    expect(stranger.headers.get('ratelimit-policy')).toMatch(/category="global"/)
  })
})

describe('an idempotency key', () => {
  const headers = { 'idempotency-key': 'order-1' }

  test('gives one effect and the first answer, which says that it is a replay', async () => {
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

  test('that refused keeps on refusing, with the same words', async () => {
    const acme = await world.environment()
    const refuse = () => acme.rest('PATCH /v2/subscribers/ada', { body: { firstName: 'Ada' }, headers })
    const first = await refuse()
    expect(first.status).toBe(404)
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    expect(await refuse()).toMatchObject({ status: 404, body: first.body })
  })

  test('that was used for another body or path is a 422', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' }, headers })
    const other = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'grace' }, headers })
    expect(other).toMatchObject({ status: 422, body: { errors: { 'idempotency-key': { value: 'order-1' } } } })
    const elsewhere = await acme.rest('PATCH /v2/subscribers/ada', { body: { subscriberId: 'ada' }, headers })
    expect(elsewhere.status).toBe(422)
  })

  test('of more than 255 characters is a 400', async () => {
    const refused = await world.development.rest('POST /v2/subscribers', {
      body: { subscriberId: 'ada' },
      headers: { 'idempotency-key': 'k'.repeat(256) },
    })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('255') } })
  })

  test('on a method that may be repeated anyway is told back, and nothing is kept', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    expect((await acme.rest('DELETE /v2/subscribers/ada', { headers })).status).toBe(200)
    const again = await acme.rest('DELETE /v2/subscribers/ada', { headers })
    expect(again.status).toBe(404)
    expect(again.headers.get('idempotency-key')).toBe('order-1')
  })

  test('sent twenty times at once has one effect, and the others get its answer or are told to wait', async () => {
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
