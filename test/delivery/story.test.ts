// The execution log of an event: its runs, steps, messages and attempts, who may read them, and what they cost.
import { beforeEach, describe, expect, test } from 'vitest'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  createIntegration,
  createWorkflow,
  done,
  storyFields,
  storyOf,
  trigger,
} from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const steps = [
  { inApp: { stepId: 'bell', body: 'Hello' } },
  { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } },
]

/** Creates subscribers with an email address. */
async function readers(count: number): Promise<string[]> {
  const subscriberIds = Array.from({ length: count }, (_, index) => `reader-${index}`)
  const subscribers = subscriberIds.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }))
  for (let start = 0; start < count; start += 100) {
    await done(acme, 'createSubscribers', { subscribers: subscribers.slice(start, start + 100) })
  }
  return subscriberIds
}

describe('the execution log', () => {
  beforeEach(async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, steps)
    await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  })

  test('has a timestamp for every entry, in chronological order', async () => {
    const transactionId = await trigger(acme)
    await world.work()
    const run = await adasRun(acme, transactionId)
    const mail = run.steps[1]
    const [attempt] = mail.deliveries[0].attempts
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { createdAt } }', {
      id: transactionId,
    })
    const times = [event.createdAt, run.createdAt, mail.createdAt, attempt.startedAt, attempt.endedAt, mail.updatedAt]
    expect(times).toEqual(times.toSorted())
    expect(times).toEqual(times.map(() => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)))
  })

  test('has one run for each recipient, and filters runs and deliveries', async () => {
    await trigger(acme, { to: ['ada', 'grace'], transactionId: 'one' })
    await world.work()
    const { ada, grace } = await storyOf(acme, 'one')
    expect(ada?.steps).toMatchObject([{ status: 'SENT' }, { status: 'SENT' }])
    expect(grace?.steps).toMatchObject([{ status: 'SENT' }, { status: 'SKIPPED', reason: 'no_destination' }])
    const { workflowRuns, deliveries } = await acme.ask(`{
      workflowRuns(filter: { subscriberId: "grace", status: COMPLETED }) { totalCount nodes { id event { transactionId } } }
      deliveries(filter: { channel: EMAIL, integrationIdentifier: "email_webhook" }) { totalCount nodes { destination } }
    }`)
    expect(workflowRuns).toEqual({ totalCount: 1, nodes: [{ id: grace?.id, event: { transactionId: 'one' } }] })
    expect(deliveries).toEqual({ totalCount: 1, nodes: [{ destination: 'ada@example.com' }] })
  })

  test('can be neither read nor retried by another environment', async () => {
    receiver.answer(400)
    const transactionId = await trigger(acme)
    await world.work()
    const before = await adasRun(acme, transactionId)
    const deliveryId = before.steps[1].deliveries[0].id
    const globex = await world.environment()
    const seen = await globex.ask(
      `query ($transactionId: String!, $ids: [ID!]!) {
         event(transactionId: $transactionId) { id }
         nodes(ids: $ids) { id }
         events { totalCount } workflowRuns { totalCount } deliveries { totalCount }
       }`,
      { transactionId, ids: [before.id, deliveryId] },
    )
    const none = { totalCount: 0 }
    expect(seen).toEqual({ event: null, nodes: [null, null], events: none, workflowRuns: none, deliveries: none })
    const retries = [
      await globex.act('retryDelivery', { id: deliveryId }),
      await globex.act('retryWorkflowRun', { id: before.id }),
    ]
    expect(retries).toMatchObject(retries.map(() => ({ userErrors: [{ code: 'NOT_FOUND', field: ['id'] }] })))
    await world.work({ early: true })
    expect(await adasRun(acme, transactionId)).toEqual(before)
  })

  test('can be read with 100 runs a page, but not with the pages of 100 events at once', async () => {
    const transactionId = await trigger(acme)
    await world.work()
    const pageOf = (first: number) => `runs(first: ${first}) { totalCount nodes { ${storyFields} } }`
    const { event } = await acme.ask<{ event: { runs: { totalCount: number } } }>(
      `query ($id: String!) { event(transactionId: $id) { status runCounts { completed } messageCounts { sent } ${pageOf(100)} } }`,
      { id: transactionId },
    )
    expect(event.runs.totalCount).toBe(1)
    const { errors } = await acme.send(`{ events(first: 100) { nodes { ${pageOf(100)} } } }`)
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COSTLY' } }])
  })

  test('costs as many statements for twenty events as for one', async () => {
    const query = (first: number) =>
      `{ events(first: ${first}) { nodes { runs(first: 1) { nodes { ${storyFields} } } } } }`
    interface Listed {
      readonly events: {
        readonly nodes: readonly { readonly runs: { readonly nodes: readonly { readonly steps: unknown[] }[] } }[]
      }
    }
    const stepsIn = ({ events }: Listed) => events.nodes.flatMap(({ runs }) => runs.nodes.flatMap(({ steps }) => steps))
    await trigger(acme)
    await world.work()
    const few = await statementsOf(() => acme.ask(query(1)))
    for (let index = 0; index < 19; index++) await trigger(acme)
    await world.work()
    const many = await statementsOf(async () => expect(stepsIn(await acme.ask<Listed>(query(20)))).toHaveLength(40))
    expect(many).toHaveLength(few.length)
  })
})

