// Code from callers that takes too long or fails: what is stopped, what is reported, and that others are not affected.
import { beforeEach, describe, expect, test } from 'vitest'
import {
  bodiesOf,
  adasRun,
  createIntegration,
  createWorkflow,
  done,
  storyOf,
  trigger,
} from '../support/delivery/story.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { evaluate } from '../support/evaluation.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  world.setClock(undefined)
  acme = await world.environment()
})

/** A text whose loops depend on the payload. */
const loops = (bound: string) => `{% for i in (1..${bound}) %}{% for j in (1..${bound}) %}{% endfor %}{% endfor %}`
const slow = loops('3000')
const tooLong = 'The template of step "bell" took too long.'

/** The event of a trigger, and the suspension of its workflow. */
const stateOf = (transactionId: string) =>
  acme.ask(
    `query ($id: String!) {
      event(transactionId: $id) { status reason detail }
      workflow(identifier: "order") { suspension { reason since } }
    }`,
    { id: transactionId },
  )

/**
 * Triggers for Ada and runs all jobs, including those that were put back until the environment has evaluation time
 * again.
 */
async function run(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work({ early: true })
  return transactionId
}

describe('a slow template', () => {
  test('fails the steps of some recipients and suspends its workflow for the others', async () => {
    const recipients = Array.from({ length: 15 }, (_, index) => `subscriber-${index}`)
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', subject: slow, body: slow, avatar: slow, url: slow } }])
    const transactionId = await run({ to: recipients })
    const runs = Object.values(await storyOf(acme, transactionId))
    const failures = runs.map(({ error, steps: [step] }) => error ?? step.detail)
    expect(new Set(failures)).toEqual(new Set([tooLong, `Workflow "order" is suspended. ${tooLong}`]))
    expect((await stateOf(transactionId)).workflow.suspension.reason).toBe(tooLong)
  })

  test('does not delay the messages of another environment', async () => {
    const globex = await world.environment()
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: slow } }])
    await createWorkflow(globex, [{ inApp: { body: '{% if true %}Hello{% endif %}' } }])
    await trigger(acme, { to: ['a', 'b', 'c', 'd', 'e', 'f'] })
    await trigger(globex)
    await world.work({ early: true })
    expect(await bodiesOf(globex)).toEqual(['Hello'])
  })

  test('fails the steps of a preview', async () => {
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: slow } }])
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
        runs { steps { status reason detail } }
      } }`,
    )
    expect(previewTrigger.runs).toEqual([{ steps: [{ status: 'FAILED', reason: 'content', detail: tooLong }] }])
  })

  test('that is not saved fails the steps of a preview in the same way, and suspends nothing', async () => {
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'Hello' } }])
    const steps = [{ inApp: { stepId: 'bell', body: slow } }]
    const input = { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }], steps }
    for (let count = 0; count < 3; count += 1) {
      const { previewTrigger } = await acme.ask(
        'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { runs { steps { detail } } } }',
        { input },
      )
      expect(previewTrigger.runs).toEqual([{ steps: [{ detail: tooLong }] }])
    }
    const { workflow } = await acme.ask('{ workflow(identifier: "order") { suspension { reason } } }')
    expect(workflow.suspension).toBeNull()
  })
})

describe('a condition that cannot be computed', () => {
  const text = 'x'.repeat(60_000)
  const tenant = { context: { tenant: { id: 'acme', data: { text } } } }
  const twice = { cat: [{ var: 'context.tenant.data.text' }, { var: 'context.tenant.data.text' }] }
  const condition = { '!=': [twice, 'x'] }
  const reason = 'could not be evaluated: a condition must not create more than 100000 items or characters'

  test('fails its step and does not count as false', async () => {
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'x', condition } }])
    expect((await adasRun(acme, await run(tenant))).steps).toMatchObject([
      { status: 'FAILED', reason: 'condition_failed', detail: `The condition of step "bell" ${reason}` },
    ])
  })

  test('of an integration fails the step only if no other integration can be used, and is logged', async () => {
    const to = { subscriberId: 'ada', email: 'ada@example.com' }
    await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'x', body: 'x' } }])
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'strange', conditions: condition })
    expect((await adasRun(acme, await run({ to, ...tenant }))).steps).toMatchObject([
      {
        status: 'FAILED',
        reason: 'integration_condition_failed',
        detail: `The condition of integration "strange" ${reason}`,
      },
    ])
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'plain' })
    expect((await adasRun(acme, await run({ to, ...tenant }))).steps).toMatchObject([
      { status: 'SENT', deliveries: [{ integrationIdentifier: 'plain' }] },
    ])
    for (let count = 0; count < 3; count += 1) await run({ to, ...tenant })
    const logged = world.logged.filter(({ msg }) => msg === 'condition could not be evaluated')
    // The others are logged together, at most once a minute.
    expect(logged).toEqual([expect.objectContaining({ integration: 'strange', count: 1 })])
  })

  test('of a subscription neither admits nor excludes the event', async () => {
    await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'x' } }])
    await done(acme, 'createSubscribers', { subscribers: [{ subscriberId: 'ada' }] })
    const subscriptions = [{ identifier: 'strange', subscriberId: 'ada' }]
    const ofPayload = { '!=': [{ cat: [{ var: 'payload.text' }, { var: 'payload.text' }] }, 'x'] }
    const preferences = [{ workflow: { workflowIdentifier: 'order', enabled: false, condition: ofPayload } }]
    await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions, preferences })
    const to = { type: 'Topic', topicKey: 'news' }
    expect((await adasRun(acme, await run({ to, payload: { text } }))).steps).toMatchObject([
      {
        status: 'FAILED',
        reason: 'subscription_condition_failed',
        detail: `A condition of the topic subscription "strange" ${reason}`,
      },
    ])
  })
})

describe('a payload schema', () => {
  test('cannot be created if its patterns take too long to compile', async () => {
    // Each of them takes some milliseconds.
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`field${index}`, { pattern: `\\p{L}{0,500}${index}` }]),
    )
    const payloadSchema = { properties }
    expect(await acme.act('createWorkflow', { identifier: 'order', name: 'Order', payloadSchema })).toEqual({
      userErrors: [
        {
          code: 'BAD_USER_INPUT',
          message: 'payloadSchema cannot be used: it takes too long to check',
          field: ['payloadSchema'],
        },
      ],
    })
  })

  test('cannot be created with a pattern that is not linear', async () => {
    const { userErrors } = await acme.act('createWorkflow', {
      identifier: 'order',
      name: 'Order',
      payloadSchema: { properties: { a: { type: 'string', pattern: '^(?!x)(a+)+$' } } },
    })
    expect(userErrors).toMatchObject([
      {
        code: 'BAD_USER_INPUT',
        field: ['payloadSchema', 'properties', 'a', 'pattern'],
        message: expect.stringContaining('must be a pattern without lookaround and backreferences'),
      },
    ])
  })
})

test('a thread that runs out of memory or time is replaced', async () => {
  const list = Array.from({ length: 5000 }, (_, index) => index)
  const rule = { map: [list, { map: [list, { map: [list, { merge: [{ var: '' }, list] }] }] }] }
  const outcome = await evaluate('condition', { rule, variables: {} })
  expect(outcome).toMatchObject({ status: 'failed', cause: expect.stringMatching(/^(time|memory)$/) })
  expect(await evaluate('htmlText', '<p>again</p>')).toEqual({ status: 'done', value: 'again' })
})
