// The clock of the process does not matter: waits and retries follow the clock of the database.
import { expect, test } from 'vitest'
import { createClock } from '../../src/data/connection/clock.ts'
import { useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, trigger } from '../support/delivery/story.ts'

const HOUR = 3_600_000
const ahead = useWorld({ clock: createClock(() => Date.now() + 5 * HOUR) })
const behind = useWorld({ clock: createClock(() => Date.now() - 5 * HOUR) })
const receiver = useReceiver()

test.each([
  ['ahead', ahead],
  ['behind', behind],
])('delays and retries take the same time if the clock of the process is five hours %s', async (_, world) => {
  const acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [
    { email: { subject: 'Hi', body: 'Hello' } },
    { delay: { amount: 1, unit: 'HOURS' } },
    { inApp: { body: 'Hello' } },
  ])
  receiver.answer(503)
  await trigger(acme, { to: { subscriberId: 'ada', email: 'ada@example.com' } })
  await world.work()
  expect(receiver.received).toHaveLength(1)
  const { rows } = await world.database.pool.query<{ queue: string; minutes: number }>(
    `SELECT queue, extract(epoch FROM available_at - clock_timestamp())::float / 60 AS minutes FROM jobs ORDER BY queue`,
  )
  const [delay, retry] = rows
  expect(rows.map(({ queue }) => queue)).toEqual(['advance', 'deliver'])
  expect(Math.round((delay?.minutes ?? 0) / 10)).toBe(6)
  expect(Math.abs(retry?.minutes ?? Infinity)).toBeLessThan(10)
})
