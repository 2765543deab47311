// Accepting triggers: one statement looks up what they refer to, and one writes what they lead to. Changes between the
// two are respected.
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { bodiesOf, createWorkflow, storyOf } from '../support/delivery/story.ts'
import { statementsAndTransactionsOf } from '../support/statements.ts'
import type { RestObject } from '../support/rest-body.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  await acme.act('createTopic', { key: 'news' })
})

const post = (body: object) => acme.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada', ...body } })
const postAll = (events: readonly object[]) =>
  acme.rest<RestObject[]>('POST /v1/events/trigger/bulk', {
    body: { events: events.map((one) => ({ name: 'order', ...one })) },
  })

/** The statements of a request, without those that authenticate its caller. */
async function sentBy(request: () => Promise<unknown>): Promise<string[]> {
  return (await statementsAndTransactionsOf(request)).filter((text) => !/"?api_keys"?|"environments"/.test(text))
}

/** Runs `work` once, after a trigger has looked up what it refers to and before it writes. */
function afterLookup(work: () => Promise<unknown>): void {
  const { pool } = world.database
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
  const spy = vi.spyOn(pool, 'query')
  const spied: (...given: unknown[]) => unknown = async (...given) => {
    const [statement] = given as [{ text?: string }]
    const result = await query(...given)
    if (statement.text?.includes('LEFT JOIN workflows') === true) {
      spy.mockRestore()
      await work()
    }
    return result
  }
  spy.mockImplementation(spied)
}

const transactionIds = async () =>
  (await acme.ask('{ events(first: 100) { nodes { transactionId } } }')).events.nodes.map(
    ({ transactionId }) => transactionId,
  )

describe('accepting sends one statement that reads and one that writes', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ to: `user-${index}`, payload: { index } }))
  const full = {
    to: [
      { subscriberId: 'eve', firstName: 'Eve', channels: { fcm: { deviceTokens: ['phone'] } } },
      { type: 'Topic', topicKey: 'news' },
    ],
    actor: 'ada',
    context: { tenant: { id: 'acme', data: { plan: 'pro' } } },
    transactionId: 'full',
  }

  // Only the acceptance matters here, and later tests would have to wait for the jobs.
  afterAll(() => world.database.pool.query('DELETE FROM jobs'))

  test.each([
    ['a trigger', () => post({})],
    ['a trigger with everything', () => post(full)],
    ['a bulk of 100 triggers', () => postAll(many)],
    ['a bulk with everything', () => postAll([full, { to: 'ada', context: { tenant: 'globex' } }])],
  ])('for %s', async (_what, request) => {
    const sent = await sentBy(request)
    expect(sent).toEqual([
      expect.not.stringMatching(/INSERT|UPDATE|FOR /),
      expect.stringMatching(/INSERT INTO events[^]*pg_notify/),
    ])
  })

  test('and another one to return the event of a repeated transaction id', async () => {
    await post({ transactionId: 'one' })
    // The first repetition also reads the snapshot of the workflow, which the process then caches.
    await post({ transactionId: 'one' })
    const sent = await sentBy(() => post({ transactionId: 'one' }))
    expect(sent).toHaveLength(2)
    expect(sent.join()).not.toContain('INSERT')
  })

  test('and does not write a subscriber that exists and has no changes', async () => {
    const read = async () => (await world.database.pool.query(`SELECT ctid, xmin, xmax FROM subscribers`)).rows
    const before = await read()
    await post({ to: ['ada', { subscriberId: 'ada' }], actor: 'ada' })
    expect(await read()).toEqual(before)
  })
})

describe('between the lookup and the write', () => {
  test('a workflow that is deleted makes the trigger fail, and it writes nothing', async () => {
    afterLookup(() => acme.act('deleteWorkflow', { identifier: 'order' }))
    const answer = await post({ to: 'grace', context: { tenant: 'acme' } })
    expect(answer).toMatchObject({ status: 404, body: { message: 'Workflow "order" not found' } })
    expect((await acme.rest('GET /v2/subscribers/grace')).status).toBe(404)
    expect((await acme.rest('GET /v2/contexts/tenant/acme')).status).toBe(404)
    expect(await transactionIds()).toEqual([])
  })

  test('a workflow that is created again runs in its new version', async () => {
    afterLookup(async () => {
      await acme.act('deleteWorkflow', { identifier: 'order' })
      await createWorkflow(acme, [{ inApp: { body: 'New' } }], { active: false })
    })
    expect((await post({})).body.status).toBe('trigger_not_active')
  })

  test('a topic that is deleted makes only its own trigger of a bulk fail', async () => {
    afterLookup(() => acme.act('deleteTopic', { key: 'news' }))
    const { body } = await postAll([{ to: { type: 'Topic', topicKey: 'news' } }, { to: 'ada', transactionId: 'one' }])
    expect(body).toMatchObject([{ status: 'error', error: ['Topic "news" not found'] }, { status: 'processed' }])
    expect(await transactionIds()).toEqual(['one'])
  })

  test('a transaction id that another trigger uses has no second effect, and the rest of the bulk is accepted', async () => {
    afterLookup(() => post({ transactionId: 'one' }))
    const { body } = await postAll([
      { to: { subscriberId: 'grace' }, transactionId: 'one' },
      { to: 'ada', transactionId: 'two' },
    ])
    expect(body).toMatchObject([{ transactionId: 'one' }, { transactionId: 'two' }])
    expect(await transactionIds()).toEqual(['two', 'one'])
    expect((await acme.rest('GET /v2/subscribers/grace')).status).toBe(404)
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Hello', 'Hello'])
  })

  test('a subscriber that is deleted is created again', async () => {
    afterLookup(() => acme.act('deleteSubscriber', { subscriberId: 'ada' }))
    await post({})
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(200)
  })
})

