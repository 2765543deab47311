// The story of many snoozed notifications that are due in one minute.
import { expect } from 'vitest'
import { bootstrapAs, freshSettings, type Settings, started, until, withDatabase } from '../process/gateway-process.ts'
import { ask, kill, names, settingsOfAll } from './durability.ts'

/** A count of one feed stops at 50,000. */
const FEEDS = 10

/** Milliseconds between two counts. Counting without a pause would take much of the gateway's CPU time. */
const PAUSE = 1000

/** Writes notifications that are due during a minute, an hour after their creation, before the gateway starts. */
async function prepareSnoozed(settings: Settings, count: number): Promise<void> {
  await withDatabase(settings, async (database) => {
    await bootstrapAs(settings, database)
    const [environment] = await database.client.environment.findMany({ where: { name: 'Development' } })
    await database.pool.query(
      `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
       SELECT $1, gen_random_uuid(), name, '{}', now(), now() FROM unnest($2::text[]) AS name`,
      [environment?.id, names(FEEDS)],
    )
    await database.pool.query(
      `INSERT INTO notifications (environment_id, id, subscriber_id, context_keys, event_id, step_run_id,
         workflow_identifier, body, actions, data, severity, tags, snoozed_until, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'subscriber-' || number % $3, '{}', gen_random_uuid(), gen_random_uuid(),
         'news', 'There is news', '[]', '{}', 'none', '{}', due, due - interval '1 hour', now()
       FROM generate_series(1, $2::int) AS number,
         LATERAL (SELECT now() + number * interval '1 minute' / $2::int AS due) AS moment`,
      [environment?.id, count, FEEDS],
    )
  })
}

async function returned(address: string): Promise<number> {
  const feeds = names(FEEDS).map(
    (name, place) => `f${place}: subscriber(subscriberId: "${name}") { notificationCounts { total } }`,
  )
  const data: Record<string, { notificationCounts: { total: number } }> = await ask(address, `{ ${feeds.join(' ')} }`)
  return Object.values(data).reduce((sum, { notificationCounts }) => sum + notificationCounts.total, 0)
}

/**
 * Lets snoozed notifications become due in one minute, and kills the process when some have returned. Each returns
 * exactly once, 99 of 100 within a minute after they are due.
 */
export async function returnDespiteKill(count: number): Promise<void> {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  await prepareSnoozed(settings, count)
  const returns = (least: number, address: string) =>
    until(async () => {
      const number = await returned(address)
      return number >= least ? number : undefined
    }, PAUSE)
  let { gateway, address } = await started(settings)
  expect(await returns(1, address)).toBeLessThan(count)
  await kill(gateway)
  ;({ gateway, address } = await started(settings))
  expect(await returns(count, address)).toBe(count)
  expect(await gateway.kill('SIGTERM')).toBe(0)

  await withDatabase(settings, async ({ pool }) => {
    const { rows } = await pool.query<{ snoozed: number; once: number; seconds: number }>(
      `SELECT count(*) FILTER (WHERE snoozed_until IS NOT NULL)::int AS snoozed,
              count(*) FILTER (WHERE cardinality(delivered_at) = 1)::int AS once,
              percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM delivered_at[1] - first_created_at - interval '1 hour'))::float
                AS seconds
       FROM notifications`,
    )
    expect(rows).toMatchObject([{ snoozed: 0, once: count }])
    expect(rows[0]?.seconds).toBeLessThan(60)
  })
}
