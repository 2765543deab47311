// The metrics: what a scrape reports after requests, triggers, messages and outages.
import { describe, expect, test } from 'vitest'
import { readFinished, recordFinished } from '../../src/data/housekeeping/finished-task.ts'
import { countSuspended } from '../../src/data/workflow-suspension.ts'
import { createReadiness } from '../../src/domain/resolver/readiness.ts'
import { definitions } from '../../src/metrics/definitions.ts'
import { createProbe } from '../../src/metrics/probe.ts'
import { createMetrics } from '../../src/metrics/registry.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { until } from '../support/process/gateway-process.ts'
import { growth, parseScrape, type Scrape, scrape, scrapeOf, scrapeQueue, sourcesOf } from '../support/scrape.ts'
import { listen, transports } from '../support/transports.ts'
import { useWorld } from '../support/world.ts'

const { requests, rejections, messages, attempts, streams, triggersAccepted } = definitions

describe('requests', () => {
  const world = useWorld({ corsOrigins: ['https://dashboard.example.com'] })
  const get = (path: string, init: RequestInit = {}) => world.app.fetch(new Request(`http://gateway.test${path}`, init))
  const requestsDuring = (act: () => Promise<unknown>) => growth(world, requests.name, act)

  test('are counted by door, operation and status', async () => {
    const { development } = world
    // The first REST response is compared with the OpenAPI document, which takes another request.
    await development.rest('GET /v2/topics')
    const counted = await requestsDuring(async () => {
      await development.ask('{ topics(first: 1) { nodes { key } } }')
      await development.ask('query ($key: String!) { other: topics { totalCount } topic(key: $key) { key } }', {
        key: 'a',
      })
      await development.ask('{ a: __typename b: __typename }')
      await development.act('createTopic', { key: 'news', name: 'News' })
      await development.rest('GET /v2/topics/news')
      await development.rest('GET /v2/topics/other')
      await get('/health')
      await get('/ready')
      await get('/v2/topics/news', {
        method: 'OPTIONS',
        headers: { origin: 'https://dashboard.example.com', 'access-control-request-method': 'GET' },
      })
    })
    expect(counted).toEqual({
      '{door="graphql",operation="topics",status="200"}': 1,
      '{door="graphql",operation="multiple",status="200"}': 1,
      '{door="graphql",operation="__typename",status="200"}': 1,
      '{door="graphql",operation="createTopic",status="200"}': 1,
      '{door="rest",operation="GET /v2/topics/{topicKey}",status="200"}': 1,
      '{door="rest",operation="GET /v2/topics/{topicKey}",status="404"}': 1,
      '{door="other",operation="/health",status="200"}': 1,
      '{door="other",operation="/ready",status="200"}': 1,
      '{door="other",operation="unknown",status="204"}': 1,
    })
  })

  test('have histograms of their duration, with one observation for each request', async () => {
    const observed = await growth(world, definitions.requestDuration.name, () =>
      world.development.ask('{ contexts { totalCount } }'),
    )
    expect(observed).toMatchObject({
      '_count{door="graphql",operation="contexts"}': 1,
      '_bucket{le="+Inf",door="graphql",operation="contexts"}': 1,
    })
  })

  test('create no series for values from callers', async () => {
    const invented = async (round: number) => {
      await world.development.send(`{ invented${round} { id } }`)
      await world.development.send(`query Invented${round} { topics { totalCount } }`)
      await world.development.rest(`GET /v2/topics/invented-${round}`)
      await world.development.rest(`GET /v2/invented-${round}`)
      await get(`/invented-${round}`)
      await get(`/health?invented=${round}`)
      await world.client(`invented-${round}`).send('{ topics { totalCount } }')
    }
    await invented(0)
    const before = await scrape(world)
    for (const round of [1, 2, 3]) await invented(round)
    const after = await scrape(world)
    expect([...after.keys()]).toEqual([...before.keys()])
    expect([...after.keys()].join('\n')).not.toContain('invented')
  })

  test('through yoga and over a WebSocket have their operation too', async () => {
    await done(world.development, 'createSubscriber', { subscriberId: 'ada' })
    const address = await listen(world)
    const counted = await requestsDuring(async () => {
      const query = encodeURIComponent('{ topics { totalCount } }')
      await get(`/graphql?query=${query}`, { headers: { authorization: `ApiKey ${world.development.key}` } })
      for (const [, follow] of transports) {
        const stream = await follow(address, `ApiKey ${world.development.key}`, {
          query: 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }',
        })
        await stream.next()
        await stream.leave()
      }
    })
    expect(counted).toEqual({
      '{door="graphql",operation="topics",status="200"}': 1,
      '{door="graphql",operation="notificationCountsChanged",status="200"}': transports.length,
    })
  })
})

