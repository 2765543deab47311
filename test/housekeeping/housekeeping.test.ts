// Housekeeping: its tasks do not wait for each other.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { tasks } from '../../src/engine/housekeeping/tasks.ts'
import { createWorkflow, trigger } from '../support/delivery/story.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { until } from '../support/process/gateway-process.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
let acme: Client

const query = (text: string) => world.database.pool.query<{ count: number }>(text)

const countOf = async (table: string) => (await query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0]?.count

/** Resolves when a table is empty. */
const emptied = (table: string) => until(async () => ((await countOf(table)) === 0 ? true : undefined))

beforeEach(async () => {
  await query('DELETE FROM sweeps')
  acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  expect(await countOf('event_tally_changes')).toBeGreaterThan(0)
})

test('a sweep that takes long does not keep counts from being added up', async () => {
  await query("UPDATE events SET created_at = created_at - interval '400 days'")
  let time = 0
  // An hour for each portion, and three hours of rest after it.
  const housekeeping = housekeepingOf(world, { stopwatch: () => (time += 3_600_000) })
  const sweep = housekeeping.perform('retention')
  housekeeping.start()
  await emptied('event_tally_changes')
  expect(await countOf('event_tallies')).toBeGreaterThan(0)
  await housekeeping.stop()
  expect(await sweep).toBe(false)
})

test('a task that fails is logged, and the next ones are performed', async () => {
  const logged: Record<string, unknown>[] = []
  const housekeeping = housekeepingOf(world, { logged })
  await query(`
    INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier, sent)
    SELECT id, now(), 'order', 'email', 'mail', 1 FROM environments`)
  await query('ALTER TABLE event_tallies RENAME TO away')
  onTestFinished(async () => {
    await query('ALTER TABLE away RENAME TO event_tallies')
  })
  housekeeping.start()
  await emptied('message_statistics_changes')
  await housekeeping.stop()
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 40, msg: 'housekeeping task failed', task: 'event_tallies' }),
  )
  const { ended } = housekeeping.progress
  expect(ended.event_tallies).toEqual({ finished: 0, failed: 1 })
  expect(ended.message_statistics).toEqual({ finished: 1, failed: 0 })
  expect(await countOf('event_tally_changes')).toBeGreaterThan(0)
})

test('the documentation has every task', () => {
  const [, page = ''] = readFileSync(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8').split(
    '\n### Housekeeping\n',
  )
  const [section = ''] = page.split('\n#')
  expect([...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(Object.keys(tasks))
})
