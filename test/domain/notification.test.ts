// The in-app feed: its content, its counts, and marking notifications.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { environmentIdOf } from '../support/environment-id.ts'
import { notify } from '../support/feed.ts'
import { plansOf, statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const tenant = ['tenant:acme']

async function peopled(): Promise<Client> {
  const client = await world.environment()
  await client.act('createSubscribers', { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] })
  return client
}

/** Arguments of a query for Ada's feed. */
interface Asked {
  readonly contextKeys?: readonly string[]
  readonly filter?: object
  readonly first?: number
  readonly after?: string
}

const feedQuery = `query ($contextKeys: [String!], $filter: NotificationFilter, $first: Int, $after: String) {
  subscriber(subscriberId: "ada") {
    notifications(contextKeys: $contextKeys, filter: $filter, first: $first, after: $after) {
      totalCount
      nodes { subject }
      pageInfo { hasNextPage endCursor }
    }
    notificationCounts(contextKeys: $contextKeys) { unseen unread total }
  }
}`

async function adasFeed(client: Client, asked: Asked = {}) {
  const { subscriber } = await client.ask(feedQuery, { ...asked })
  const { nodes, ...connection } = subscriber.notifications
  return {
    ...connection,
    subjects: nodes.map(({ subject }) => subject).join(''),
    counts: subscriber.notificationCounts,
  }
}

describe('a notification', () => {
  test('returns all fields that it was sent with', async () => {
    acme = await peopled()
    await acme.act('createContext', { type: 'tenant', identifier: 'acme' })
    const sent = {
      subscriberId: 'ada',
      contextKeys: tenant,
      subject: 'Shipped',
      body: 'Your order is on its way.',
      avatar: 'https://example.com/parcel.png',
      url: 'https://example.com/orders/1',
      actions: [
        { label: 'Track', url: 'https://example.com/orders/1/track' },
        { label: 'Cancel', url: 'https://example.com/orders/1/cancel' },
      ],
      data: { order: 1 },
      severity: 'high',
      tags: ['orders'],
      workflowIdentifier: 'order-shipped',
    } as const
    const [id] = await notify(world, acme, sent)
    const { node } = await acme.ask(
      `query ($id: ID!) { node(id: $id) { ... on Notification {
         subscriber { subscriberId } contextKeys contexts { key } event { id } workflowIdentifier
         subject body avatar url actions { label url } data severity tags seenAt readAt archivedAt createdAt updatedAt
       } } }`,
      { id },
    )
    const { subscriberId, ...shown } = sent
    expect(node).toEqual({
      ...shown,
      subscriber: { subscriberId },
      contexts: [{ key: 'tenant:acme' }],
      event: null,
      severity: 'HIGH',
      seenAt: null,
      readAt: null,
      archivedAt: null,
      createdAt: expect.any(String),
      updatedAt: node.createdAt,
    })
  })

  test('is written once per step run, even if the step is attempted twice', async () => {
    acme = await peopled()
    const stepRunId = world.gateway.newId()
    await notify(world, acme, { subscriberId: 'ada', stepRunId, subject: 'a' })
    await notify(world, acme, { subscriberId: 'ada', stepRunId, subject: 'b' })
    expect((await adasFeed(acme)).subjects).toBe('a')
  })
})