describe('a job with many runs', () => {
  /** As many as the first transaction of an environment has, also on the embedded database. */
  const MANY = 25

  /** Fans out to `count` subscribers and completes their runs. @returns the number of statements, without messages. */
  async function costOf(count: number): Promise<number> {
    acme = await world.environment()
    await createWorkflow(acme, [
      ...steps,
      { digest: { amount: 1, unit: 'MINUTES' } },
      { inApp: { body: '{{digest.count}}', condition: { '==': [{ var: 'steps.bell.status' }, 'sent'] } } },
      { push: { subject: 'x', body: 'x' } },
      { delay: { amount: 1, unit: 'MINUTES' } },
    ])
    // No subscriber has a device token, so decisions are written but no messages are sent.
    await createIntegration(acme, 'PUSH_WEBHOOK', receiver.url)
    await readers(count)
    await done(acme, 'createTopicSubscriptions', {
      topicKey: 'news',
      subscriptions: Array.from({ length: count }, (_, index) => ({ subscriberId: `reader-${index}` })),
      preferences: [{ workflowIdentifier: 'order' }],
    })
    const transactionId = await trigger(acme, { to: { type: 'Topic', topicKey: 'news' } })
    const { length } = await statementsOf(async () => {
      await world.work()
      await world.work({ early: true })
    })
    const { event } = await acme.ask(
      'query ($id: String!) { event(transactionId: $id) { runs(filter: { status: COMPLETED }) { totalCount } } }',
      { id: transactionId },
    )
    expect(event.runs.totalCount).toBe(count)
    return length
  }

  test('costs as many statements as a job with one run', async () => {
    expect(await costOf(MANY)).toBe(await costOf(1))
  })

  test('needs as many inserts as a job with one run, and sends each message once', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, steps)
    const to = await readers(MANY)
    const insertsFor = async (recipients: readonly string[]) => {
      await trigger(acme, { to: recipients })
      const sent = await statementsOf(() => world.work())
      return sent.filter((text) => /INSERT INTO (step_runs|notifications|deliveries|workflow_runs)\b/.test(text)).length
    }
    expect(await insertsFor(to)).toBe(await insertsFor(to.slice(0, 1)))
    expect(receiver.received).toHaveLength(MANY + 1)
  })
})

test('the execution log shows the actor of an event, the run of one recipient, and the notification that a step wrote', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello {{subscriber.subscriberId}}' } }, { sms: { body: 'Hello' } }])
  const transactionId = await trigger(acme, { to: ['ada', 'grace'], actor: 'eve' })
  await world.work()
  const { event } = await acme.ask(
    `query ($transactionId: String!) { event(transactionId: $transactionId) {
       actor
       runs(filter: { subscriberId: "grace" }) { totalCount nodes { subscriberId steps { notification { body } } } }
       nobody: runs(filter: { subscriberId: "eve" }) { totalCount }
     } }`,
    { transactionId },
  )
  expect(event).toEqual({
    actor: 'eve',
    runs: {
      totalCount: 1,
      nodes: [{ subscriberId: 'grace', steps: [{ notification: { body: 'Hello grace' } }, { notification: null }] }],
    },
    nobody: { totalCount: 0 },
  })
})
