// Pausing and resuming an integration, a workflow or an environment.
import { beforeEach, describe, expect, test } from 'vitest'
import { releaseEnded } from '../../src/domain/execution/pause.ts'
import { commandLineOf } from '../support/command-line.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, bodiesOf, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
const run = commandLineOf(world)
let acme: Client

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

beforeEach(async () => {
  acme = await world.environment()
  world.setClock(undefined)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

const pauseFields = 'pause { kind pausedAt pausedBy reason }'

/** The messages of an event, with the pause that they wait for. */
async function messagesOf(transactionId: string) {
  const { deliveries } = await acme.ask(
    `query ($id: String!) { deliveries(filter: { transactionId: $id }) { nodes { status pause { kind reason } attempts { number error } } } }`,
    { id: transactionId },
  )
  return deliveries.nodes
}

const eventOf = async (transactionId: string) =>
  (
    await acme.ask(
      `query ($id: String!) { event(transactionId: $id) { status pause { kind } runs { nodes { status pause { kind } } } } }`,
      { id: transactionId },
    )
  ).event

describe('a paused integration', () => {
  let id: string
  beforeEach(async () => {
    id = await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
  })

  const pause = () => done(acme, 'pauseIntegration', { id, reason: 'outage' })
  const resume = async (): Promise<number> =>
    (await done(acme, 'resumeIntegration', { id }, 'releasedCount')).releasedCount

  test('holds its earlier and new messages until it is resumed', async () => {
    receiver.answer(503)
    const before = await trigger(acme)
    await world.work()
    expect(receiver.received).toHaveLength(1)
    await pause()
    receiver.answer(200)
    const after = await trigger(acme)
    await world.work({ early: true })

    expect(receiver.received).toHaveLength(1)
    for (const transactionId of [before, after]) {
      expect(await messagesOf(transactionId)).toMatchObject([
        { status: 'PENDING', pause: { kind: 'INTEGRATION', reason: 'outage' } },
      ])
    }
    expect(await resume()).toBe(2)
    await world.work()
    expect(receiver.received).toHaveLength(3)
    expect(await messagesOf(before)).toMatchObject([{ status: 'SENT', pause: null, attempts: [{}, { number: 2 }] }])
    expect(await messagesOf(after)).toMatchObject([{ status: 'SENT', pause: null, attempts: [{ number: 1 }] }])
  })

  test('says who paused it, when and why', async () => {
    const pausedAt = new Date('2026-05-01T08:00:00.000Z')
    world.setClock(pausedAt)
    await pause()
    world.setClock(new Date('2026-05-01T09:00:00.000Z'))
    await done(acme, 'pauseIntegration', { id, reason: 'another reason' })
    const { integrations } = await acme.ask(`{ integrations { nodes { ${pauseFields} } } }`)
    expect(integrations.nodes).toEqual([
      {
        pause: {
          kind: 'INTEGRATION',
          pausedAt: pausedAt.toISOString(),
          pausedBy: expect.stringMatching(/^API key ".+"$/),
          reason: 'outage',
        },
      },
    ])
    expect(world.logged).toContainEqual(
      expect.objectContaining({ msg: 'pause started', integrationId: expect.any(String) }),
    )
    expect(await resume()).toBe(0)
    expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'pause ended' }))
    expect(await acme.ask(`{ integrations { nodes { ${pauseFields} } } }`)).toEqual({
      integrations: { nodes: [{ pause: null }] },
    })
    expect(await resume()).toBe(0)
  })

  test('is returned when it is paused and when it is resumed', async () => {
    const integration = { identifier: 'email_webhook', pause: { kind: 'INTEGRATION' } }
    const shown = 'integration { identifier pause { kind } }'
    expect(await done(acme, 'pauseIntegration', { id }, shown)).toMatchObject({ integration })
    const resumed = await done(acme, 'resumeIntegration', { id }, `${shown} releasedCount`)
    expect(resumed).toMatchObject({ integration: { ...integration, pause: null }, releasedCount: 0 })
  })

  test('names the command line if it was paused there', async () => {
    await run(`pause --environment ${await environmentIdOf(acme)} --integration email_webhook`)
    const { integrations } = await acme.ask('{ integrations { nodes { pause { pausedBy reason } } } }')
    expect(integrations.nodes).toEqual([{ pause: { pausedBy: 'command line', reason: null } }])
  })

  test('delays no message of another integration', async () => {
    await pause()
    await trigger(acme)
    await world.work()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'second', primary: true })
    await trigger(acme)
    await world.work()
    expect(receiver.received).toHaveLength(1)
  })

  test('does not affect a message that is being sent, which is sent once', async () => {
    let inProgress: Promise<unknown> = Promise.resolve()
    receiver.respond((response) => {
      inProgress = pause()
        .then(resume)
        .then((released) => {
          expect(released).toBe(0)
          response.writeHead(200).end('{}')
        })
    })
    const transactionId = await trigger(acme)
    await world.work()
    await inProgress
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(1)
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'SENT' }])
  })

  test('still cancels the messages of an event', async () => {
    await pause()
    const transactionId = await trigger(acme)
    await world.work()
    expect((await acme.rest(`DELETE /v1/events/trigger/${transactionId}`)).body).toBe(true)
    await resume()
    await world.work()
    expect(receiver.received).toEqual([])
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'CANCELLED' }])
  })

  test('fails the messages that wait for it when it is deleted', async () => {
    await pause()
    const transactionId = await trigger(acme)
    await world.work()
    expect(await messagesOf(transactionId)).toMatchObject([
      { status: 'PENDING', pause: { kind: 'INTEGRATION' }, attempts: [] },
    ])
    await done(acme, 'deleteIntegration', { id })
    await releaseEnded(world.gateway)
    await world.work()
    expect(receiver.received).toEqual([])
    expect(await messagesOf(transactionId)).toMatchObject([
      { status: 'FAILED', pause: null, attempts: [{ error: 'The destination no longer exists.' }] },
    ])
  })

  test('still sends test messages', async () => {
    await pause()
    const input = { integrationId: id, to: { email: 'ada@example.com' }, subject: 'Hi', body: 'Is it back?' }
    await done(acme, 'sendTestMessage', input)
    expect(receiver.received).toHaveLength(1)
  })

  test('can be paused, read and resumed through REST', async () => {
    const read = async () => (await acme.rest('GET /v1/integrations')).body.data[0]
    const path = `/v1/integrations/${(await read())._id}` as const
    expect(await acme.rest(`POST ${path}/pause`, { body: { reason: 'outage' } })).toMatchObject({
      status: 200,
      body: { paused: true },
    })
    expect((await read()).pause).toEqual({
      pausedAt: expect.any(String),
      pausedBy: expect.stringMatching(/^API key/),
      reason: 'outage',
    })
    expect((await acme.rest(`PUT ${path}`, { body: {} })).body).toMatchObject({ pause: { reason: 'outage' } })
    await trigger(acme)
    await world.work()
    expect(await acme.rest(`POST ${path}/resume`)).toMatchObject({
      status: 200,
      body: { paused: false, releasedCount: 1 },
    })
    expect(await read()).not.toHaveProperty('pause')
    await world.work()
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a paused workflow', () => {
  const pause = () => done(acme, 'pauseWorkflow', { identifier: 'order' })
  const resume = () => done(acme, 'resumeWorkflow', { identifier: 'order' }, 'releasedCount')

  test('accepts triggers, which wait until it is resumed', async () => {
    await createWorkflow(acme, [bell])
    await createWorkflow(acme, [bell], { identifier: 'other' })
    await pause()
    const transactionId = await trigger(acme)
    await trigger(acme, { name: 'other' })
    await world.work()
    expect(await bodiesOf(acme)).toHaveLength(1)
    expect(await eventOf(transactionId)).toMatchObject({ status: 'ACCEPTED', pause: { kind: 'WORKFLOW' } })
    expect(await resume()).toMatchObject({ releasedCount: 1 })
    await world.work()
    expect(await bodiesOf(acme)).toHaveLength(2)
    expect(await eventOf(transactionId)).toMatchObject({ status: 'COMPLETED', pause: null })
  })

  test('holds messages that were queued before', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    receiver.answer(503)
    const transactionId = await trigger(acme)
    await world.work()
    await pause()
    await world.work({ early: true })
    expect(receiver.received).toHaveLength(1)
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'PENDING', pause: { kind: 'WORKFLOW' } }])
    receiver.answer(200)
    await resume()
    await world.work()
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'SENT' }])
  })

  test('continues only the delays that ended meanwhile when it is resumed', async () => {
    await createWorkflow(acme, [{ delay: { amount: 1, unit: 'HOURS' } }, bell])
    const start = new Date('2026-05-01T08:00:00.000Z')
    world.setClock(start)
    await trigger(acme)
    await world.work()
    world.setClock(new Date(start.getTime() + 30 * 60_000))
    const late = await trigger(acme)
    await world.work()
    await pause()
    world.setClock(new Date(start.getTime() + 70 * 60_000))
    await world.work()
    expect(await bodiesOf(acme)).toEqual([])
    expect(await adasRun(acme, late)).toMatchObject({ status: 'WAITING' })
    const waiting = { pause: { kind: 'WORKFLOW' } }
    expect(await eventOf(late)).toMatchObject({
      ...waiting,
      status: 'RUNNING',
      runs: { nodes: [{ ...waiting, status: 'WAITING' }] },
    })
    await resume()
    await world.work()
    expect(await bodiesOf(acme)).toHaveLength(1)
    world.setClock(new Date(start.getTime() + 90 * 60_000))
    await world.work()
    expect(await bodiesOf(acme)).toHaveLength(2)
  })

  test('closes a digest that became due meanwhile with all of its triggers', async () => {
    await createWorkflow(acme, [
      { digest: { amount: 1, unit: 'HOURS' } },
      { inApp: { body: '{{ digest.count }} events' } },
    ])
    const start = new Date('2026-05-01T08:00:00.000Z')
    world.setClock(start)
    await trigger(acme)
    await world.work()
    await pause()
    world.setClock(new Date(start.getTime() + 30 * 60_000))
    await trigger(acme)
    await world.work()
    world.setClock(new Date(start.getTime() + 2 * 3_600_000))
    await world.work()
    expect(await bodiesOf(acme)).toEqual([])
    await resume()
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['2 events'])
  })
})