describe('a feed', () => {
  beforeAll(async () => {
    acme = await peopled()
    for (const [subject, contextKeys, more] of [
      ['a', [], { severity: 'high', tags: ['orders'], data: { tab: 'x', n: 1 } }],
      ['b', tenant, {}],
      ['c', [], { severity: 'low', tags: ['orders', 'news'], data: { tab: 'x', n: 2, ok: true, no: null } }],
      ['d', [], {}],
      ['e', ['app:web', 'tenant:acme'], {}],
      ['f', [], { tags: ['news'] }],
    ] as const) {
      await notify(world, acme, { subscriberId: 'ada', subject, contextKeys, ...more })
    }
    await notify(world, acme, { subscriberId: 'grace', subject: 'x' })
    const mark = async (subject: string, as: string) => {
      const { subscriber } = await acme.ask(
        '{ subscriber(subscriberId: "ada") { notifications { nodes { id subject } } } }',
      )
      const found = subscriber.notifications.nodes.find((node) => node.subject === subject)
      await acme.act('markNotification', { id: found?.id, as })
    }
    await mark('a', 'ARCHIVED')
    await mark('c', 'READ')
    await mark('d', 'SEEN')
  })

  test.each([
    [undefined, 'fdc'],
    [[], 'fdc'],
    [tenant, 'b'],
    [['tenant:acme', 'app:web'], 'e'],
    [['app:web'], ''],
  ])('for exactly the contexts %j contains "%s", newest first', async (contextKeys, expected) => {
    const { subjects, totalCount } = await adasFeed(acme, contextKeys && { contextKeys })
    expect(subjects).toBe(expected)
    expect(totalCount).toBe(expected.length)
  })

  test.each([
    [{ archived: true }, 'a'],
    [{ archived: false }, 'fdc'],
    [{ archived: null }, 'fdc'],
    [{ read: true }, 'c'],
    [{ read: true, archived: true }, 'a'],
    [{ read: false }, 'fd'],
    [{ seen: true }, 'dc'],
    [{ seen: false }, 'f'],
    [{ severity: ['HIGH', 'LOW'] }, 'c'],
    [{ tags: ['news'] }, 'fc'],
    [{ tags: ['orders', 'news'] }, 'fc'],
    [{ tags: ['orders'], archived: true }, 'a'],
    [{ read: null, tags: null }, 'fdc'],
    [{ tagGroups: [['orders', 'x'], ['news']] }, 'c'],
    [{ tagGroups: [['orders'], ['x']] }, ''],
    [{ tags: ['news'], tagGroups: [['orders', 'news']] }, 'fc'],
    [{ data: { tab: 'x' } }, 'c'],
    [{ data: { tab: 'x', n: 2, ok: true, no: null } }, 'c'],
    [{ data: { n: '2' } }, ''],
    [{ data: {} }, 'fdc'],
    [{ createdGte: '2020-01-01T00:00:00Z', createdLte: '2999-01-01T00:00:00Z' }, 'fdc'],
    [{ createdGte: '2999-01-01T00:00:00Z' }, ''],
    [{ createdLte: '2020-01-01T00:00:00Z' }, ''],
  ])('filtered by %j contains "%s"', async (filter, expected) => {
    const { subjects, totalCount } = await adasFeed(acme, { filter })
    expect(subjects).toBe(expected)
    expect(totalCount).toBe(expected.length)
  })

  test.each(['severity', 'tags'])('rejects a filter with an empty list of %s', async (field) => {
    const { errors } = await acme.send(feedQuery, { filter: { [field]: [] } })
    expect(errors).toMatchObject([
      { message: `filter.${field} must be at least 1 item long`, extensions: { code: 'BAD_USER_INPUT' } },
    ])
  })

  test('rejects data that is not a scalar', async () => {
    const { errors } = await acme.send(feedQuery, { filter: { data: { tab: ['x'] } } })
    expect(errors).toMatchObject([
      { message: 'filter.data must only have texts, numbers, booleans and null as values' },
    ])
  })

  test('applies the filter to every page', async () => {
    const pages: string[] = []
    let after: string | null = null
    do {
      const { subjects, pageInfo } = await adasFeed(acme, {
        filter: { archived: false },
        first: 2,
        ...(after && { after }),
      })
      pages.push(subjects)
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null)
    expect(pages).toEqual(['fd', 'c'])
  })

  test('counts unarchived notifications for exactly the given contexts', async () => {
    expect((await adasFeed(acme)).counts).toEqual({ unseen: 1, unread: 2, total: 3 })
    expect((await adasFeed(acme, { contextKeys: tenant })).counts).toEqual({ unseen: 1, unread: 1, total: 1 })
    expect((await adasFeed(acme, { contextKeys: ['app:web'] })).counts).toEqual({ unseen: 0, unread: 0, total: 0 })
  })

  test('is counted by up to 20 filters in one statement', async () => {
    const query = `query ($filters: [NotificationFilter!]!) { subscriber(subscriberId: "ada") {
      notificationCountsByFilter(filters: $filters) } }`
    const given = [{}, { archived: true }, { read: false }, { tags: ['news'] }, { data: { tab: 'x' } }]
    const filters = [...given, ...Array.from({ length: 15 }, () => ({ snoozed: true }))]
    const statements = await statementsOf(async () => {
      const { subscriber } = await acme.ask(query, { filters })
      expect(subscriber.notificationCountsByFilter).toEqual([3, 1, 2, 2, 1, ...Array.from({ length: 15 }, () => 0)])
    })
    expect(statements.filter((text) => text.includes('FROM notifications'))).toHaveLength(1)
    const { errors } = await acme.send(query, { filters: [...filters, {}] })
    expect(errors).toMatchObject([{ message: 'filters must be at most 20 items long' }])
  })

  test('counts the unread notifications by severity', async () => {
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { notificationCounts { unread unreadBySeverity { high medium low none } } } }',
    )
    expect(subscriber.notificationCounts).toEqual({
      unread: 2,
      unreadBySeverity: { high: 0, medium: 0, low: 0, none: 2 },
    })
  })

  test('is read with one statement for many subscribers, and so are its counts', async () => {
    const query = `{ subscribers { nodes {
      notifications { nodes { subject subscriber { subscriberId } } }
      notificationCounts { unread }
    } } }`
    const statements = await statementsOf(() => acme.ask(query))
    expect(statements.filter((text) => text.includes('notifications'))).toHaveLength(2)
    expect(statements.filter((text) => text.includes('"subscribers"')).length).toBeLessThanOrEqual(2)
  })
})

