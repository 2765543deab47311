// Events that are fanned out together: one transaction for many, with the same results as one by one. No event fails
// because of another.
import { beforeEach, describe, expect, test } from 'vitest'
import { statementsAndTransactionsOf, statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'
import { adasRun, bodiesOf, createWorkflow, done, storyOf, trigger } from '../../support/delivery/story.ts'

const world = useWorld()
const bell = { inApp: { stepId: 'bell', body: '{{payload.text}} for {{subscriber.subscriberId}}' } }
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const triggerAll = (texts: readonly string[]) => Promise.all(texts.map((text) => trigger(acme, { payload: { text } })))

const transactions = (sent: readonly string[]) => sent.filter((text) => text.startsWith('BEGIN')).length

/** The statements that the worker sends, without those that look for jobs or webhook messages. */
async function workedWith(): Promise<readonly string[]> {
  const sent = await statementsAndTransactionsOf(() => world.work())
  return sent.filter((text) => !/WITH RECURSIVE visited|webhook-queue\.takeWebhooks/.test(text))
}

describe('a trigger with one in-app message', () => {
  test('is delivered by one transaction of four statements', async () => {
    await createWorkflow(acme, [bell])
    // Later events use the snapshot of the workflow that the process has cached.
    await trigger(acme, { payload: { text: 'First' } })
    await world.work()
    await trigger(acme, { payload: { text: 'Second' } })
    const sent = await workedWith()
    expect(sent.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      expect.stringMatching(/^BEGIN/),
      expect.stringMatching(/^\/\* job-taking\.\w+ \*\/ DELETE FROM jobs/),
      expect.stringMatching(/FROM events AS event .* FOR NO KEY UPDATE$/),
      expect.stringMatching(/FROM subscribers .* FOR KEY SHARE .* INSERT INTO workflow_runs/),
      expect.stringMatching(/^\/\* run-changes\.writeRunChanges \*\/ WITH new_steps AS .* pg_notify/),
      expect.stringMatching(/^COMMIT/),
    ])
    expect(await bodiesOf(acme)).toEqual(['First for ada', 'Second for ada'])
  })

  test('needs no more statements if 49 others share the transaction', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme, { payload: { text: 'First' } })
    await world.work()
    await triggerAll(Array.from({ length: 50 }, (_, index) => `No. ${index}`))
    const sent = await workedWith()
    expect(transactions(sent)).toBe(1)
    expect(sent).toHaveLength(6)
    expect(await bodiesOf(acme)).toHaveLength(51)
  })
})

test('each event has its own payload, contexts, actor and recipients', async () => {
  await createWorkflow(acme, [
    {
      inApp: { body: '{{payload.text}} {{context.tenant.data.name}} {{actor.firstName}} {{subscriber.subscriberId}}' },
    },
  ])
  const tenant = (id: string) => ({ tenant: { id, data: { name: id.toUpperCase() } } })
  await trigger(acme, {
    payload: { text: 'a' },
    context: tenant('one'),
    actor: { subscriberId: 'eve', firstName: 'Eve' },
  })
  await trigger(acme, { payload: { text: 'b' }, context: tenant('two'), to: ['ada', 'grace'] })
  await trigger(acme, { payload: { text: 'c' } })
  expect(transactions(await workedWith())).toBe(1)
  expect(await bodiesOf(acme, 'ada', ['tenant:one'])).toEqual(['a ONE Eve ada'])
  expect(await bodiesOf(acme, 'ada', ['tenant:two'])).toEqual(['b TWO  ada'])
  expect(await bodiesOf(acme, 'grace', ['tenant:two'])).toEqual(['b TWO  grace'])
  expect(await bodiesOf(acme)).toEqual(['c   ada'])
})

test('preferences of topic subscriptions apply under the contexts of each event', async () => {
  await createWorkflow(acme, [bell])
  await done(acme, 'createSubscribers', { subscribers: [{ subscriberId: 'ada' }] })
  for (const [identifier, enabled] of [
    ['one', true],
    ['two', false],
  ] as const) {
    await done(acme, 'createTopicSubscriptions', {
      topicKey: 'news',
      contexts: [{ type: 'tenant', identifier }],
      subscriptions: [{ subscriberId: 'ada', identifier: `ada-${identifier}` }],
      preferences: [{ workflow: { workflowIdentifier: 'order', enabled } }],
    })
  }
  const to = { type: 'Topic', topicKey: 'news' }
  await trigger(acme, { payload: { text: 'a' }, context: { tenant: 'one' }, to })
  await trigger(acme, { payload: { text: 'b' }, context: { tenant: 'two' }, to })
  expect(transactions(await workedWith())).toBe(1)
  expect(await bodiesOf(acme, 'ada', ['tenant:one'])).toEqual(['a for ada'])
  expect(await bodiesOf(acme, 'ada', ['tenant:two'])).toEqual([])
})