test('REST returns a paused workflow and a paused environment', async () => {
  await createWorkflow(acme, [bell])
  const id = await environmentIdOf(acme)
  const read = async () => {
    const [workflow, workflows, environments] = await Promise.all([
      acme.rest('GET /v2/workflows/order'),
      acme.rest('GET /v2/workflows'),
      acme.rest('GET /v1/environments?limit=100'),
    ])
    const own = environments.body.data.find(({ _id }) => _id === id)
    return [workflow.body, workflows.body.data[0], own].map((one) => one?.pause)
  }
  expect(await read()).toEqual([undefined, undefined, undefined])
  await acme.rest('POST /v2/workflows/order/pause', { body: { reason: 'wrong text' } })
  await acme.rest(`POST /v1/environments/${id}/pause`)
  const [workflow, listed, environment] = await read()
  expect(workflow).toMatchObject({ reason: 'wrong text' })
  expect(listed).toEqual(workflow)
  expect(environment).toEqual({ pausedAt: expect.any(String), pausedBy: expect.any(String) })
})

test('a preview names the pause that a trigger would wait for', async () => {
  const id = await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [mail])
  const preview = async () => {
    const { previewTrigger } = await acme.ask(`{
      previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
        pause { kind } runs { steps { status messages { pause { kind } } } }
      }
    }`)
    const [message] = previewTrigger.runs[0].steps[0].messages
    return { event: previewTrigger.pause, message: message.pause }
  }
  expect(await preview()).toEqual({ event: null, message: null })
  await done(acme, 'pauseIntegration', { id })
  expect(await preview()).toEqual({ event: null, message: { kind: 'INTEGRATION' } })
  await done(acme, 'pauseWorkflow', { identifier: 'order' })
  expect(await preview()).toMatchObject({ event: { kind: 'WORKFLOW' } })
})