describe('marking notifications', () => {
  let ids: string[]
  const [at, later] = [new Date('2027-03-01T12:00:00Z'), new Date('2027-03-01T13:00:00Z')]

  beforeEach(async () => {
    acme = await peopled()
    ids = await notify(
      world,
      acme,
      { subscriberId: 'ada', subject: 'a', tags: ['orders'] },
      { subscriberId: 'ada', subject: 'b' },
    )
    return () => world.setClock(undefined)
  })

  const mark = async (as: string, when: Date, id = ids[0]) => {
    world.setClock(when)
    const payload = await acme.act('markNotification', { id, as }, 'notification { seenAt readAt archivedAt }')
    expect(payload.userErrors).toEqual([])
    return payload.notification
  }
  const times = (seenAt: Date | null, readAt: Date | null, archivedAt: Date | null) =>
    JSON.parse(JSON.stringify({ seenAt, readAt, archivedAt }))

  test('sets the time of the first mark, and implies the earlier states', async () => {
    expect(await mark('SEEN', at)).toEqual(times(at, null, null))
    expect(await mark('SEEN', later)).toEqual(times(at, null, null))
    expect(await mark('READ', later)).toEqual(times(at, later, null))
    expect(await mark('ARCHIVED', later)).toEqual(times(at, later, later))
    expect(await mark('READ', at, ids[1])).toEqual(times(at, at, null))
    expect(await mark('ARCHIVED', later, ids[1])).toEqual(times(at, at, later))
  })

  test('can be undone one state at a time', async () => {
    await mark('ARCHIVED', at)
    expect(await mark('UNARCHIVED', later)).toEqual(times(at, at, null))
    expect(await mark('UNREAD', later)).toEqual(times(at, null, null))
    expect(await mark('READ', later)).toEqual(times(at, later, null))
  })

  test('returns NOT_FOUND for an unknown notification or subscriber', async () => {
    const id = Buffer.from(`Notification:${world.gateway.newId()}`).toString('base64')
    expect((await acme.act('markNotification', { id, as: 'READ' })).userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['id'] },
    ])
    const unknown = await acme.act('markNotifications', { subscriberId: 'nobody', as: 'READ' })
    expect(unknown.userErrors).toEqual([
      { code: 'NOT_FOUND', message: 'Subscriber "nobody" not found', field: ['subscriberId'] },
    ])
  })

  const markAll = (input: object) =>
    acme.act(
      'markNotifications',
      { subscriberId: 'ada', as: 'READ', ...input },
      'updated counts { unseen unread total }',
    )

  test('changes only the given feed, and returns the number of changed notifications', async () => {
    await notify(world, acme, { subscriberId: 'ada', contextKeys: tenant }, { subscriberId: 'grace' })
    await mark('READ', at)
    expect(await markAll({})).toMatchObject({ updated: 1, counts: { unseen: 0, unread: 0, total: 2 } })
    expect(await markAll({})).toMatchObject({ updated: 0 })
    expect(await markAll({ contextKeys: tenant })).toMatchObject({ updated: 1 })
    expect(await markAll({ subscriberId: 'grace' })).toMatchObject({ updated: 1 })
  })

  test('can be limited by a filter, or to 1 to 100 ids of the feed', async () => {
    expect(await markAll({ filter: { tags: ['orders'] } })).toMatchObject({ updated: 1, counts: { unread: 1 } })
    expect(await markAll({ as: 'ARCHIVED', filter: { read: true } })).toMatchObject({ counts: { total: 1 } })
    const [elsewhere] = await notify(world, acme, { subscriberId: 'grace' })
    expect(await markAll({ ids: [ids[1], elsewhere] })).toMatchObject({ updated: 1 })
    const tooMany = await markAll({ ids: Array(101).fill(ids[0]) })
    expect(tooMany.userErrors).toMatchObject([{ message: 'ids must be at most 100 items long', field: ['ids'] }])
    expect((await markAll({ ids: [] })).userErrors).toMatchObject([{ field: ['ids'] }])
  })

  test('counts each notification once when eight requests mark the same feed', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => markAll({})))
    expect(outcomes.reduce((sum: number, { updated }) => sum + updated, 0)).toBe(2)
  })

  test('is forbidden for a read-only API key, which can still read the feed', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    const reader = world.client(newApiKey.key)
    expect((await adasFeed(reader)).subjects).toBe('ba')
    const { errors } = await reader.send(
      'mutation ($input: MarkNotificationInput!) { markNotification(input: $input) { userErrors { code } } }',
      { input: { id: ids[0], as: 'READ' } },
    )
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('deleting notifications', () => {
  let ids: string[]

  beforeEach(async () => {
    acme = await peopled()
    ids = await notify(
      world,
      acme,
      { subscriberId: 'ada', subject: 'a', tags: ['orders'] },
      { subscriberId: 'ada', subject: 'b' },
      { subscriberId: 'ada', subject: 'c', contextKeys: tenant },
      { subscriberId: 'grace', subject: 'x' },
    )
  })

  const deleteAll = (input: object) =>
    acme.act('deleteNotifications', { subscriberId: 'ada', ...input }, 'deleted counts { unread total }')

  test('removes a notification from its feed', async () => {
    const deleted = await acme.act('deleteNotification', { id: ids[0] }, 'deletedId')
    expect(deleted).toEqual({ deletedId: ids[0], userErrors: [] })
    expect((await adasFeed(acme)).subjects).toBe('b')
    expect((await acme.act('deleteNotification', { id: ids[0] })).userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['id'] },
    ])
  })

  test('removes the notifications of the feed that have one of the ids', async () => {
    expect(await deleteAll({ ids: [ids[0], ids[2], ids[3]] })).toEqual({
      deleted: 1,
      counts: { unread: 1, total: 1 },
      userErrors: [],
    })
    expect((await adasFeed(acme)).subjects).toBe('b')
    expect((await adasFeed(acme, { contextKeys: tenant })).subjects).toBe('c')
    expect((await deleteAll({ ids: [] })).userErrors).toMatchObject([{ field: ['ids'] }])
  })

  test('removes the notifications that match the filter; without one, all of the feed and none of another', async () => {
    expect(await deleteAll({ filter: { tags: ['orders'] } })).toMatchObject({ deleted: 1 })
    await acme.act('markNotification', { id: ids[1], as: 'ARCHIVED' })
    expect(await deleteAll({ filter: { archived: false } })).toMatchObject({ deleted: 0 })
    expect(await deleteAll({})).toMatchObject({ deleted: 1 })
    expect((await adasFeed(acme, { contextKeys: tenant })).subjects).toBe('c')
    expect((await deleteAll({ subscriberId: 'nobody' })).userErrors).toMatchObject([{ field: ['subscriberId'] }])
  })

  test('counts each notification once when eight requests delete the same feed', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => deleteAll({})))
    expect(outcomes.reduce((sum: number, { deleted }) => sum + deleted, 0)).toBe(2)
  })

  test('updates subscriptions to the counts of the feed', async () => {
    const stream = await acme.follow('subscription { notificationCountsChanged(subscriberId: "ada") { total } }')
    expect(await stream.next()).toEqual({ data: { notificationCountsChanged: { total: 2 } } })
    await acme.act('deleteNotification', { id: ids[0] })
    expect(await stream.next()).toEqual({ data: { notificationCountsChanged: { total: 1 } } })
    await stream.leave()
  })

  test('does not change the execution log and the counts of the event', async () => {
    await acme.act('createWorkflow', { identifier: 'hello', name: 'Hello', steps: [{ inApp: { body: 'Hello' } }] })
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    await acme.act('triggerEvent', { workflowIdentifier: 'hello', to, transactionId: 'one' })
    await world.work()
    expect(await deleteAll({})).toMatchObject({ deleted: 3 })
    expect(
      await acme.ask('{ event(transactionId: "one") { status runs { nodes { steps { status } } } } }'),
    ).toMatchObject({ event: { status: 'COMPLETED', runs: { nodes: [{ steps: [{ status: 'SENT' }] }] } } })
  })
})