describe('errors', () => {
  const world = useWorld({ rates: { trigger: 6000, configuration: 2000, global: 1 } })

  test('are counted by door and code', async () => {
    const { development } = world
    const counted = await growth(world, rejections.name, async () => {
      await development.send('{ nothing }')
      await development.send('{ topics(first: 101) { totalCount } }')
      await development.send(`{ ${'a'.repeat(200_000)} }`)
      await development.act('createTopic', { key: '' })
      await development.act('deleteTopic', { key: 'unknown' })
      await world.client('unknown').send('{ topics { totalCount } }')
      await development.rest('GET /v2/topics/unknown')
      await world.client('unknown').rest('GET /v2/topics')
      await development.rest('POST /v2/topics', { body: {} })
    })
    expect(counted).toEqual({
      '{door="graphql",code="GRAPHQL_VALIDATION_FAILED"}': 1,
      '{door="graphql",code="BAD_USER_INPUT"}': 2,
      '{door="graphql",code="QUERY_TOO_LONG"}': 1,
      '{door="graphql",code="NOT_FOUND"}': 1,
      '{door="graphql",code="UNAUTHENTICATED"}': 1,
      '{door="rest",code="NOT_FOUND"}': 1,
      '{door="rest",code="UNAUTHENTICATED"}': 1,
      '{door="rest",code="BAD_USER_INPUT"}': 1,
    })
  })

  test('over a rate limit have the code RATE_LIMITED', async () => {
    const counted = await growth(world, rejections.name, async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => world.client('unknown').rest('GET /v2/topics')),
      )
      expect(answers.some(({ status }) => status === 429)).toBe(true)
    })
    expect(counted['{door="rest",code="RATE_LIMITED"}']).toBeGreaterThan(0)
  })
})

