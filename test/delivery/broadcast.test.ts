// Triggers for everyone: each subscriber of the environment receives the event once.
import { beforeEach, describe, expect, test } from 'vitest'
import { everyonePage } from '../../src/data/run.ts'
import { bodiesOf, createWorkflow, done, storyOf, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { plansOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const everyone = { everyone: true }

const createAll = (client: Client, subscriberIds: readonly string[]) =>
  done(client, 'createSubscribers', { subscribers: subscriberIds.map((subscriberId) => ({ subscriberId })) })

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [bell])
})

/** Triggers and runs all jobs. @returns the sorted subscriberIds of the runs. */
async function reached(more: object): Promise<string[]> {
  const transactionId = await trigger(acme, { to: everyone, ...more })
  await world.work()
  return Object.keys(await storyOf(acme, transactionId)).toSorted()
}

/** The number of notifications in the environment of a client, and of their recipients. */
async function written(client: Client) {
  const { rows } = await world.database.pool.query(
    `SELECT count(*)::int AS written, count(DISTINCT subscriber_id)::int AS readers FROM notifications
     WHERE environment_id = $1`,
    [await environmentIdOf(client)],
  )
  return rows[0]
}

describe('a trigger for everyone', () => {
  test('reaches each subscriber of its environment once, and nobody of another one', async () => {
    const globex = await world.environment()
    await createAll(globex, ['mallory'])
    const subscriberIds = Array.from({ length: 1_203 }, (_, index) => `reader-${index}`)
    for (let start = 0; start < subscriberIds.length; start += 100) {
      await createAll(acme, subscriberIds.slice(start, start + 100))
    }
    const transactionId = await trigger(acme, { to: everyone })
    await world.work()
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) {
         status runs { totalCount } completed: runs(filter: { status: COMPLETED }) { totalCount }
       } }`,
      { id: transactionId },
    )
    expect(event).toEqual({ status: 'COMPLETED', runs: { totalCount: 1_203 }, completed: { totalCount: 1_203 } })
    expect(await written(acme)).toEqual({ written: 1_203, readers: 1_203 })
    expect(await written(globex)).toEqual({ written: 0, readers: 0 })
  })

  test('does not reach the actor, unless the trigger names it', async () => {
    await createAll(acme, ['ada', 'grace'])
    expect(await reached({ actor: 'ada' })).toEqual(['grace'])
    expect(await reached({ to: [everyone, 'ada'], actor: 'ada' })).toEqual(['ada', 'grace'])
  })

  test('reaches a subscriber once who is also named or subscribed, whatever the subscription excludes', async () => {
    await createAll(acme, ['ada', 'grace'])
    await done(acme, 'createTopicSubscriptions', {
      topicKey: 'news',
      subscriptions: [{ subscriberId: 'ada' }],
      preferences: [{ workflow: { workflowIdentifier: 'order', enabled: false } }],
    })
    expect(await reached({ to: ['grace', { type: 'Topic', topicKey: 'news' }, everyone, everyone] })).toEqual([
      'ada',
      'grace',
    ])
    expect([await bodiesOf(acme), await bodiesOf(acme, 'grace')]).toEqual([['Hello'], ['Hello']])
  })

  test('takes effect once under one transaction id', async () => {
    await createAll(acme, ['ada'])
    await reached({ transactionId: 'sale' })
    await trigger(acme, { to: everyone, transactionId: 'sale' })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('has the contexts of the trigger', async () => {
    await createAll(acme, ['ada'])
    expect(await reached({ context: { tenant: 'acme' } })).toEqual(['ada'])
    expect([await bodiesOf(acme, 'ada', ['tenant:acme']), await bodiesOf(acme)]).toEqual([['Hello'], []])
  })

  test('respects preferences', async () => {
    await createAll(acme, ['ada', 'grace'])
    await done(acme, 'updateSubscriberPreferences', {
      subscriberId: 'ada',
      channels: [{ channel: 'IN_APP', enabled: false }],
    })
    await reached({})
    expect([await bodiesOf(acme), await bodiesOf(acme, 'grace')]).toEqual([[], ['Hello']])
  })

  test('can be cancelled before its runs exist', async () => {
    await createAll(acme, ['ada'])
    const transactionId = await trigger(acme, { to: everyone })
    await done(acme, 'cancelEvent', { transactionId })
    await world.work()
    expect(await bodiesOf(acme)).toEqual([])
  })

  test('shows everyone as its recipient, in a preview each one', async () => {
    await createAll(acme, ['ada', 'grace'])
    const transactionId = await trigger(acme, { to: everyone })
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) { to { __typename ... on EveryoneRecipient { everyone } } } }`,
      { id: transactionId },
    )
    expect(event).toEqual({ to: [{ __typename: 'EveryoneRecipient', everyone: true }] })
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ everyone: true }] }) {
         runs { subscriberId } hasMore
       } }`,
    )
    expect(previewTrigger.runs.map(({ subscriberId }) => subscriberId).toSorted()).toEqual(['ada', 'grace'])
    expect(previewTrigger.hasMore).toBe(false)
  })

  test.each([
    { who: 'nobody', actor: null, reason: 'NO_SUBSCRIBERS', detail: 'The environment has no subscribers.' },
    {
      who: 'the actor only',
      actor: 'ada',
      reason: 'ALL_EXCLUDED',
      detail: 'The only subscriber, "ada", is the actor of the trigger.',
    },
  ])('says why it has no runs in an environment with $who', async ({ actor, reason, detail }) => {
    const transactionId = await trigger(acme, { to: everyone, actor })
    await world.work()
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { status reason detail } }', {
      id: transactionId,
    })
    expect(event).toEqual({ status: 'SKIPPED', reason, detail })
  })

  test('must not be for everyone: false', async () => {
    const { userErrors } = await acme.act('triggerEvent', {
      workflowIdentifier: 'order',
      to: [{ everyone: false }],
    })
    expect(userErrors).toMatchObject([{ field: ['to', '0', 'everyone'], message: 'to[0].everyone must be true' }])
  })
})

describe('subscribers that change during the fan-out', () => {
  const readers = Array.from({ length: 1_001 }, (_, index) => `reader-${String(index).padStart(4, '0')}`)

  /** Triggers for all readers, and has a trigger of the database run `sql` once, when a reader of the first page has its run. */
  async function fanOutWith(sql: string): Promise<string> {
    for (let start = 0; start < readers.length; start += 100) await createAll(acme, readers.slice(start, start + 100))
    const { pool } = world.database
    const transactionId = await trigger(acme, { to: everyone })
    await pool.query(`CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${sql} RETURN NULL; END $$`)
    await pool.query(`CREATE TRIGGER meanwhile AFTER INSERT ON workflow_runs FOR EACH ROW
      WHEN (NEW.subscriber_id = 'reader-0003') EXECUTE FUNCTION meanwhile()`)
    try {
      await world.work()
    } finally {
      await pool.query('DROP FUNCTION meanwhile CASCADE')
    }
    return transactionId
  }

  const remove = (subscriberId: string) =>
    `DELETE FROM subscribers WHERE environment_id = NEW.environment_id AND subscriber_id = '${subscriberId}';`
  const create = (subscriberId: string) =>
    `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
     VALUES (NEW.environment_id, 'ffffffff-ffff-7fff-bfff-ffffffffffff', '${subscriberId}', '{}', now(), now());`

  test('are those of the moment at which each page is read', async () => {
    await fanOutWith(`${remove('reader-1000')} ${create('newcomer')}`)
    expect([await bodiesOf(acme, 'newcomer'), await bodiesOf(acme, 'reader-0999')]).toEqual([['Hello'], ['Hello']])
    expect(await written(acme)).toEqual({ written: 1_001, readers: 1_001 })
  })

  test('have one run each, even if they are deleted and created again', async () => {
    const transactionId = await fanOutWith(`${remove('reader-0001')} ${create('reader-0001')}`)
    const { event } = await acme.ask(
      'query ($id: String!) { event(transactionId: $id) { runs(filter: { subscriberId: "reader-0001" }) { totalCount } } }',
      { id: transactionId },
    )
    expect(event.runs.totalCount).toBe(1)
  })

  test('receive nothing twice if a page is rolled back and repeated', async () => {
    for (let start = 0; start < readers.length; start += 100) await createAll(acme, readers.slice(start, start + 100))
    const { pool } = world.database
    await trigger(acme, { to: everyone })
    await pool.query('CREATE SEQUENCE fan_out_attempts')
    // The second page fails twice, as if its process were killed before it committed.
    await pool.query(`CREATE FUNCTION die_twice() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF nextval('fan_out_attempts') <= 2 THEN RAISE 'killed'; END IF; RETURN NULL; END $$`)
    await pool.query(`CREATE TRIGGER die_twice AFTER INSERT ON workflow_runs FOR EACH ROW
      WHEN (NEW.subscriber_id = 'reader-0700') EXECUTE FUNCTION die_twice()`)
    try {
      await world.work({ early: true })
    } finally {
      await pool.query('DROP FUNCTION die_twice CASCADE')
      await pool.query('DROP SEQUENCE fan_out_attempts')
    }
    expect(await written(acme)).toEqual({ written: 1_001, readers: 1_001 })
  })
})

test('a page of subscribers is read by the primary key, in its order', async () => {
  await createAll(
    acme,
    Array.from({ length: 100 }, (_, index) => `reader-${index}`),
  )
  const environmentId = await environmentIdOf(acme)
  const { db } = world.gateway
  const [plan = ''] = await plansOf(
    world.database.pool,
    'subscribers',
    () => everyonePage({ db, environmentId }, { after: '00000000-0000-7000-8000-000000000000', take: 10 }),
    ['enable_seqscan', 'enable_sort', 'enable_bitmapscan'],
  )
  expect(plan).toMatch(/Index Scan using subscribers_pkey/)
  expect(plan).not.toMatch(/Sort|Filter/)
})