describe('a large feed', () => {
  let old: Client

  beforeAll(async () => {
    old = await peopled()
    const environmentId = await environmentIdOf(old)
    // Ada has read nearly everything, Grace nothing.
    await world.database.pool.query(
      `INSERT INTO notifications (environment_id, id, subscriber_id, context_keys, event_id, step_run_id,
         workflow_identifier, body, actions, data, severity, tags, seen_at, read_at, archived_at, created_at, updated_at)
       SELECT $1, gen_random_uuid(), CASE WHEN n % 4 = 0 THEN 'grace' ELSE 'ada' END, '{}', gen_random_uuid(),
              gen_random_uuid(), 'w', 'b', '[]', '{}', 'none', '{}', read, read, NULL, at, at
       FROM generate_series(1, 20000) AS n,
            LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 minute' AS at) AS sent,
            LATERAL (SELECT CASE WHEN n % 4 = 0 OR n % 1000 = 1 THEN NULL ELSE at END AS read) AS opened`,
      [environmentId],
    )
    await world.database.pool.query('VACUUM ANALYZE notifications')
  }, 120_000)

  const planFor = async (query: string) => {
    const plans = await plansOf(world.database.pool, 'notifications', () => old.ask(query))
    expect(plans).toHaveLength(1)
    return plans.join()
  }
  const ofAda = (fields: string) => `{ subscriber(subscriberId: "ada") { ${fields} } }`

  test('reads a page from the index, without sorting or discarding rows', async () => {
    const plan = await planFor(ofAda('notifications(first: 20) { nodes { id } }'))
    expect(plan).toMatch(/Index Scan Backward using notifications_environment_id_subscriber_id_context_keys_cre_idx/)
    expect(plan).not.toMatch(/Rows Removed|Sort/)
  })

  test('counts with the indexes of unseen and unread notifications', async () => {
    const plan = await planFor(ofAda('notificationCounts { unseen unread total }'))
    expect(plan).toContain('notifications_unseen_idx')
    expect(plan).toContain('notifications_unread_idx')
    expect(plan).not.toContain('Seq Scan on notifications')
  })
})
