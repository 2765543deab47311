// The scenario of a burst of 10,000 messages through an account that allows 50 a second.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const receiver = useReceiver()
let acme: Client

const start = new Date('2026-03-01T12:00:00.000Z')
const MESSAGES = 10_000
const ALLOWED = 50

/** Milliseconds between two looks at the queue, in which an account gets one token at most. */
const LOOK = 20
const LOOKS_IN_A_SECOND = 1000 / LOOK

/** The part of the burst that is watched. Sending all of it takes minutes of CPU time: `bench/send-rate.ts` does that. */
const SECONDS = 5

beforeAll(async () => {
  acme = await world.environment()
  world.setClock(start)
  const environmentId = await environmentIdOf(acme)
  await done(acme, 'createTopic', { key: 'customers' })
  for (const statement of [
    `INSERT INTO subscribers (environment_id, id, subscriber_id, email, data, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'customer-' || n, 'customer-' || n || '@example.com', '{}', now(), now()
     FROM generate_series(1, ${MESSAGES}) AS n`,
    `INSERT INTO topic_subscriptions (environment_id, id, identifier, topic_key, subscriber_id, context_keys, created_at,
                                      updated_at)
     SELECT $1, gen_random_uuid(), subscriber_id, 'customers', subscriber_id, '{}', now(), now()
     FROM subscribers WHERE environment_id = $1`,
  ]) {
    await world.database.pool.query(statement, [environmentId])
  }
  await world.database.pool.query('ANALYZE')
})
afterAll(() => world.setClock(undefined))

test('a burst of 10,000 through an account that allows 50 a second is never faster, and what waits has used no attempt', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { rateLimit: { messages: ALLOWED, per: 'SECOND' } })
  await createWorkflow(acme, [{ email: { subject: 'Spring', body: 'Now.' } }])
  await trigger(acme, { to: [{ type: 'Topic', topicKey: 'customers' }] })
  const sentBy: number[] = []
  for (let look = 0; look <= SECONDS * LOOKS_IN_A_SECOND; look += 1) {
    world.setClock(new Date(start.getTime() + look * LOOK))
    await world.work()
    sentBy.push(receiver.received.length)
  }
  const inEachSecond = sentBy.map((sent, look) => sent - (sentBy[look - LOOKS_IN_A_SECOND] ?? 0))
  expect(Math.max(...inEachSecond)).toBeLessThanOrEqual(ALLOWED)
  // The account is not left idle either.
  const sent = sentBy.at(-1) ?? 0
  expect(sent).toBeGreaterThanOrEqual(0.95 * ALLOWED * SECONDS)
  const { rows } = await world.database.pool.query<{ status: string; attempts: number; count: number }>(
    `SELECT status::text, attempt_count AS attempts, count(*)::int FROM deliveries GROUP BY 1, 2 ORDER BY 2`,
  )
  expect(rows).toEqual([
    { status: 'pending', attempts: 0, count: MESSAGES - sent },
    { status: 'sent', attempts: 1, count: sent },
  ])
  const recipients = new Set(receiver.received.map(({ body }) => /customer-\d+@/.exec(body)?.[0]))
  expect(recipients.size).toBe(sent)
}, 600_000)
