// demo: example data in an environment of its own.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { commandLineOf } from '../../support/command-line.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ ownDatabase: true })
const run = commandLineOf(world)

const DAY = 24 * 3_600_000

// Two weeks are about ten thousand statements.
vi.setConfig({ testTimeout: 240_000 })
beforeAll(() => world.setClock(new Date('2026-11-20T16:00:00Z')))

describe('demo', () => {
  test('leaves no environment that it could not remove', async () => {
    const { pool } = world.database
    await pool.query(`ALTER TABLE topics ADD CONSTRAINT unmarked CHECK (key <> 'created-by-the-demo') NOT VALID`)
    expect(await run('demo')).toMatchObject({ code: 1 })
    await pool.query('ALTER TABLE topics DROP CONSTRAINT unmarked')
    expect(await world.gateway.db.environment.count({ where: { name: 'Demo' } })).toBe(0)
  })

  test('creates two weeks of events with successes and failures in each channel, and leaves no job that is not paused', async () => {
    const { db, now } = world.gateway
    const before = await db.event.count()
    const { code, json } = await run('demo --json')
    expect(code).toBe(0)
    const client = world.client(json.key)
    const { environment, subscribers, contexts, workflows, topics, events } = await client.ask(`{
      environment { name }
      subscribers { totalCount }
      contexts { totalCount }
      workflows { nodes { identifier } }
      topics { nodes { key } }
      events(last: 1) { totalCount nodes { createdAt } }
    }`)
    expect(environment).toEqual({ name: 'Demo' })
    expect([subscribers.totalCount, contexts.totalCount]).toEqual([100, 3])
    expect(workflows.nodes).toHaveLength(6)
    expect(topics.nodes.length).toBeGreaterThan(4)
    expect(events.totalCount).toBe(json.events)
    expect(json.events).toBeGreaterThan(200)
    expect(now().getTime() - Date.parse(events.nodes[0].createdAt)).toBeGreaterThan(12 * DAY)

    const environmentId = json.environment.id
    const ended = await db.delivery.groupBy({
      by: ['channel', 'status'],
      where: { environmentId },
      _count: true,
      orderBy: [{ channel: 'asc' }, { status: 'asc' }],
    })
    const found = ended.map(({ channel, status }) => `${channel} ${status}`)
    expect(found.toSorted()).toEqual(
      [
        'chat sent',
        'email failed',
        'email sent',
        'push failed',
        'push pending',
        'push sent',
        'sms failed',
        'sms sent',
        'tool sent',
      ].toSorted(),
    )
    const times = { environmentId, createdAt: { gt: now() } }
    expect(await db.event.count({ where: times })).toBe(0)
    expect(await db.delivery.count({ where: times })).toBe(0)
    expect(await db.workflowRun.count({ where: { environmentId, status: { in: ['running', 'waiting'] } } })).toBe(0)
    const held = await db.job.count({ where: { environmentId, heldBy: { not: null } } })
    expect(held).toBeGreaterThan(0)
    expect(await db.job.count()).toBe(held)
    const waiting = await client.ask(
      '{ deliveries(filter: { status: PENDING }) { nodes { pause { kind reason } } } integrations { nodes { identifier pause { reason } } } }',
    )
    const reason = 'Outage of the push provider'
    expect(waiting.deliveries.nodes).toHaveLength(held)
    expect(waiting.deliveries.nodes[0].pause).toEqual({ kind: 'INTEGRATION', reason })
    expect(waiting.integrations.nodes).toContainEqual({ identifier: 'demo-push', pause: { reason } })
    expect(await db.event.count({ where: { environmentId: { not: environmentId } } })).toBe(before)
  })

  test('shows an outage that further attempts outlasted, and feeds with read and unread notifications', async () => {
    const { db } = world.gateway
    const { id: environmentId } = await db.environment.findFirstOrThrow({ where: { name: 'Demo' } })
    const outlasted = await db.delivery.findFirst({
      where: { environmentId, channel: 'sms', status: 'sent', attemptCount: { gt: 3 } },
    })
    expect(outlasted).not.toBeNull()
    for (const readAt of [null, { not: null }]) {
      expect(await db.notification.count({ where: { environmentId, readAt } })).toBeGreaterThan(20)
    }
  })

  test('does not touch an environment that exists', async () => {
    expect(await run('demo')).toMatchObject({ code: 1, stderr: 'An environment named "Demo" already exists\n' })
    expect(await run('demo --environment Development')).toMatchObject({ code: 1 })
  })

  test('removes its own environment, and no other', async () => {
    expect(await run('demo --remove --environment Development')).toMatchObject({
      code: 1,
      stderr: 'The environment "Development" was not created by the demo: it is not removed\n',
    })
    expect(await run('demo --remove')).toMatchObject({ code: 0, stdout: 'Removed the environment "Demo".\n' })
    // Its rows follow in the background.
    const listed = { name: 'Demo', organizationId: { not: null } }
    expect(await world.gateway.db.environment.count({ where: listed })).toBe(0)
    expect(await run('demo --remove')).toMatchObject({ code: 1 })
  })
})