describe('triggers and messages', () => {
  const world = useWorld()
  const receiver = useReceiver()
  const steps = [
    { inApp: { stepId: 'feed', body: 'Shipped' } },
    { email: { stepId: 'mail', subject: 'Shipped', body: 'Your order is on its way.' } },
  ]

  /** What an act changed in all of their metrics. */
  async function changesBy(act: () => Promise<unknown>) {
    const changes: Record<string, unknown> = {}
    const measured = { triggers: triggersAccepted, attempts, messages }
    const counted = Object.entries(measured).reduce(
      (inner, [name, { name: metric }]) =>
        async () => {
          changes[name] = await growth(world, metric, inner)
        },
      async () => {
        await act()
      },
    )
    await counted()
    return changes
  }

  test('are counted by channel, provider and outcome, with their attempts', async () => {
    const client = await world.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    await createWorkflow(client, steps)
    await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
    const sent = await changesBy(async () => {
      const transactionId = await trigger(client)
      await trigger(client, { transactionId })
      await world.work()
    })
    expect(sent).toEqual({
      triggers: { '': 1 },
      attempts: { '{channel="email",provider="email-webhook",outcome="accepted"}': 1 },
      messages: {
        '{channel="in_app",provider="feed",outcome="sent"}': 1,
        '{channel="email",provider="email-webhook",outcome="sent"}': 1,
      },
    })

    const rejected = await changesBy(async () => {
      receiver.answer(503)
      await trigger(client)
      await world.work()
      receiver.answer(400)
      await world.work({ early: true })
    })
    expect(rejected).toEqual({
      triggers: { '': 1 },
      attempts: {
        '{channel="email",provider="email-webhook",outcome="retried"}': 1,
        '{channel="email",provider="email-webhook",outcome="failed"}': 1,
      },
      messages: {
        '{channel="in_app",provider="feed",outcome="sent"}': 1,
        '{channel="email",provider="email-webhook",outcome="failed"}': 1,
      },
    })

    const previewed = await changesBy(() =>
      client.ask(
        '{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) { status } }',
      ),
    )
    expect(previewed).toEqual({ triggers: {}, attempts: {}, messages: {} })
  })

  test('take a place of the process while they are sent', async () => {
    const client = await world.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    await createWorkflow(client, [{ email: { subject: 'Hi', body: 'Hello' } }])
    await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
    const { messagesInFlight, messagePlaces } = definitions
    const placesIn = (found: Scrape) =>
      ['used', 'free'].map((state) => found.get(`${messagePlaces.name}{state="${state}"}`))
    const during = new Promise<Scrape>((resolve) => {
      receiver.respond((response) => {
        void scrape(world).then((found) => {
          response.writeHead(200).end('{}')
          resolve(found)
        })
      })
    })
    await trigger(client)
    await world.work()
    expect((await during).get(messagesInFlight.name)).toBe(1)
    const after = await scrape(world)
    expect(after.get(messagesInFlight.name)).toBe(0)
    expect(placesIn(after)).toEqual([0, expect.any(Number)])
    const busy = await scrapeOf(sourcesOf(world, { places: { held: 30, free: 10, inFlight: 45 } }))
    expect(placesIn(busy)).toEqual([30, 10])
    expect(busy.get(messagesInFlight.name)).toBe(45)
  })

  test('are in the queue until they have ended, with the age of the oldest due job', async () => {
    const client = await world.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada' })
    await createWorkflow(client, [{ delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }, ...steps])
    const now = new Date()
    const after = (seconds: number) => world.setClock(new Date(now.getTime() + seconds * 1000))
    const { queueJobs, queueOldestAge } = definitions
    const queue = async (kind: string) => {
      const found = await scrapeQueue(world)
      const jobs = (state: string) => found.get(`${queueJobs.name}{kind="${kind}",state="${state}"}`)
      return {
        due: jobs('due'),
        scheduled: jobs('scheduled'),
        paused: jobs('paused'),
        age: found.get(`${queueOldestAge.name}{kind="${kind}"}`),
      }
    }
    after(0)
    await trigger(client)
    after(30)
    await trigger(client)
    after(90)
    expect(await queue('events')).toEqual({ due: 2, scheduled: 0, paused: 0, age: 90 })
    expect(await queue('runs')).toEqual({ due: 0, scheduled: 0, paused: 0, age: 0 })
    await world.work()
    expect(await queue('events')).toEqual({ due: 0, scheduled: 0, paused: 0, age: 0 })
    expect(await queue('runs')).toEqual({ due: 0, scheduled: 2, paused: 0, age: 0 })
    after(3_690)
    expect(await queue('runs')).toEqual({ due: 2, scheduled: 0, paused: 0, age: 90 })
    await done(client, 'pauseWorkflow', { identifier: 'order' })
    expect(await queue('runs')).toEqual({ due: 0, scheduled: 0, paused: 2, age: 0 })
    await done(client, 'resumeWorkflow', { identifier: 'order' })
    expect(await queue('runs')).toEqual({ due: 2, scheduled: 0, paused: 0, age: 0 })
    await world.work({ early: true })
    world.setClock(undefined)
  })
})

describe('failures', () => {
  const world = useWorld({ ownDatabase: true })

  test('of a suspended workflow count: the workflow, its events, and the runs that were waiting', async () => {
    const client = await world.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada' })
    await createWorkflow(client, [
      { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } },
      { inApp: { body: 'Hello' } },
    ])
    await trigger(client)
    await world.work()
    await world.database.pool.query(
      `INSERT INTO workflow_suspensions (environment_id, workflow_id, version, stopped_at, reason, suspended_at, tried_at)
       SELECT environment_id, id, updated_at, '{}', 'too slow', now(), now() FROM workflows`,
    )
    expect(await countSuspended(world.database.client)).toBe(1)
    const failed = await growth(world, definitions.eventsFailed.name, async () => {
      expect(
        await growth(world, definitions.runsFailed.name, async () => {
          await trigger(client)
          await world.work({ early: true })
        }),
      ).toEqual({ '': 1 })
    })
    expect(failed).toEqual({ '{reason="workflow_suspended"}': 1 })
    await world.database.pool.query(`UPDATE workflows SET updated_at = updated_at + interval '1 second'`)
    expect(await countSuspended(world.database.client)).toBe(0)
  })

  test('of sweeps and backups are visible in the time of the last success', async () => {
    const { client } = world.database
    const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')]
    await recordFinished(client, 'backup', late)
    await recordFinished(client, 'backup', early)
    expect(await readFinished(client)).toEqual({ backup: late })
  })
})

