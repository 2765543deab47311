// Triggers to topics: who receives them, and how subscription preferences apply.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { adasRun, bodiesOf, createWorkflow, done, outcomes, storyOf, trigger } from '../support/delivery/story.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'Hello' } }], { tags: ['shop'] })
  await done(acme, 'createSubscribers', {
    subscribers: ['ada', 'grace', 'eve'].map((subscriberId) => ({ subscriberId })),
  })
})

const news = { type: 'Topic', topicKey: 'news' }
const tenant = (identifier: string) => [{ type: 'tenant', identifier }]

const subscribe = (subscriberIds: readonly string[], more: object = {}) =>
  done(acme, 'createTopicSubscriptions', {
    topicKey: 'news',
    subscriptions: subscriberIds.map((subscriberId) => ({ subscriberId })),
    ...more,
  })

/** Triggers and runs all jobs. @returns the sorted subscriberIds of the runs. */
async function reached(more: object): Promise<string[]> {
  const transactionId = await trigger(acme, { to: news, ...more })
  await world.work()
  return Object.keys(await storyOf(acme, transactionId)).toSorted()
}

describe('a topic', () => {
  test('sends only to its subscribers', async () => {
    await subscribe(['ada', 'grace'])
    expect(await reached({})).toEqual(['ada', 'grace'])
    expect([await bodiesOf(acme), await bodiesOf(acme, 'eve')]).toEqual([['Hello'], []])
  })

  test('sends to nobody if it has no subscribers', async () => {
    await done(acme, 'createTopic', { key: 'news' })
    expect(await reached({})).toEqual([])
  })

  test('sends to subscriptions with exactly the contexts of the trigger', async () => {
    await subscribe(['ada'], { contexts: tenant('acme') })
    await subscribe(['grace'], { contexts: tenant('globex') })
    await subscribe(['eve'])
    expect(await reached({ context: { tenant: 'acme' } })).toEqual(['ada'])
    expect(await reached({ context: { tenant: 'globex' } })).toEqual(['grace'])
    expect(await reached({ context: { tenant: 'acme', app: 'shop' } })).toEqual([])
    expect(await reached({})).toEqual(['eve'])
    expect(await bodiesOf(acme, 'ada', ['tenant:acme'])).toEqual(['Hello'])
  })

  test('skips excluded subscribers and the actor', async () => {
    await subscribe(['ada', 'grace', 'eve'])
    expect(await reached({ to: { ...news, exclude: ['grace'] }, actor: 'ada' })).toEqual(['eve'])
    // An exclusion from a topic does not apply to a direct recipient.
    expect(await reached({ to: [{ ...news, exclude: ['grace'] }, 'grace'], actor: 'ada' })).toEqual(['eve', 'grace'])
  })

  test('sends once to a subscriber who is named twice, in two topics, or subscribed twice', async () => {
    await subscribe(['ada', 'grace'])
    const twice = [{ subscriberId: 'ada', identifier: 'again' }]
    await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions: twice })
    await done(acme, 'createTopicSubscriptions', { topicKey: 'sport', subscriptions: [{ subscriberId: 'ada' }] })
    const to = ['ada', news, { type: 'Topic', topicKey: 'sport' }, { subscriberId: 'ada', firstName: 'Ada' }, news]
    expect(await reached({ to })).toEqual(['ada', 'grace'])
    expect([await bodiesOf(acme), await bodiesOf(acme, 'grace')]).toEqual([['Hello'], ['Hello']])
  })

  test('sends once to each subscriber when they are read in several batches', async () => {
    const subscriberIds = Array.from({ length: 1203 }, (_, index) => `reader-${index}`)
    for (let start = 0; start < subscriberIds.length; start += 100) {
      const portion = subscriberIds.slice(start, start + 100)
      await done(acme, 'createSubscribers', { subscribers: portion.map((subscriberId) => ({ subscriberId })) })
      await subscribe(portion)
    }
    const transactionId = await trigger(acme, { to: news })
    await world.work()
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) {
         runs { totalCount } completed: runs(filter: { status: COMPLETED }) { totalCount }
       } }`,
      { id: transactionId },
    )
    expect(event).toEqual({ runs: { totalCount: 1203 }, completed: { totalCount: 1203 } })
    const { rows } = await world.database.pool.query(
      'SELECT count(*)::int AS written, count(DISTINCT subscriber_id)::int AS readers FROM notifications WHERE subscriber_id LIKE $1',
      ['reader-%'],
    )
    expect(rows).toEqual([{ written: 1203, readers: 1203 }])
  })
})

describe('subscription preferences', () => {
  const aboutTotal = { '>': [{ var: 'payload.total' }, 100] }
  const never = { '==': [1, 2] }
  const admitted = 'SENT'
  const refused = 'SKIPPED topic_preference'

  test.each<[string, readonly object[], string]>([
    ['name the workflow', [{ workflowIdentifier: 'order' }], admitted],
    ['name another workflow only', [{ workflowIdentifier: 'other' }], admitted],
    ['have a condition that holds', [{ workflow: { workflowIdentifier: 'order', condition: aboutTotal } }], admitted],
    ['have a condition that does not hold', [{ workflow: { workflowIdentifier: 'order', condition: never } }], refused],
    ['want none of it', [{ workflow: { workflowIdentifier: 'order', enabled: false } }], refused],
    [
      'want none of it under a condition that does not hold',
      [{ workflow: { workflowIdentifier: 'order', enabled: false, condition: never } }],
      admitted,
    ],
    ['want none of a tag', [{ group: { tags: ['shop'], enabled: false } }], refused],
    ['want none of another tag', [{ group: { tags: ['blog'], enabled: false } }], admitted],
    ['want none of a group that names it', [{ group: { workflowIdentifiers: ['order'], enabled: false } }], refused],
    ['have a condition for a tag that does not hold', [{ group: { tags: ['shop'], condition: never } }], refused],
    [
      'want it, but none of its group',
      [{ group: { tags: ['shop'], enabled: false } }, { workflowIdentifier: 'order' }],
      admitted,
    ],
    [
      'want its group, but not it',
      [{ group: { tags: ['shop'] } }, { workflow: { workflowIdentifier: 'order', enabled: false } }],
      refused,
    ],
    [
      'want it under one of two conditions',
      [
        { workflow: { workflowIdentifier: 'order', condition: never } },
        { workflow: { workflowIdentifier: 'order', condition: aboutTotal } },
      ],
      admitted,
    ],
  ])('decide whether to send if they %s', async (_what, preferences, outcome) => {
    await createWorkflow(acme, [], { identifier: 'other' })
    await subscribe(['ada'], { preferences })
    const transactionId = await trigger(acme, { to: news, payload: { total: 120 } })
    await world.work()
    expect(await outcomes(acme, transactionId)).toEqual({ bell: outcome })
  })

  const unwanted = { preferences: [{ workflow: { workflowIdentifier: 'order', enabled: false } }] }

  test('that exclude the workflow are the detail of each skipped step', async () => {
    const steps = ['bell', 'again'].map((stepId) => ({ inApp: { stepId, body: 'Hello' } }))
    await done(acme, 'updateWorkflow', { identifier: 'order', steps })
    await subscribe(['ada'], unwanted)
    const transactionId = await trigger(acme, { to: news })
    await world.work()
    const skipped = {
      status: 'SKIPPED',
      reason: 'topic_preference',
      detail: 'The topic subscription "tk=news:si=ada" turns the workflow off.',
    }
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([skipped, skipped])
  })

  test('can depend on the subscriber', async () => {
    const condition = { '==': [{ var: 'subscriber.subscriberId' }, 'ada'] }
    await subscribe(['ada', 'grace'], { preferences: [{ workflow: { workflowIdentifier: 'order', condition } }] })
    await trigger(acme, { to: news })
    await world.work()
    expect([await bodiesOf(acme), await bodiesOf(acme, 'grace')]).toEqual([['Hello'], []])
  })

  test('do not apply to a critical workflow', async () => {
    await done(acme, 'updateWorkflow', { identifier: 'order', critical: true })
    await subscribe(['ada'], unwanted)
    await trigger(acme, { to: news })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('do not apply to a subscriber who is also a direct recipient', async () => {
    await subscribe(['ada'], unwanted)
    await trigger(acme, { to: [news, 'ada'] })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('do not apply to another subscription of the same subscriber', async () => {
    await subscribe(['ada'], unwanted)
    await done(acme, 'createTopicSubscriptions', { topicKey: 'sport', subscriptions: [{ subscriberId: 'ada' }] })
    await trigger(acme, { to: [news, { type: 'Topic', topicKey: 'sport' }] })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('do not apply in other contexts', async () => {
    await subscribe(['ada'], { ...unwanted, contexts: tenant('acme') })
    await subscribe(['ada'], { contexts: tenant('globex') })
    await trigger(acme, { to: news, context: { tenant: 'globex' } })
    await world.work()
    expect(await bodiesOf(acme, 'ada', ['tenant:globex'])).toEqual(['Hello'])
  })
})