describe('a paused environment', () => {
  test('holds all runs and messages, while requests are served', async () => {
    const { environment } = await acme.ask('{ environment { id } }')
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail, bell])
    await done(acme, 'pauseEnvironment', { id: environment.id }, 'environment { pause { kind } }')
    const transactionId = await trigger(acme)
    await world.work()
    expect([receiver.received, await bodiesOf(acme)]).toEqual([[], []])
    expect(await eventOf(transactionId)).toMatchObject({ pause: { kind: 'ENVIRONMENT' } })
    expect(await acme.ask('{ environment { pause { kind } } }')).toEqual({
      environment: { pause: { kind: 'ENVIRONMENT' } },
    })
    const other = await world.environment()
    await createWorkflow(other, [bell])
    await trigger(other)
    await world.work()
    expect(await bodiesOf(other)).toHaveLength(1)

    await done(acme, 'resumeEnvironment', { id: environment.id })
    await world.work()
    expect(receiver.received).toHaveLength(1)
    expect(await bodiesOf(acme)).toHaveLength(1)
  })

  test('holds the jobs that still wait when one of two pauses ends', async () => {
    const { environment } = await acme.ask('{ environment { id } }')
    await createWorkflow(acme, [bell])
    await done(acme, 'pauseWorkflow', { identifier: 'order' })
    await trigger(acme)
    await world.work()
    await done(acme, 'pauseEnvironment', { id: environment.id })
    await done(acme, 'resumeWorkflow', { identifier: 'order' })
    await world.work()
    expect(await bodiesOf(acme)).toEqual([])
    await done(acme, 'resumeEnvironment', { id: environment.id })
    await world.work()
    expect(await bodiesOf(acme)).toHaveLength(1)
  })
})

test('jobs that stayed held when a process ended are released', async () => {
  await createWorkflow(acme, [bell])
  await done(acme, 'pauseWorkflow', { identifier: 'order' })
  await trigger(acme)
  await world.work()
  await world.database.client.$executeRaw`DELETE FROM pauses`
  await world.work()
  expect(await bodiesOf(acme)).toEqual([])
  await releaseEnded(world.gateway)
  await world.work()
  expect(await bodiesOf(acme)).toHaveLength(1)
})
