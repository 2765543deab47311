// Message statistics and the health of deliveries by contexts: the numbers of one tenant.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { foldStatistics } from '../../src/data/monitoring/message-statistics.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const text = { sms: { stepId: 'text', body: 'Hello' } }
const ada = { to: { subscriberId: 'ada', email: 'ada@example.com', phone: '+4512345678' } }
const none = { sent: 0, failed: 0, cancelled: 0, skipped: 0 }

/** The day of the tests, on which the clock stands still. */
const at = (time: string) => new Date(`2026-03-14T${time}:00Z`)

beforeEach(async () => {
  world.setClock(at('10:10'))
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
})
afterEach(() => world.setClock(undefined))

/** Sends the messages of one event of a tenant. */
async function send(context: object | undefined, more: object = {}): Promise<void> {
  await trigger(acme, { ...ada, ...(context && { context }), ...more })
  await world.work()
}

const query = `query ($interval: StatisticsInterval!, $filter: MessageStatisticsFilter) {
  messageStatistics(from: "2026-03-14T10:00:00Z", to: "2026-03-14T10:30:00Z", interval: $interval, filter: $filter) {
    sent failed cancelled skipped
  }
}`

/** The counts of the only hour or day, or of all minutes that have any. */
async function counts(filter?: object, { client = acme, interval = 'HOUR' } = {}) {
  const { messageStatistics } = await client.ask<{ messageStatistics: object[] }>(query, { interval, filter })
  const found = messageStatistics.filter((one) => Object.values(one).some((count) => count > 0))
  expect(found.length).toBeLessThan(2)
  return found[0] ?? none
}
const ofTenant = (...contextKeys: string[]) => counts({ contextKeys })

async function fold(): Promise<void> {
  while ((await foldStatistics(world.gateway.db, 100)) > 0);
  while ((await foldStatistics(world.gateway.db, 100, 'contexts')) > 0);
}

test('each tenant has its own numbers, and the total has all', async () => {
  await createWorkflow(acme, [bell, mail, text])
  await send({ tenant: 'acme' })
  await send({ tenant: 'globex' })
  await send({ tenant: 'acme', app: 'web' })
  await send(undefined)
  receiver.answer(400)
  await send({ tenant: 'acme' })
  for (const added of [false, true]) {
    if (added) await fold()
    expect(await ofTenant('tenant:acme')).toEqual({ ...none, sent: 3, failed: 1, skipped: 2 })
    expect(await ofTenant('tenant:globex')).toEqual({ ...none, sent: 2, skipped: 1 })
    expect(await ofTenant('tenant:acme', 'app:web')).toEqual({ ...none, sent: 2, skipped: 1 })
    expect(await ofTenant('tenant:unknown')).toEqual(none)
    expect(await counts()).toEqual({ ...none, sent: 9, failed: 1, skipped: 5 })
    for (const interval of ['MINUTE', 'DAY']) {
      expect(await counts({ contextKeys: ['tenant:globex'] }, { interval })).toEqual({ ...none, sent: 2, skipped: 1 })
    }
  }
})

test('the filter takes a workflow and a channel of the tenant, too', async () => {
  await createWorkflow(acme, [bell, text])
  await createWorkflow(acme, [bell], { identifier: 'news' })
  await send({ tenant: 'acme' })
  await send({ tenant: 'acme' }, { name: 'news' })
  for (const added of [false, true]) {
    if (added) await fold()
    const contextKeys = ['tenant:acme']
    expect(await counts({ contextKeys, workflowIdentifier: 'news' })).toEqual({ ...none, sent: 1 })
    expect(await counts({ contextKeys, channel: 'SMS' })).toEqual({ ...none, skipped: 1 })
    expect(await counts({ contextKeys, workflowIdentifier: 'order', channel: 'IN_APP' })).toEqual({ ...none, sent: 1 })
  }
})

test('a cancelled message counts for its tenant', async () => {
  await createWorkflow(acme, [mail])
  receiver.answer(503)
  const transactionId = await trigger(acme, { ...ada, context: { tenant: 'acme' } })
  await world.work()
  await done(acme, 'cancelEvent', { transactionId })
  expect(await ofTenant('tenant:acme')).toEqual({ ...none, cancelled: 1 })
})

