// Suspended workflows, and runs that are put back because their environment has used its evaluation time. The tests decide
// what the evaluation threads do, so that no result depends on how fast the machine is.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { priorities } from '../../src/data/queue/job.ts'
import type { Threads } from '../../src/evaluation/threads.ts'
import type { Evaluated } from '../../src/evaluation/work.ts'
import { createWorkflow, done, storyOf, trigger } from '../support/delivery/story.ts'
import { sharedThreads } from '../support/evaluation.ts'
import { type Client, useWorld } from '../support/world.ts'

const stopped = { status: 'failed', cause: 'time', message: '' } as const
const slowInput = z.object({ variables: z.object({ payload: z.object({ slow: z.literal(true) }) }) })
const shared = sharedThreads()

/** The milliseconds that each item takes, if each is a batch of its own. */
let timeOfEach: number | undefined
/** The number of batches so far. */
let batches: number

const threads: Threads = {
  ...shared,
  async run(kind, inputs, limit) {
    batches += 1
    const { outcomes } = await shared.run(kind, inputs, limit)
    // Takes too long with a payload that is `slow`.
    const decided = outcomes.map((outcome, index): Evaluated<never> | typeof outcome =>
      slowInput.safeParse(inputs[index]).success ? stopped : outcome,
    )
    return timeOfEach === undefined
      ? { outcomes: decided, milliseconds: 1 }
      : { outcomes: decided.slice(0, 1), milliseconds: timeOfEach }
  },
}

const world = useWorld({ openThreads: () => threads })
const start = Date.UTC(2027, 0, 1)
const minutes = (count: number) => world.setClock(new Date(start + count * 60_000))
const body = '{% if true %}Hello{% endif %}'
const tooLong = 'The template of step "bell" took too long.'
let acme: Client

beforeEach(async () => {
  ;[timeOfEach, batches] = [undefined, 0]
  minutes(0)
  acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { stepId: 'bell', body } }])
})
afterEach(() => world.setClock(undefined))

const suspensionOf = async () =>
  (await acme.ask('{ workflow(identifier: "order") { suspension { reason since } } }')).workflow.suspension

/** Triggers for these subscribers and runs all jobs. @returns the outcome of the event, and of each run by subscriber. */
async function outcomeFor(to: unknown, payload: object = {}) {
  const transactionId = await trigger(acme, { to, payload })
  await world.work()
  const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { status reason detail } }', {
    id: transactionId,
  })
  const runs = Object.entries(await storyOf(acme, transactionId)).map(([subscriberId, { status, error, steps }]) => [
    subscriberId,
    [status, error ?? steps.at(0)?.detail ?? steps.at(0)?.status].join(': '),
  ])
  return { event, runs: Object.fromEntries(runs) }
}

describe('a suspended workflow', () => {
  const stop = { event: { status: 'COMPLETED', reason: null, detail: null }, runs: { ada: `COMPLETED: ${tooLong}` } }
  const sent = { ...stop, runs: { ada: 'COMPLETED: SENT' } }
  const detail = `Workflow "order" is suspended. ${tooLong}`
  const failed = { event: { status: 'FAILED', reason: 'WORKFLOW_SUSPENDED', detail }, runs: {} }
  const slow = { slow: true }

  beforeEach(async () => {
    minutes(1)
    for (let count = 0; count < 3; count += 1) {
      expect(await suspensionOf()).toBeNull()
      expect(await outcomeFor(['ada'], slow)).toEqual(stop)
    }
    expect(await suspensionOf()).toEqual({ reason: tooLong, since: '2027-01-01T00:01:00.000Z' })
  })

  test('still accepts triggers, and fails their events immediately with the reason', async () => {
    expect(await outcomeFor(['ada'])).toEqual(failed)
  })

  test('runs again when it is updated', async () => {
    minutes(2)
    await done(acme, 'updateWorkflow', { identifier: 'order', name: 'Order' })
    expect(await outcomeFor(['ada'])).toEqual(sent)
    expect(await suspensionOf()).toBeNull()
  })

  test('runs again once a trial run after ten minutes has succeeded', async () => {
    minutes(10)
    expect(await outcomeFor(['ada'])).toEqual(failed)
    minutes(12)
    expect(await outcomeFor(['ada'], slow)).toEqual(stop)
    expect(await outcomeFor(['ada'])).toEqual(failed)
    minutes(23)
    expect(await outcomeFor(['ada'])).toEqual(sent)
    expect(await outcomeFor(['ada'])).toEqual(sent)
    const changes = world.logged.filter(({ msg }) => /^workflow (suspended|suspension ended)$/.test(String(msg)))
    expect(changes.slice(-2)).toMatchObject([
      { level: 40, msg: 'workflow suspended', workflow: 'order', reason: tooLong },
      { level: 30, msg: 'workflow suspension ended', workflow: 'order' },
    ])
  })

  test('tries only one run of an event: all others are permitted if it succeeds, and none if it is stopped', async () => {
    const trialOf = async (payload: object) => {
      const { runs } = await outcomeFor(['ada', 'grace', 'eve'], payload)
      return Object.values(runs).toSorted()
    }
    minutes(12)
    expect(await trialOf(slow)).toEqual([`COMPLETED: ${tooLong}`, `FAILED: ${detail}`, `FAILED: ${detail}`])
    minutes(23)
    expect(await trialOf({})).toEqual(Array(3).fill('COMPLETED: SENT'))
  })
})

