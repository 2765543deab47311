// Retries of messages that a provider does not accept, and of runs that an internal error stops.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { providers } from '../../src/delivery/sending/provider-registry.ts'
import { MAX_DELIVERY_ATTEMPTS } from '../../src/engine/attempt.ts'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  storyFields,
  trigger,
} from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

const keys = () => receiver.received.map(({ headers }) => headers['idempotency-key'])

async function deliveryOf(transactionId: string) {
  const { steps } = await adasRun(acme, transactionId)
  return steps[0].deliveries[0]
}

describe('a message', () => {
  beforeEach(async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
  })

  async function send(): Promise<string> {
    const transactionId = await trigger(acme)
    await world.work()
    return transactionId
  }

  test('is sent again after a temporary failure, with the same idempotency key', async () => {
    receiver.answer(500, 'out of order')
    const transactionId = await send()
    expect(receiver.received).toHaveLength(1)
    expect(await adasRun(acme, transactionId)).toMatchObject({
      status: 'COMPLETED',
      steps: [
        {
          status: 'SENDING',
          reason: null,
          deliveries: [{ status: 'PENDING', attempts: [{ number: 1, status: 500, answer: 'out of order' }] }],
        },
      ],
    })
    await world.work()
    expect(receiver.received).toHaveLength(1)
    receiver.answer(202, 'taken')
    await world.work({ early: true })
    const [{ status, reason, detail, deliveries }] = (await adasRun(acme, transactionId)).steps
    expect({ status, reason, detail }).toEqual({ status: 'SENT', reason: null, detail: null })
    expect(deliveries).toMatchObject([
      {
        status: 'SENT',
        attempts: [
          { number: 1, error: expect.stringContaining('500'), status: 500 },
          { number: 2, error: null, status: 202, answer: 'taken' },
        ],
      },
    ])
    expect(keys()).toEqual([keys()[0], keys()[0]])
    expect(receiver.last.json).toMatchObject({ id: keys()[0] })
    const [first, second] = deliveries[0].attempts
    const times = [first.startedAt, first.endedAt, second.startedAt, second.endedAt]
    expect(times).toEqual(times.toSorted())
  })

  test('is not sent again after the provider rejects it', async () => {
    receiver.answer(400, 'no such user')
    const transactionId = await send()
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(1)
    const delivery = await deliveryOf(transactionId)
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: [{ status: 400, answer: 'no such user' }] })
    const [step] = (await adasRun(acme, transactionId)).steps
    expect(step).toMatchObject({ status: 'FAILED', reason: 'refused', detail: delivery.attempts[0].error })
  })

  describe('waits before the next attempt', () => {
    /** The seconds until the next attempt is due, which is when its job is due. */
    async function pause(): Promise<number> {
      const job = await world.gateway.db.job.findFirstOrThrow({ where: { queue: 'deliver' } })
      return (job.availableAt.getTime() - world.gateway.now().getTime()) / 1_000
    }

    beforeEach(() => {
      world.setClock(new Date('2030-01-01T00:00:00Z'))
      // Leaves no message for the next test.
      return async () => {
        receiver.answer(200)
        await world.work({ early: true })
        world.setClock(undefined)
      }
    })

    test('for a time that grows with each attempt up to an hour, and of which at most half is random', async () => {
      receiver.answer(503)
      await send()
      for (const longest of [5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]) {
        const seconds = await pause()
        expect(seconds).toBeGreaterThanOrEqual(longest / 2)
        expect(seconds).toBeLessThanOrEqual(longest)
        world.setClock(new Date(world.gateway.now().getTime() + longest * 1_000))
        await world.work()
      }
      expect(receiver.received).toHaveLength(MAX_DELIVERY_ATTEMPTS)
    })

    test.each([
      ['at least as long as the provider asks for', '120', 120],
      ['for an hour at most', '86400', 3600],
    ])('%s', async (_title, retryAfter, expected) => {
      receiver.answer(429, 'too many', { 'retry-after': retryAfter })
      await send()
      expect(await pause()).toBe(expected)
    })
  })

  test('fails after the last attempt, is listed as failed, and can be retried', async () => {
    receiver.answer(503)
    const transactionId = await send()
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(MAX_DELIVERY_ATTEMPTS)
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'FAILED refused' })
    const failed = async () =>
      (await acme.ask('{ deliveries(filter: { status: FAILED }) { totalCount nodes { id status } } }')).deliveries
    const { id } = await deliveryOf(transactionId)
    expect(await failed()).toEqual({ totalCount: 1, nodes: [{ id, status: 'FAILED' }] })

    receiver.answer(200)
    const { delivery } = await done(acme, 'retryDelivery', { id }, 'delivery { status }')
    expect(delivery).toEqual({ status: 'PENDING' })
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SENDING' })
    await world.work()
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SENT' })
    expect(new Set(keys()).size).toBe(1)
    expect((await deliveryOf(transactionId)).attempts).toHaveLength(MAX_DELIVERY_ATTEMPTS + 1)
    expect(await failed()).toEqual({ totalCount: 0, nodes: [] })
    const { userErrors } = await acme.act('retryDelivery', { id })
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('is sent'), field: ['id'] }])
  })

  test('is sent again after an unexpected provider error, and the log has the cause', async () => {
    // The gateway does not implement this provider, so the test can replace it.
    expect(providers).not.toHaveProperty('braze')
    onTestFinished(() => {
      delete providers.braze
    })
    let calls = 0
    providers.braze = {
      ...{ settings: [], check: () => [], targetKinds: ['email'], endpointTypes: [] },
      async send() {
        calls += 1
        if (calls === 1) throw new TypeError('x is not a function')
        return { status: null, answer: null }
      },
    }
    await createIntegration(acme, 'BRAZE', receiver.url, { primary: true })
    const transactionId = await send()
    const { status, attempts } = await deliveryOf(transactionId)
    const error = 'Unexpected provider error; see the log entry for this delivery.'
    expect({ status, attempts }).toMatchObject({ status: 'PENDING', attempts: [{ error, status: null }] })
    expect(world.logged.filter(({ providerId }) => providerId === 'braze')).toMatchObject([
      { level: 50, deliveryId: expect.any(String), providerError: { message: 'x is not a function' } },
    ])
    await world.work({ early: true })
    expect(await deliveryOf(transactionId)).toMatchObject({ status: 'SENT', attempts: [{}, { error: null }] })
  })

  test('that arrives marks its step as sent, even if another message of the step fails', async () => {
    await createIntegration(acme, 'TOOL_WEBHOOK', receiver.url)
    await done(acme, 'updateWorkflow', { identifier: 'order', steps: [{ tool: { stepId: 'tool', body: 'x' } }] })
    for (const path of ['/good', '/bad']) {
      await done(acme, 'createChannelEndpoint', {
        subscriberId: 'ada',
        integrationIdentifier: 'tool_webhook',
        endpoint: { toolWebhook: { url: `${receiver.url}${path}` } },
      })
    }
    receiver.respond((response, { url }) => response.writeHead(url === '/bad' ? 400 : 200).end())
    const transactionId = await send()
    const [{ status, deliveries }] = (await adasRun(acme, transactionId)).steps
    expect(status).toBe('SENT')
    expect(deliveries.map((one) => one.status).toSorted()).toEqual(['FAILED', 'SENT'])
  })
})