test('an event that cannot be executed fails alone, and the others are delivered', async () => {
  await createWorkflow(acme, [bell])
  const { pool } = world.database
  const ids = await triggerAll(['good', 'bad', 'fine'])
  await pool.query(`CREATE FUNCTION reject_bad() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.body LIKE 'bad%' THEN RAISE 'no'; END IF; RETURN NEW; END $$`)
  await pool.query(
    'CREATE TRIGGER reject_bad BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION reject_bad()',
  )
  try {
    await world.work({ early: true })
  } finally {
    await pool.query('DROP FUNCTION reject_bad CASCADE')
  }
  expect((await bodiesOf(acme)).toSorted()).toEqual(['fine for ada', 'good for ada'])
  const [, bad = ''] = ids
  expect((await adasRun(acme, bad)).status).toBe('FAILED')
})

test('an event that is cancelled before its turn has no runs, and the others are delivered', async () => {
  await createWorkflow(acme, [bell])
  const [cancelled = '', kept = ''] = await triggerAll(['no', 'yes'])
  await done(acme, 'cancelEvent', { transactionId: cancelled })
  await world.work()
  expect(await storyOf(acme, cancelled)).toEqual({})
  expect(Object.keys(await storyOf(acme, kept))).toEqual(['ada'])
})

test('a backlog of more events than fit in one transaction is delivered in the order of acceptance', async () => {
  await createWorkflow(acme, [{ inApp: { body: '{{payload.text}}' } }])
  const texts = Array.from({ length: 90 }, (_, index) => String(index))
  for (const text of texts) await trigger(acme, { payload: { text } })
  const sent = await statementsOf(() => world.work())
  expect(sent.filter((text) => text.includes('INSERT INTO workflow_runs'))).toHaveLength(2)
  expect(await bodiesOf(acme)).toEqual(texts)
})

describe('a page of topic subscribers that is written in parts', () => {
  const readers = Array.from({ length: 300 }, (_, index) => ({ subscriberId: `reader-${index}` }))
  const to = { type: 'Topic', topicKey: 'news' }

  /** Subscribes 300 readers to a topic. */
  async function subscribeAll(): Promise<void> {
    for (let start = 0; start < readers.length; start += 100) {
      const some = readers.slice(start, start + 100)
      await done(acme, 'createSubscribers', { subscribers: some })
      await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions: some })
    }
  }

  const bodies = async () =>
    (await world.database.pool.query<{ body: string }>(`SELECT body FROM notifications ORDER BY body`)).rows.map(
      ({ body }) => body,
    )
  const expected = (ids: readonly { subscriberId: string }[]) =>
    ids.map(({ subscriberId }) => `Hi for ${subscriberId}`).toSorted()

  beforeEach(async () => {
    await world.database.pool.query('DELETE FROM notifications')
    await createWorkflow(acme, [bell])
    await subscribeAll()
  })

  test('reaches each subscriber once, in one transaction for a page', async () => {
    await trigger(acme, { payload: { text: 'Hi' }, to })
    const sent = await workedWith()
    expect(sent.filter((text) => text.includes('INSERT INTO workflow_runs')).length).toBeGreaterThan(transactions(sent))
    expect(await bodies()).toEqual(expected(readers))
  })

  test('has no effect if a part fails, and then reaches the others', async () => {
    const { pool } = world.database
    await pool.query(`CREATE FUNCTION reject_one() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.body = 'Hi for reader-7' THEN RAISE 'no'; END IF; RETURN NEW; END $$`)
    await pool.query(
      'CREATE TRIGGER reject_one BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION reject_one()',
    )
    try {
      await trigger(acme, { payload: { text: 'Hi' }, to })
      await world.work({ early: true })
    } finally {
      await pool.query('DROP FUNCTION reject_one CASCADE')
    }
    expect(await bodies()).toEqual(expected(readers.filter(({ subscriberId }) => subscriberId !== 'reader-7')))
  })

  test('a subscription without preferences admits the event, whatever another subscription of the subscriber excludes', async () => {
    const disabled = [{ workflow: { workflowIdentifier: 'order', enabled: false } }]
    const subscribe = (subscriberId: string, identifier: string) =>
      done(acme, 'createTopicSubscriptions', {
        topicKey: 'other',
        subscriptions: [{ subscriberId, identifier }],
        preferences: disabled,
      })
    await done(acme, 'createSubscribers', { subscribers: [{ subscriberId: 'ada' }] })
    await subscribe('ada', 'ada')
    await subscribe('reader-1', 'reader-1')
    await trigger(acme, { payload: { text: 'Hi' }, to: [to, { type: 'Topic', topicKey: 'other' }] })
    await world.work()
    expect(await bodies()).toEqual(expected(readers))
  })
})
