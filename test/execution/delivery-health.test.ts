// The health of deliveries: current failures, deliveries to retry, and queue lengths.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { foldStatistics } from '../../src/data/monitoring/message-statistics.ts'
import { recordStop } from '../../src/data/workflow-suspension.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const ada = { to: { subscriberId: 'ada', email: 'ada@example.com' } }

/** The day of the tests, on which the clock stands still. */
const at = (time: string) => new Date(`2026-03-14T${time}:00Z`)

beforeEach(async () => {
  world.setClock(at('10:10'))
  acme = await world.environment()
})
afterEach(() => world.setClock(undefined))

interface Health {
  readonly integrations: readonly unknown[]
  readonly workflows: readonly unknown[]
  readonly queue: readonly unknown[]
}

/** The part of the health that a client reads. */
async function health(fields: string, client = acme, minutes?: number) {
  const query = `query ($minutes: Int) { deliveryHealth(minutes: $minutes) { ${fields} } }`
  return (await client.ask<{ deliveryHealth: Health }>(query, { minutes })).deliveryHealth
}

const integrationFields = `integrations {
  integrationIdentifier integration { name } channel failing sent failed failedAttempts
  lastFailure { status attempts { error } }
}`
const workflowFields = 'workflows { workflowIdentifier workflow { suspension { reason } } failedRuns failedMessages }'

async function fold(): Promise<void> {
  while ((await foldStatistics(world.gateway.db, 100)) > 0);
}

/** Triggers `order`, which sends an email, and lets the provider respond with a status. */
async function sendWith(status: number): Promise<void> {
  receiver.answer(status, 'an answer')
  await trigger(acme, ada)
  await world.work()
}

async function createMail(): Promise<void> {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { name: 'Our mail' })
  await createWorkflow(acme, [mail])
}

describe('an integration', () => {
  beforeEach(createMail)

  test('is listed as failing while its messages still wait for another attempt, with the last error', async () => {
    await sendWith(200)
    expect(await health(integrationFields)).toEqual({ integrations: [] })
    await sendWith(503)
    await sendWith(503)
    for (const added of [false, true]) {
      if (added) await fold()
      expect(await health(integrationFields)).toEqual({
        integrations: [
          {
            ...{ integrationIdentifier: 'email_webhook', integration: { name: 'Our mail' }, channel: 'EMAIL' },
            ...{ failing: true, sent: 1, failed: 0, failedAttempts: 2 },
            lastFailure: { status: 'PENDING', attempts: [{ error: expect.stringContaining('503') }] },
          },
        ],
      })
    }
  })

  test('is listed, but not as failing, if it sends more messages than it fails', async () => {
    await sendWith(400)
    await sendWith(200)
    await fold()
    await sendWith(200)
    expect(await health(integrationFields)).toMatchObject({
      integrations: [{ failing: false, sent: 2, failed: 1, failedAttempts: 1, lastFailure: { status: 'FAILED' } }],
    })
  })

  test('is listed without its name after it was deleted', async () => {
    await sendWith(400)
    const { integration } = await acme.ask('{ integration(identifier: "email_webhook") { id } }')
    await done(acme, 'deleteIntegration', { id: integration.id })
    expect(await health(integrationFields)).toMatchObject({
      integrations: [{ integrationIdentifier: 'email_webhook', integration: null }],
    })
  })

  test.each([
    [undefined, '11:09', '11:10'],
    [15, '10:24', '10:25'],
    [180, '13:09', '13:10'],
  ])('is listed for %s minutes', async (minutes, last, over) => {
    await sendWith(400)
    for (const added of [false, true]) {
      if (added) await fold()
      world.setClock(at(last))
      expect((await health(integrationFields, acme, minutes)).integrations).toHaveLength(1)
      world.setClock(at(over))
      expect((await health(integrationFields, acme, minutes)).integrations).toEqual([])
    }
  })

  test.each([0, 181, -1])('cannot be read for %s minutes', async (minutes) => {
    const { errors } = await acme.send(`{ deliveryHealth(minutes: ${minutes}) { since } }`)
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^minutes must be at (least 1|most 180)$/) }])
  })
})