describe('code from callers', () => {
  const world = useWorld()

  test('has its evaluation time, and is counted when a limit stops it', async () => {
    const client = await world.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada' })
    const endless = '{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}'
    await createWorkflow(client, [{ inApp: { body: endless } }])
    const stopped = await growth(world, definitions.evaluationsStopped.name, async () => {
      const took = await growth(world, definitions.evaluationTime.name, async () => {
        await trigger(client)
        await world.work()
      })
      expect(took['{kind="render",place="thread"}']).toBeGreaterThan(0)
    })
    expect(stopped).toEqual({ '{kind="render",cause="time"}': 1 })
  })
})

describe('streams', () => {
  const world = useWorld()
  const names = ['sse', 'multipart', 'websocket']

  test('are counted while they are open, by transport', async () => {
    await done(world.development, 'createSubscriber', { subscriberId: 'ada' })
    const address = await listen(world)
    const open = async () => {
      const found = await scrape(world)
      return names.map((transport) => found.get(`${streams.name}{transport="${transport}"}`) ?? 0)
    }
    const query = 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }'
    const followers = await Promise.all(
      transports.map(([, follow]) => follow(address, `ApiKey ${world.development.key}`, { query })),
    )
    for (const follower of followers) await follower.next()
    expect(await open()).toEqual([1, 1, 1])
    for (const follower of followers) await follower.leave()
    await until(async () => ((await open()).every((count) => count === 0) ? true : undefined))
  })
})

