// The trace of a request: in its log lines, in the execution log and at providers.
import { describe, expect, test } from 'vitest'
import { readTraceparent } from '../../src/lib/trace.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done } from '../support/delivery/story.ts'
import { useWorld } from '../support/world.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

describe('a traceparent', () => {
  test.each([
    [traceparent, traceparent],
    // Later versions may append fields.
    [`01-${traceId}-b7ad6b7169203331-01-more`, traceparent],
    [`00-${traceId}-b7ad6b7169203331-01-more`, undefined],
    [`ff-${traceId}-b7ad6b7169203331-01`, undefined],
    [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [traceparent.toUpperCase(), undefined],
    [`${traceparent}, ${traceparent}`, undefined],
    [`x${traceparent}`, undefined],
    ['', undefined],
    [null, undefined],
  ])('%s is read as %s', (given, read) => {
    expect(readTraceparent(given)).toBe(read)
  })
})

describe('a request', () => {
  const world = useWorld({ requestLog: true })
  const receiver = useReceiver()

  /** An environment whose workflow sends an email to Ada. */
  async function mailer() {
    const client = await world.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(client, [{ email: { stepId: 'mail', subject: 'Shipped', body: 'Your order is on its way.' } }])
    return client
  }

  test('has its trace id in the execution log, at the provider, and in the log', async () => {
    const acme = await mailer()
    receiver.answer(400)
    const before = world.logged.length
    const { body } = await acme.rest('POST /v1/events/trigger', {
      body: { name: 'order', to: 'ada' },
      headers: { traceparent },
    })
    await world.work()
    expect(receiver.last.headers['traceparent']).toBe(traceparent)
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { traceId } }', {
      id: body.transactionId,
    })
    expect(event).toEqual({ traceId })
    const lines = world.logged.slice(before).filter((line) => line['traceId'] === traceId)
    expect(lines.map(({ msg }) => msg)).toEqual(['request answered', 'message failed'])
  })

  test('in the graph has its trace id too, also with an idempotency key and in a bulk', async () => {
    const acme = await mailer()
    const query = `mutation ($events: [TriggerInput!]!) {
      triggerEvents(input: { events: $events }) { results { event { traceId } } }
    }`
    const events = [1, 2].map(() => ({ workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }] }))
    const { data } = await acme.send(query, { events }, { traceparent, 'idempotency-key': 'one' })
    expect(data.triggerEvents.results).toEqual([{ event: { traceId } }, { event: { traceId } }])
    await world.work()
    expect(receiver.received.map(({ headers }) => headers['traceparent'])).toEqual([traceparent, traceparent])
  })

  test.each([undefined, 'invalid'])('with the traceparent %s gets a new trace', async (invalid) => {
    const acme = await mailer()
    const headers: Record<string, string> = invalid === undefined ? {} : { traceparent: invalid }
    const query = `mutation {
      triggerEvent(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) { event { traceId } }
    }`
    const [one, other] = [await acme.send(query, {}, headers), await acme.send(query, {}, headers)]
    const ids = [one, other].map(({ data }) => data.triggerEvent.event.traceId)
    for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/)
    expect(new Set(ids).size).toBe(2)
    await world.work()
    expect(receiver.received.map(({ headers }) => headers['traceparent']?.slice(3, 35)).toSorted()).toEqual(
      ids.toSorted(),
    )
  })

  test('that fails is logged with its trace id next to the error id', async () => {
    const { pool } = world.database
    await pool.query('ALTER TABLE contexts RENAME TO contexts_away')
    try {
      for (const send of [
        () => world.development.rest('GET /v2/contexts', { headers: { traceparent } }),
        () => world.development.send('{ contexts { totalCount } }', {}, { traceparent }),
        () => {
          const url = `http://gateway.test/graphql?query=${encodeURIComponent('{ contexts { totalCount } }')}`
          const authorization = `ApiKey ${world.development.key}`
          return world.app.fetch(new Request(url, { headers: { authorization, traceparent } }))
        },
      ]) {
        const before = world.logged.length
        expect((await send()).status).toBeGreaterThanOrEqual(200)
        const faults = world.logged.slice(before).filter(({ msg }) => msg === 'request failed')
        expect(faults).toEqual([expect.objectContaining({ traceId, errorId: expect.any(String) })])
      }
    } finally {
      await pool.query('ALTER TABLE contexts_away RENAME TO contexts')
    }
  })
})