describe('a workflow', () => {
  test('is listed with its failed messages and the messages that could not be rendered', async () => {
    await createMail()
    await createWorkflow(acme, [{ inApp: { ...bell.inApp, url: '{{payload.url}}' } }], { identifier: 'news' })
    await createWorkflow(acme, [bell], { identifier: 'fine' })
    await sendWith(400)
    await trigger(acme, { name: 'news', payload: { url: 'javascript:alert(1)' } })
    await trigger(acme, { name: 'fine' })
    await world.work()
    expect(await health(workflowFields)).toEqual({
      workflows: [
        { workflowIdentifier: 'news', workflow: { suspension: null }, failedRuns: 0, failedMessages: 1 },
        { workflowIdentifier: 'order', workflow: { suspension: null }, failedRuns: 0, failedMessages: 1 },
      ],
    })
  })

  test('is listed with its failed runs, until they are retried', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    const { pool } = world.database
    await pool.query('ALTER TABLE notifications RENAME TO misplaced')
    await world.work({ early: true })
    await pool.query('ALTER TABLE misplaced RENAME TO notifications')
    expect(await health(workflowFields)).toMatchObject({
      workflows: [{ workflowIdentifier: 'order', failedRuns: 1, failedMessages: 0 }],
    })
    const { workflowRuns } = await acme.ask('{ workflowRuns { nodes { id } } }')
    await done(acme, 'retryWorkflowRun', { id: workflowRuns.nodes[0].id })
    expect(await health(workflowFields)).toEqual({ workflows: [] })
  })

  test('is listed while it is suspended, and no longer after an update', async () => {
    await createWorkflow(acme, [bell])
    const { db } = world.gateway
    const environmentId = await environmentIdOf(acme)
    const { id, updatedAt } = await db.workflow.findFirstOrThrow({ where: { environmentId } })
    for (let count = 0; count < 3; count += 1) {
      await recordStop({ db, environmentId }, { workflowId: id, version: updatedAt }, 'Too slow.', world.gateway.now())
    }
    world.setClock(at('23:00'))
    expect(await health(workflowFields)).toEqual({
      workflows: [
        {
          workflowIdentifier: 'order',
          workflow: { suspension: { reason: 'Too slow.' } },
          failedRuns: 0,
          failedMessages: 0,
        },
      ],
    })
    await done(acme, 'updateWorkflow', { identifier: 'order', name: 'Faster' })
    expect(await health(workflowFields)).toEqual({ workflows: [] })
  })
})

test('failed deliveries are counted until they are retried, whenever they failed', async () => {
  await createMail()
  await sendWith(400)
  await sendWith(400)
  world.setClock(at('23:00'))
  expect(await health('failedDeliveries')).toEqual({ failedDeliveries: 2 })
  const { deliveries } = await acme.ask('{ deliveries { nodes { id } } }')
  await done(acme, 'retryDelivery', { id: deliveries.nodes[0].id })
  expect(await health('failedDeliveries')).toEqual({ failedDeliveries: 1 })
})

test('the queue shows the number of waiting jobs and the age of the oldest', async () => {
  await createMail()
  const queue = 'queue { kind due scheduled oldestDueSince }'
  const empty = { due: 0, scheduled: 0, oldestDueSince: null }
  expect(await health(queue)).toEqual({
    queue: [
      { kind: 'EVENTS', ...empty },
      { kind: 'RUNS', ...empty },
      { kind: 'MESSAGES', ...empty },
    ],
  })
  await trigger(acme, ada)
  world.setClock(at('10:12'))
  await trigger(acme, ada)
  expect((await health(queue)).queue[0]).toEqual({
    ...{ kind: 'EVENTS', due: 2, scheduled: 0 },
    oldestDueSince: at('10:10').toISOString(),
  })
  receiver.answer(503)
  await world.work()
  expect((await health(queue)).queue).toEqual([
    { kind: 'EVENTS', ...empty },
    { kind: 'RUNS', ...empty },
    { kind: 'MESSAGES', ...empty, scheduled: 2 },
  ])
})

const everything = `since ${integrationFields} ${workflowFields} failedDeliveries queue { kind due scheduled }`

test('the health of one environment is not visible in another', async () => {
  await createMail()
  await sendWith(400)
  await sendWith(503)
  await world.database.pool.query(`UPDATE workflow_runs SET status = 'failed' WHERE environment_id = $1`, [
    await environmentIdOf(acme),
  ])
  await trigger(acme, ada)
  const other = await world.environment()
  for (const added of [false, true]) {
    if (added) await fold()
    expect(await health(everything, other)).toEqual({
      since: '2026-03-14T09:11:00.000Z',
      integrations: [],
      workflows: [],
      failedDeliveries: 0,
      queue: ['EVENTS', 'RUNS', 'MESSAGES'].map((kind) => ({ kind, due: 0, scheduled: 0 })),
    })
  }
})

test('every part costs one statement for any number of rows', async () => {
  await createMail()
  await sendWith(400)
  const one = await statementsOf(() => health(everything))
  for (const name of ['b', 'c', 'd']) {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: name, primary: true })
    await done(acme, 'updateWorkflow', { identifier: 'order', name })
    await createWorkflow(acme, [mail], { identifier: name })
    receiver.answer(400)
    await trigger(acme, { ...ada, name })
    await world.work()
  }
  const many = await statementsOf(async () => {
    const { integrations, workflows } = await health(everything)
    expect([integrations.length, workflows.length]).toEqual([4, 4])
  })
  // The four statements above, and those for integrations, workflows, suspensions, deliveries and attempts.
  expect(many).toHaveLength(one.length)
  expect(many.filter((text) => !/"?api_keys"?|"environments"/.test(text))).toHaveLength(9)
})