test('messages of processes of an earlier version, which write no contexts of runs and messages, count too', async () => {
  await createWorkflow(acme, [mail, text])
  receiver.answer(503)
  await send({ tenant: 'acme' })
  const { pool } = world.database
  for (const table of ['workflow_runs', 'deliveries']) {
    await pool.query(`UPDATE ${table} SET context_keys = NULL, workflow_identifier = NULL`)
  }
  receiver.answer(200)
  await world.work({ early: true })
  expect(await ofTenant('tenant:acme')).toEqual({ ...none, sent: 1, skipped: 1 })
})

test('messages without context write nothing by context, and a reading is one statement', async () => {
  await createWorkflow(acme, [bell, mail, text])
  await send(undefined)
  const { rows } = await world.database.pool.query('SELECT FROM context_statistics_changes WHERE environment_id = $1', [
    await environmentIdOf(acme),
  ])
  expect(rows).toEqual([])
  const sent = await statementsOf(() => ofTenant('tenant:acme'))
  expect(sent.filter((statement) => statement.includes('statistics'))).toHaveLength(1)
})

test('another environment has the same context, and numbers of its own', async () => {
  const other = await world.environment()
  await createWorkflow(acme, [bell])
  await send({ tenant: 'acme' })
  await fold()
  expect(await counts({ contextKeys: ['tenant:acme'] }, { client: other })).toEqual(none)
})

test('an empty set of contexts is rejected, in statistics and in the health', async () => {
  const message = 'contextKeys must have at least one context'
  const { errors } = await acme.send(query, { interval: 'HOUR', filter: { contextKeys: [] } })
  expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } }])
  const health = await acme.send('{ deliveryHealth(contextKeys: []) { failedDeliveries } }')
  expect(health.errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }])
})

test('the health of one tenant has its failures only', async () => {
  await createWorkflow(acme, [mail])
  receiver.answer(400)
  await send({ tenant: 'acme' })
  receiver.answer(200)
  await send({ tenant: 'globex' })
  const healthOf = async (contextKeys: string[]) => {
    const { deliveryHealth } = await acme.ask(
      `query ($contextKeys: [String!]) { deliveryHealth(contextKeys: $contextKeys) {
        integrations { integrationIdentifier sent failed failedAttempts }
        workflows { workflowIdentifier failedMessages }
        failedDeliveries
      } }`,
      { contextKeys },
    )
    return deliveryHealth
  }
  for (const added of [false, true]) {
    if (added) await fold()
    expect(await healthOf(['tenant:acme'])).toEqual({
      integrations: [{ integrationIdentifier: 'email_webhook', sent: 0, failed: 1, failedAttempts: 1 }],
      workflows: [{ workflowIdentifier: 'order', failedMessages: 1 }],
      failedDeliveries: 1,
    })
    expect(await healthOf(['tenant:globex'])).toEqual({ integrations: [], workflows: [], failedDeliveries: 0 })
  }
})

test('they are kept as long as events, by minute for a day, and go with their environment', async () => {
  await createWorkflow(acme, [mail])
  await send({ tenant: 'acme' })
  await fold()
  const id = await environmentIdOf(acme)
  const stored = async () => {
    const sql = 'SELECT DISTINCT granularity FROM context_statistics WHERE environment_id = $1 ORDER BY granularity'
    return (await world.database.pool.query<{ granularity: string }>(sql, [id])).rows.map((row) => row.granularity)
  }
  expect(await stored()).toEqual(['minute', 'hour', 'day'])
  world.setClock(new Date('2026-03-15T12:00:00Z'))
  await housekeepingOf(world).perform('retention')
  expect(await stored()).toEqual(['hour', 'day'])
  const { environment } = await acme.ask('{ environment { id } }')
  await done(world.development, 'deleteEnvironment', { id: environment.id })
  await housekeepingOf(world).perform('deletion')
  expect(await stored()).toEqual([])
})
