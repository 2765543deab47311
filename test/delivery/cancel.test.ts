// Cancelling an event: sent messages stay sent, and nothing more is sent.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  storyOf,
  trigger,
} from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

const bell = (body: string) => ({ inApp: { stepId: body, body } })
const wait = { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }

const cancel = async (transactionId: string): Promise<boolean> =>
  (await acme.rest<boolean>(`DELETE /v1/events/trigger/${transactionId}`)).body

describe('cancelling an event', () => {
  test('before its runs are created prevents them', async () => {
    await createWorkflow(acme, [bell('one')])
    const transactionId = await trigger(acme)
    expect(await cancel(transactionId)).toBe(true)
    await world.work({ early: true })
    expect(await storyOf(acme, transactionId)).toEqual({})
    expect(await bodiesOf(acme)).toEqual([])
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { cancelledAt } }', {
      id: transactionId,
    })
    expect(event.cancelledAt).toEqual(expect.any(String))
  })

  test('while its run waits ends the run there, as the execution log shows', async () => {
    await createWorkflow(acme, [bell('one'), wait, bell('two')])
    const transactionId = await trigger(acme)
    await world.work()
    await cancel(transactionId)
    await world.work({ early: true })
    expect(await adasRun(acme, transactionId)).toMatchObject({
      status: 'CANCELLED',
      error: null,
      steps: [
        { stepId: 'one', status: 'SENT', reason: null },
        { stepId: 'wait', status: 'CANCELLED', reason: 'cancelled', detail: 'The event was cancelled.' },
      ],
    })
    expect(await bodiesOf(acme)).toEqual(['one'])
  })

  test('while a message waits for its next attempt prevents that attempt', async () => {
    receiver.answer(500)
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'x', body: 'x' } }])
    const transactionId = await trigger(acme)
    await world.work()
    await cancel(transactionId)
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(1)
    const { steps } = await adasRun(acme, transactionId)
    expect(steps).toMatchObject([
      { status: 'CANCELLED', reason: 'cancelled', deliveries: [{ status: 'CANCELLED', attempts: [{ status: 500 }] }] },
    ])
  })

  test('after one of two messages arrived leaves the step as sent', async () => {
    receiver.respond((response, { url }) => response.writeHead(url === '/good' ? 200 : 500).end())
    await createIntegration(acme, 'TOOL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [{ tool: { stepId: 'tool', body: 'x' } }])
    for (const path of ['/good', '/bad']) {
      await done(acme, 'createChannelEndpoint', {
        subscriberId: 'ada',
        integrationIdentifier: 'tool_webhook',
        endpoint: { toolWebhook: { url: `${receiver.url}${path}` } },
      })
    }
    const transactionId = await trigger(acme)
    await world.work()
    await cancel(transactionId)
    const [{ status, reason, deliveries }] = (await adasRun(acme, transactionId)).steps
    expect({ status, reason }).toEqual({ status: 'SENT', reason: null })
    expect(deliveries.map((one) => one.status).toSorted()).toEqual(['CANCELLED', 'SENT'])
  })

  test('while a message is being sent still records its result', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'x', body: 'x' } }, wait])
    const transactionId = await trigger(acme)
    let cancelled: Promise<boolean> | undefined
    receiver.respond((response) => {
      cancelled = cancel(transactionId)
      void cancelled.then(() => response.writeHead(200).end())
    })
    await world.work()
    expect(await cancelled).toBe(true)
    expect(await outcomes(acme, transactionId)).toEqual({ mail: 'SENT', wait: 'CANCELLED cancelled' })
    expect(await adasRun(acme, transactionId)).toMatchObject({ status: 'CANCELLED' })
  })

  test('does not affect other events', async () => {
    await createWorkflow(acme, [wait, bell('one')])
    const [cancelled, other] = [await trigger(acme), await trigger(acme)]
    await world.work()
    await cancel(cancelled)
    await world.work({ early: true })
    expect(await outcomes(acme, other)).toEqual({ wait: 'COMPLETED', one: 'SENT' })
    expect(await bodiesOf(acme)).toEqual(['one'])
  })

  test('is not possible from another environment', async () => {
    await createWorkflow(acme, [wait, bell('one')])
    const transactionId = await trigger(acme)
    const globex = await world.environment()
    expect((await globex.rest(`DELETE /v1/events/trigger/${transactionId}`)).body).toBe(false)
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual(['one'])
  })
})