describe('a workflow is not suspended', () => {
  const slow = { payload: { slow: true } }

  test('by one exceeded limit that affects several events', async () => {
    for (let count = 0; count < 3; count += 1) await trigger(acme, slow)
    await world.work()
    expect(await suspensionOf()).toBeNull()
  })

  test('if it rarely exceeds a limit', async () => {
    for (const minute of [0, 6, 12, 18]) {
      minutes(minute)
      await trigger(acme, slow)
      await world.work()
      expect(await suspensionOf()).toBeNull()
    }
  })

  test('by a condition that cannot be computed', async () => {
    const text = 'x'.repeat(60_000)
    const condition = { '!=': [{ cat: [{ var: 'payload.text' }, { var: 'payload.text' }] }, 'x'] }
    await done(acme, 'updateWorkflow', { identifier: 'order', steps: [{ inApp: { body, condition } }] })
    for (let count = 0; count < 3; count += 1) {
      const { runs } = await outcomeFor(['ada'], { text })
      expect(runs['ada']).toContain('could not be evaluated')
    }
    expect(await suspensionOf()).toBeNull()
  })
})

describe('runs for which their environment has no evaluation time left', () => {
  const subscriberIds = ['ada', 'eve', 'grace']
  const condition = { '==': [{ cat: ['news'] }, 'news'] }

  test.each([
    ['templates', { body }, []],
    ['conditions of steps', { body: 'Hello', condition }, []],
    [
      'conditions of topic subscriptions',
      { body: 'Hello' },
      [{ workflow: { workflowIdentifier: 'order', condition } }],
    ],
  ])('are executed later if they wait for the evaluation of %s', async (_what, inApp, preferences) => {
    await done(acme, 'updateWorkflow', { identifier: 'order', steps: [{ inApp: { stepId: 'bell', ...inApp } }] })
    await done(acme, 'createSubscribers', { subscribers: subscriberIds.map((subscriberId) => ({ subscriberId })) })
    const subscriptions = subscriberIds.map((subscriberId) => ({ subscriberId }))
    await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions, preferences })
    ;[timeOfEach, batches] = [250, 0]
    const { runs } = await outcomeFor({ type: 'Topic', topicKey: 'news' })
    expect(runs).toEqual(Object.fromEntries(subscriberIds.map((id) => [id, 'COMPLETED: SENT'])))
    expect(batches).toBe(3)
  })

  test.each([
    ['a critical workflow', { critical: true }, ['ada', 'grace'], priorities.critical],
    ['few recipients', {}, ['ada', 'grace'], priorities.single],
    ['many recipients', {}, Array.from({ length: 11 }, (_, index) => `reader-${index}`), priorities.fanOut],
  ])('keep the priority of %s while they wait', async (_what, change, to, priority) => {
    await done(acme, 'updateWorkflow', { identifier: 'order', ...change })
    timeOfEach = 5_000
    const transactionId = await trigger(acme, { to })
    await world.work()
    const jobs = await world.gateway.db.job.findMany()
    expect(jobs).toMatchObject([{ queue: 'advance', priority, dueAt: new Date(start), digestWorkflowId: null }])
    expect(jobs[0]?.availableAt.getTime()).toBeGreaterThan(start)
    await done(acme, 'cancelEvent', { transactionId })
    await world.work({ early: true })
  })
})
