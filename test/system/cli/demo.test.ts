// demo: example data in an environment of its own.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { removeNextJobs } from '../../../src/data/queue/job-taking.ts'
import { operators } from '../../../src/domain/access/operator.ts'
import { contentOf } from '../../../src/domain/channel/sent-content.ts'
import type { ApiKeyCaller } from '../../../src/domain/resolver/caller.ts'
import { permissionsOf } from '../../../src/domain/resolver/permission.ts'
import { createScope } from '../../../src/domain/resolver/create-scope.ts'
import type { Scope } from '../../../src/domain/resolver/scope.ts'
import { triggerEvent } from '../../../src/domain/trigger/event.ts'
import { beginAttempt, endAttempt } from '../../../src/engine/attempt.ts'
import { enlarge } from '../../../src/engine/example/large.ts'
import { people } from '../../../src/engine/example/people.ts'
import { answerTo } from '../../../src/engine/example/sink.ts'
import { fanOut } from '../../../src/engine/fan-out.ts'
import { commandLineOf } from '../../support/command-line.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ ownDatabase: true })
const run = commandLineOf(world)

const DAY = 24 * 3_600_000

// Two weeks are about two thousand statements.
vi.setConfig({ testTimeout: 240_000 })

/** Triggers an event and executes it as the worker does, except that the example's provider answers. */
async function executeOneByOne(scope: Scope, trigger: Parameters<typeof triggerEvent>[1], end: Date): Promise<void> {
  await triggerEvent(scope, trigger)
  for (let jobs = await removeNextJobs(scope, end); jobs.length > 0; jobs = await removeNextJobs(scope, end)) {
    for (const job of jobs) {
      if (job.queue === 'fan_out') await fanOut(scope, [job], 1_000)
      if (job.queue !== 'deliver') continue
      const startedAt = scope.now()
      const { deliveryId } = job.data
      const message = await beginAttempt(scope, deliveryId)
      if (message === undefined || 'obstacle' in message) throw new Error('the message cannot be sent')
      const { channel, subscriber } = message
      const answer = answerTo({ channel, subscriberId: subscriber.subscriberId }, 1, startedAt, end)
      await endAttempt(scope, job, { startedAt, ...answer })
    }
    scope.forget()
  }
}

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
    expect(workflows.nodes).toHaveLength(7)
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

  test('opens incidents and resolves all but the last one by their keys', async () => {
    const { db } = world.gateway
    const { id: environmentId } = await db.environment.findFirstOrThrow({ where: { name: 'Demo' } })
    const messages = await db.delivery.findMany({ where: { environmentId, channel: 'tool' } })
    const incidents = messages.map((message) => contentOf(message).incident)
    const keysOf = (action: string) => new Set(incidents.flatMap((one) => (one?.action === action ? one.key : [])))
    expect(keysOf('trigger')).toEqual(new Set(['api', 'imports', 'identity', 'search']))
    expect(keysOf('resolve')).toEqual(new Set(['api', 'imports', 'identity']))
  })

  test('sends comments on one document to a subscriber in one thread', async () => {
    const { db } = world.gateway
    const { id: environmentId } = await db.environment.findFirstOrThrow({ where: { name: 'Demo' } })
    const where = { environmentId, channel: 'email', workflowIdentifier: 'comment-added' } as const
    const emails = (await db.delivery.findMany({ where })).map((message) => {
      const { subject, email } = contentOf(message)
      expect(email).toMatchObject({ preheader: expect.any(String), replyTo: [{ address: 'comments@app.example' }] })
      return { conversation: `${message.subscriberId} ${subject?.split(' on ')[1] ?? ''}`, thread: email?.thread }
    })
    const conversations = new Set(emails.map(({ conversation }) => conversation))
    expect(conversations.size).toBeGreaterThan(1)
    expect(new Set(emails.map(({ thread }) => thread)).size).toBe(conversations.size)
  })

  // `demo --large` itself runs in test/system/dashboard/scale.test.ts.
  test('enlarges with a crowd, workflows and an event whose rows are those of the engine', async () => {
    const { db, now } = world.gateway
    const [operator] = await operators(db)
    const key = await db.apiKey.findFirstOrThrow({ where: { environment: { name: 'Demo' } } })
    if (operator === undefined) throw new Error('there is no environment')
    const { environmentId, id: apiKeyId, userId } = key
    const { organizationId } = operator
    const rights = { access: 'full', permissions: permissionsOf.full } as const
    const caller: ApiKeyCaller = {
      kind: 'apiKey',
      environmentId,
      organizationId,
      database: null,
      apiKeyId,
      userId,
      ...rights,
    }
    const creator = createScope(world.gateway, operator)
    const end = now()
    const units = new Set<string>()
    await enlarge(
      creator,
      caller,
      { begin: new Date(end.getTime() - 15 * DAY), end },
      { subscribers: 160, workflows: 20, recipients: 100 },
      ({ unit, part }) => part === 1 && units.add(unit),
    )
    expect([...units]).toEqual([
      'workflows',
      'subscribers',
      'subscriptions to everyone',
      'subscriptions to newsletter',
      'recipients',
    ])
    expect(await db.subscriber.count({ where: { environmentId } })).toBe(160)
    expect(await db.workflow.count({ where: { environmentId } })).toBe(20)
    expect(await db.topicSubscription.count({ where: { environmentId, topicKey: 'everyone' } })).toBe(160)
    const event = await db.event.findFirstOrThrow({ where: { environmentId, workflowIdentifier: 'newsletter' } })
    expect(await db.job.count({ where: { environmentId, heldBy: null } })).toBe(0)
    expect(event.fannedOutAt).not.toBeNull()

    // The same workflow, executed by the engine one message at a time. Some addresses are rejected.
    const to = people.slice(0, 20).map(({ profile }) => profile.subscriberId)
    const trigger = { name: 'newsletter', transactionId: 'one-by-one', to, payload: { month: 'November' } }
    await createScope(world.gateway, caller).transaction((scope) => executeOneByOne(scope, trigger, end))
    const rowsOf = async (condition: string) => {
      const { rows } = await world.database.pool.query<{ row: unknown }>(`
        SELECT DISTINCT jsonb_build_object(
          'run', to_jsonb(run) - '{id,event_id,subscriber_id,subscriber_row_id,event_created_at,created_at,updated_at}'::text[],
          'step', to_jsonb(step) - '{id,run_id,created_at,updated_at}'::text[],
          'message', to_jsonb(message)
            - '{id,event_id,step_run_id,subscriber_id,subscription_ids,target,content,created_at,updated_at}'::text[],
          'attempt', to_jsonb(attempt) - '{delivery_id,started_at,ended_at}'::text[],
          'ended together', attempt.ended_at = ALL (ARRAY[message.updated_at, step.updated_at, run.updated_at])
        ) AS row
        FROM events AS event
        JOIN workflow_runs AS run ON run.event_id = event.id
        JOIN step_runs AS step ON step.run_id = run.id
        JOIN deliveries AS message ON message.step_run_id = step.id
        JOIN delivery_attempts AS attempt ON attempt.delivery_id = message.id
        WHERE event.workflow_identifier = 'newsletter' AND ${condition} ORDER BY row`)
      return rows
    }
    const many = await rowsOf(`transaction_id <> 'one-by-one'`)
    expect(many).toHaveLength(2)
    expect(many).toEqual(await rowsOf(`transaction_id = 'one-by-one'`))
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