describe('an internal error', () => {
  /** Runs all jobs while a table is missing, until no automatic retries are left. */
  async function workWithout(table: string): Promise<void> {
    const { pool } = world.database
    await pool.query(`ALTER TABLE ${table} RENAME TO misplaced`)
    try {
      await world.work({ early: true })
    } finally {
      await pool.query(`ALTER TABLE misplaced RENAME TO ${table}`)
    }
  }

  const failedRuns = async () =>
    (await acme.ask(`{ workflowRuns(filter: { status: FAILED }) { nodes { ${storyFields} } } }`)).workflowRuns.nodes

  /** Retries the one failed run, and runs its jobs. */
  async function retryFailed(): Promise<void> {
    const [{ id }] = await failedRuns()
    await done(acme, 'retryWorkflowRun', { id }, 'workflowRun { status }')
    await world.work()
  }

  test('lets a retried run wait while its workflow is paused', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    await trigger(acme)
    await workWithout('deliveries')
    await done(acme, 'pauseWorkflow', { identifier: 'order' })
    await retryFailed()
    expect(await acme.ask('{ workflowRuns { nodes { status pause { kind } } } }')).toEqual({
      workflowRuns: { nodes: [{ status: 'RUNNING', pause: { kind: 'WORKFLOW' } }] },
    })
    await done(acme, 'resumeWorkflow', { identifier: 'order' })
    await world.work()
    expect(receiver.received).toHaveLength(1)
  })

  test('rolls back the steps of a run, and a retry executes each of them once', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [bell, mail])
    const transactionId = await trigger(acme)
    await workWithout('deliveries')
    expect(await failedRuns()).toMatchObject([
      {
        status: 'FAILED',
        error: 'The run could not be continued because of an internal error; see the log.',
        steps: [],
      },
    ])
    expect(await bodiesOf(acme)).toEqual([])
    await retryFailed()
    expect(await outcomes(acme, transactionId)).toEqual({ bell: 'SENT', mail: 'SENT' })
    expect(await bodiesOf(acme)).toEqual(['Hello'])
    expect(receiver.received).toHaveLength(1)
    const { id } = await adasRun(acme, transactionId)
    const { userErrors } = await acme.act('retryWorkflowRun', { id })
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('is completed') }])
  })

  test('that is temporary needs no manual retry', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    const { pool } = world.database
    await pool.query('ALTER TABLE notifications RENAME TO misplaced')
    await world.work()
    await pool.query('ALTER TABLE misplaced RENAME TO notifications')
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  /** Runs with the clock two days back, so that an event's wait of one day has ended by now. */
  async function twoDaysAgo<Result>(work: () => Promise<Result>): Promise<Result> {
    world.setClock(new Date(Date.now() - 2 * 24 * 60 * 60 * 1000))
    return work().finally(() => world.setClock(undefined))
  }

  test('after a delay does not make a retry wait again', async () => {
    await createWorkflow(acme, [{ delay: { stepId: 'wait', amount: 1, unit: 'DAYS' } }, bell])
    const transactionId = await twoDaysAgo(async () => {
      const triggered = await trigger(acme)
      await workWithout('notifications')
      return triggered
    })
    expect(await failedRuns()).toMatchObject([{ steps: [{ stepId: 'wait', status: 'WAITING' }] }])
    await retryFailed()
    expect(await outcomes(acme, transactionId)).toEqual({ wait: 'COMPLETED', bell: 'SENT' })
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('after a digest keeps the collected events on a retry', async () => {
    await createWorkflow(acme, [
      { digest: { stepId: 'gather', amount: 1, unit: 'DAYS' } },
      { inApp: { body: '{{digest.count}}' } },
    ])
    await twoDaysAgo(async () => {
      await trigger(acme)
      await trigger(acme)
      await workWithout('notifications')
    })
    await retryFailed()
    expect(await bodiesOf(acme)).toEqual(['2'])
  })

  test('while recording attempts makes the delivery fail in the end, and a retry sends it', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    const transactionId = await trigger(acme)
    await workWithout('delivery_attempts')
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'FAILED refused' })
    const { id, status } = await deliveryOf(transactionId)
    expect(status).toBe('FAILED')
    expect(new Set(keys()).size).toBe(1)
    await done(acme, 'retryDelivery', { id })
    await world.work()
    expect(await deliveryOf(transactionId)).toMatchObject({ status: 'SENT', attempts: [{ number: 1, status: 200 }] })
  })
})
