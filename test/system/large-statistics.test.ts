// Statistics and health in a large environment: every statement uses an index.
import { beforeAll, describe, expect, test } from 'vitest'
import { environmentIdOf } from '../support/environment-id.ts'
import { plansOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
let gateway: Client

const HOUR = 3_600_000
const SIZE = 20_000

/** One message in each of the last minutes: of 20 workflows, through two integrations. One in 100 failed. */
async function fill(client: Client): Promise<void> {
  const environmentId = await environmentIdOf(client)
  const id = `(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-' || right('${environmentId}', 12))::uuid`
  const time = `now() - n * interval '1 minute'`
  const status = (good: string) => `(CASE WHEN n % 100 = 0 THEN 'failed' ELSE '${good}' END)`
  const statements = [
    `INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                         context_keys, snapshot_hash, created_at, updated_at)
     SELECT '${environmentId}', ${id}, n, 'workflow-' || n % 20, '[]', '{}', '{}', '{}', '', ${time}, ${time}`,
    `INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, status, position,
                                created_at, updated_at)
     SELECT '${environmentId}', ${id}, ${id}, 'ada', ${id}, ${status('completed')}::"RunStatus", 1, ${time}, ${time}`,
    `INSERT INTO deliveries (environment_id, id, step_run_id, channel, provider_id, integration_identifier, target, content,
                             status, attempt_count, created_at, updated_at)
     SELECT '${environmentId}', ${id}, ${id}, 'email', 'sendgrid', 'mail', '{}', '{}',
            ${status('sent')}::"DeliveryStatus", 1, ${time}, ${time}`,
    ...['minute', 'hour', 'day'].flatMap((granularity) =>
      ['total', 'workflow', 'integration'].map(
        (dimension) =>
          `INSERT INTO message_statistics (environment_id, granularity, dimension, starts_at, name, channel, sent, failed,
                                           cancelled, skipped, failed_attempts, failed_delivery_id)
           SELECT '${environmentId}', '${granularity}', '${dimension}',
                  date_trunc('minute', now()) - n * interval '1 ${granularity}',
                  CASE '${dimension}' WHEN 'total' THEN '' ELSE '${dimension}-' || n % 20 END, 'email', 1, 1, 0, 0, 1, ${id}`,
      ),
    ),
    `INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
     SELECT '${environmentId}', ${id}, (ARRAY['fan_out', 'advance', 'deliver'])[1 + n % 3]::"JobQueue", '{}', ${time},
            ${time}, ${time}`,
  ]
  // Without foreign keys and the triggers that count.
  await world.database.pool.query(
    ['SET LOCAL session_replication_role = replica']
      .concat(statements.map((statement) => `${statement} FROM generate_series(1, ${SIZE}) AS n`))
      .join('; '),
  )
}

beforeAll(async () => {
  gateway = await world.environment()
  for (const client of [gateway, await world.environment()]) await fill(client)
  await world.database.pool.query('VACUUM ANALYZE')
}, 300_000)

/** Expects statements on a table to read through an index, and no more rows than they use. */
async function expectIndex(table: string, work: () => Promise<unknown>): Promise<void> {
  const plans = await plansOf(world.database.pool, table, work)
  expect(plans).toHaveLength(1)
  for (const plan of plans) {
    expect(plan).not.toMatch(/Seq Scan on (events|workflow_runs|deliveries|message_statistics|jobs)\b/)
    const removed = Array.from(plan.matchAll(/Rows Removed by (?:Filter|Join Filter): (\d+)/g), ([, rows]) =>
      Number(rows),
    )
    expect(Math.max(0, ...removed)).toBeLessThan(500)
  }
}

describe('in a large environment', () => {
  test.each(['MINUTE', 'HOUR', 'DAY'])('statistics by %s read only their span', async (interval) => {
    const length = { MINUTE: HOUR / 60, HOUR, DAY: 24 * HOUR }[interval] ?? 0
    const to = new Date()
    await expectIndex('message_statistics', async () => {
      const { messageStatistics } = await gateway.ask<{ messageStatistics: unknown[] }>(
        `query ($from: DateTime!, $to: DateTime!) {
          messageStatistics(from: $from, to: $to, interval: ${interval}) { start sent }
        }`,
        { from: new Date(to.getTime() - 700 * length), to },
      )
      expect(messageStatistics).toHaveLength(701)
    })
  })

  test.each([
    ['message_statistics', 'integrations { failed }'],
    ['message_statistics', 'workflows { failedRuns failedMessages }'],
    ['deliveries', 'failedDeliveries'],
    ['jobs', 'queue { due }'],
  ])('health reads %s by an index: %s', async (table, fields) => {
    await expectIndex(table, () => gateway.ask(`{ deliveryHealth { ${fields} } }`))
  })
})