describe('a scrape', () => {
  const world = useWorld()

  test('has the pool, the event loop, the process and the versions', async () => {
    // Background work uses the only connection of the embedded database from time to time.
    const found = await until(async () => {
      const samples = await scrape(world)
      return (samples.get('notification_gateway_database_connections{state="idle"}') ?? 0) > 0 ? samples : undefined
    })
    const value = (name: string) => found.get(name) ?? NaN
    expect(value('notification_gateway_database_up')).toBe(1)
    expect(value('notification_gateway_database_waiting')).toBe(0)
    expect(value('notification_gateway_event_loop_busy_seconds_total')).toBeGreaterThan(0)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(value(`notification_gateway_build_info{version="0.1.0",node="${process.version}"}`)).toBe(1)
  })

  test('does not change the next one', async () => {
    const loop = ({ name }: { readonly name: string }, found: Scrape) =>
      [...found].filter(([series]) => series.startsWith(name)).map(([, value]) => value)
    const [first, second] = [await scrape(world), await scrape(world)]
    for (const metric of [definitions.loopDelay, definitions.loopBusy]) {
      const [before, after] = [loop(metric, first), loop(metric, second)]
      expect(before.length).toBeGreaterThan(0)
      for (const [index, value] of before.entries()) expect(after[index]).toBeGreaterThanOrEqual(value)
    }
    await until(async () => (loop(definitions.loopDelay, await scrape(world)).at(-1) === 0 ? undefined : true))
  })

  test('of a new process has a series of 0 for each failure, so that an alert sees the first', async () => {
    const { evaluationsStopped } = definitions
    const metrics = createMetrics()
    const found = parseScrape(await metrics.print())
    metrics.close()
    expect(found.get(`${rejections.name}{door="rest",code="INTERNAL_SERVER_ERROR"}`)).toBe(0)
    expect(found.get(`${messages.name}{channel="email",provider="postmark",outcome="failed"}`)).toBe(0)
    expect(found.get(`${attempts.name}{channel="sms",provider="twilio",outcome="retried"}`)).toBe(0)
    expect(found.get(`${evaluationsStopped.name}{kind="render",cause="memory"}`)).toBe(0)
    expect(found.size).toBeLessThan(500)
  })

  test('has no metrics of the queue and says so while the database fails or is silent', async () => {
    const silent = new Promise<never>(() => {})
    for (const readQueue of [() => Promise.reject(new Error('away')), () => silent]) {
      const metrics = createMetrics()
      metrics.watch(sourcesOf(world, { readQueue }))
      const [found, again] = (await Promise.all([metrics.print(), metrics.print()])).map(parseScrape)
      metrics.close()
      expect(found?.get('notification_gateway_database_up')).toBe(0)
      expect([...(found?.keys() ?? [])].filter((name) => name.includes('queue'))).toEqual([])
      expect([...(again?.keys() ?? [])]).toEqual([...(found?.keys() ?? [])])
    }
  })

  test('has the readiness, the failures, the replica, the disk, the process and the periodic tasks', async () => {
    const at = new Date('2026-01-02T03:04:05Z')
    const { checks } = await createReadiness(world.database, world.gateway)()
    expect((await scrape(world)).get('notification_gateway_ready{check="database"}')).toBe(1)
    const found = await scrapeOf(
      sourcesOf(world, {
        readiness: async () => ({ checks: { ...checks, keyRing: 'lacks a key' } }),
        failingIntegrations: () => 2,
        readInstallation: async () => ({ suspendedWorkflows: 3, openCircuits: 1, finished: { sweep: at } }),
        replicaLag: () => Promise.resolve({ bytes: 4_096, seconds: 2 }),
        freeSpace: () => Promise.resolve(1_000),
      }),
    )
    expect(Object.fromEntries(found)).toMatchObject({
      'notification_gateway_ready{check="disk"}': 1,
      'notification_gateway_ready{check="keyRing"}': 0,
      notification_gateway_integrations_failing: 2,
      notification_gateway_workflows_suspended: 3,
      notification_gateway_open_circuits: 1,
      notification_gateway_replica_up: 1,
      notification_gateway_replica_lag_bytes: 4_096,
      notification_gateway_replica_lag_seconds: 2,
      notification_gateway_disk_free_bytes: 1_000,
      'notification_gateway_task_finished_timestamp_seconds{task="sweep"}': at.getTime() / 1000,
    })
    expect(found.get('notification_gateway_heap_used_bytes')).toBeLessThan(
      found.get('notification_gateway_heap_limit_bytes') ?? 0,
    )
    expect(found.get('process_open_fds')).toBeLessThan(found.get('process_max_fds') ?? 0)
  })

  test('has no metrics of a replica, a disk and tasks that do not exist, and says that a replica is away', async () => {
    const names = (found: Scrape) =>
      [...found.keys()].filter((name) => /replica_(up|lag)|disk_free|task_finished/.test(name))
    expect(names(await scrapeOf(sourcesOf(world, {})))).toEqual([])
    const away = await scrapeOf(sourcesOf(world, { replicaLag: () => Promise.resolve(undefined) }))
    expect(names(away)).toEqual(['notification_gateway_replica_up'])
    expect(away.get('notification_gateway_replica_up')).toBe(0)
  })

  test('has the tasks of housekeeping, the rows that sweeps have deleted, and the delay of the sweeps', async () => {
    const metrics = createMetrics()
    const deleted = { events: 0, notifications: 2 }
    const ended = { ended_pauses: { finished: 3, failed: 1 } }
    metrics.watch(sourcesOf(world, { housekeeping: { deleted, oldestExpired: { events: 3600 }, ended } }))
    await metrics.print()
    deleted.events = 5
    const found = parseScrape(await metrics.print())
    metrics.close()
    expect(found.get(`${definitions.sweptRows.name}{table="events"}`)).toBe(5)
    expect(found.get(`${definitions.sweptRows.name}{table="notifications"}`)).toBe(2)
    expect(found.get(`${definitions.sweepBehind.name}{kind="events"}`)).toBe(3600)
    expect(found.get(`${definitions.tasksEnded.name}{task="ended_pauses",outcome="finished"}`)).toBe(3)
    expect(found.get(`${definitions.tasksEnded.name}{task="ended_pauses",outcome="failed"}`)).toBe(1)
  })

  test('reads the queue once, however many ask', async () => {
    let reads = 0
    const probe = createProbe(() => Promise.resolve((reads += 1)))
    expect(await Promise.all([probe(), probe(), probe()])).toEqual([1, 1, 1])
    expect(await probe()).toBe(1)
  })
})