test('a transaction id of concurrent requests, one of them with an idempotency key, has one effect', async () => {
  const again = { name: 'order', to: { subscriberId: 'grace' }, transactionId: 'one' }
  const headers = { 'idempotency-key': 'key-1' }
  const answers = await Promise.all([
    ...Array.from({ length: 3 }, () => post({ transactionId: 'one' })),
    acme.rest('POST /v1/events/trigger', { body: again, headers }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(await transactionIds()).toEqual(['one'])
})

describe('a bulk', () => {
  const results = async (events: readonly object[]) => {
    const given = events.map((one) => ({
      workflowIdentifier: 'order',
      to: [{ subscriber: { subscriberId: 'ada' } }],
      ...one,
    }))
    const fields = 'results { status duplicate errors event { id transactionId } }'
    return (await acme.act('triggerEvents', { events: given }, fields)).results
  }

  test('accepts the first valid trigger with a transaction id, and returns its event for the others', async () => {
    const [unknown, first, second, other] = await results([
      { transactionId: 'one', workflowIdentifier: 'nothing' },
      { transactionId: 'one' },
      { transactionId: 'one', to: [{ subscriber: { subscriberId: 'grace' } }] },
      { transactionId: 'two' },
    ])
    expect(unknown).toMatchObject({ status: 'ERROR', event: null, errors: ['Workflow "nothing" not found'] })
    expect(first).toMatchObject({ status: 'PROCESSED', duplicate: false, event: { transactionId: 'one' } })
    expect(second).toEqual({ ...first, duplicate: true })
    expect(other).toMatchObject({ duplicate: false, event: { transactionId: 'two' } })
    expect((await acme.rest('GET /v2/subscribers/grace')).status).toBe(404)
    await world.work()
    expect(Object.keys(await storyOf(acme, 'one'))).toEqual(['ada'])
    expect(await results([{ transactionId: 'two' }, { transactionId: 'one' }])).toEqual([
      { ...other, duplicate: true },
      { ...first, duplicate: true },
    ])
  })

  test('writes a subscriber that several triggers name as if the triggers were sent one after the other', async () => {
    const channels = (...deviceTokens: string[]) => ({ fcm: { deviceTokens } })
    await postAll([
      { to: { subscriberId: 'eve', firstName: 'Eve', phone: '+1', channels: channels('old', 'older') } },
      { to: { subscriberId: 'eve', lastName: 'Online', phone: null, channels: channels('new') } },
      { to: ['eve', { subscriberId: 'ada', firstName: 'Ada' }] },
      { to: 'ada', actor: { subscriberId: 'eve', firstName: 'Evelyn' } },
      { name: 'nothing', to: { subscriberId: 'eve', firstName: 'Nobody' } },
    ])
    const { body } = await acme.rest('GET /v2/subscribers/eve')
    expect(body).toMatchObject({ firstName: 'Evelyn', lastName: 'Online' })
    expect(body).not.toHaveProperty('phone')
    expect(body.channels.map(({ credentials }) => credentials.deviceTokens)).toEqual([['new']])
    expect((await acme.rest('GET /v2/subscribers/ada')).body.firstName).toBe('Ada')
  })

  test('creates a context with the data of the first trigger that names it', async () => {
    await postAll([
      { to: 'ada', context: { tenant: { id: 'acme', data: { plan: 'pro' } } } },
      { to: 'ada', context: { tenant: { id: 'acme', data: { plan: 'free' } }, app: 'shop' } },
    ])
    expect((await acme.rest('GET /v2/contexts/tenant/acme')).body.data).toEqual({ plan: 'pro' })
    expect((await acme.rest('GET /v2/contexts/app/shop')).body.data).toEqual({})
  })

  test('accepts every transaction id once when bulks with the same ones, in any order, run concurrently', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`)
    const events = ids.map((transactionId, index) => ({
      transactionId,
      to: { subscriberId: `user-${index % 5}`, firstName: 'U' },
    }))
    const answers = await Promise.all([events, events.toReversed(), events.toSpliced(0, 10), events].map(postAll))
    for (const { status, body } of answers) {
      expect(status).toBe(201)
      expect(new Set(body.map((one) => one.status))).toEqual(new Set(['processed']))
    }
    expect((await transactionIds()).toSorted()).toEqual(ids.toSorted())
  })

  test('runs its triggers in their order', async () => {
    await createWorkflow(acme, [{ inApp: { body: '{{payload.n}}' } }], { identifier: 'count' })
    await postAll(Array.from({ length: 10 }, (_, n) => ({ name: 'count', to: 'ada', payload: { n } })))
    await world.work()
    expect(await bodiesOf(acme)).toEqual(Array.from({ length: 10 }, (_, n) => String(n)))
  })

  test('shares the snapshot of a workflow among its events', async () => {
    await postAll([{ to: 'ada' }, { to: 'ada' }])
    await post({})
    await acme.act('updateWorkflow', { identifier: 'order', name: 'Orders' })
    await post({})
    const { rows } = await world.database.pool.query(
      `SELECT workflow ->> 'name' AS name, count(*)::int AS events FROM workflow_snapshots AS snapshot
       JOIN events AS event ON event.environment_id = snapshot.environment_id AND snapshot_hash = hash
       WHERE snapshot.environment_id = (SELECT environment_id FROM events ORDER BY id DESC LIMIT 1)
       GROUP BY hash, workflow ORDER BY events DESC`,
    )
    expect(rows).toEqual([
      { name: 'Order', events: 3 },
      { name: 'Orders', events: 1 },
    ])
  })
})
