// The worker while it keeps running, as in production.
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../src/data/clock.ts'
import { createOutbound } from '../../src/delivery/outbound.ts'
import { createWorker } from '../../src/delivery/worker.ts'
import { until } from '../support/gateway-process.ts'
import { statementsOf } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'
import { holdAnswers, useReceiver } from './receiver.ts'
import { bodiesOf, createIntegration, createWorkflow, trigger } from './story.ts'

const world = useWorld()
const receiver = useReceiver()

test('a slow provider does not delay other deliveries', async () => {
  const { gateway, database } = world
  const outbound = createOutbound({ allowPrivateAddresses: true })
  const logger = pino({ level: 'silent' })
  const worker = createWorker({ gateway, clock: createClock(), database, outbound, logger, concurrency: 1 })
  const acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }])
  const answers = holdAnswers(receiver)
  await worker.start()
  onTestFinished(() => worker.stop())

  await trigger(acme, { to: { subscriberId: 'ada', email: 'ada@example.com' } })
  await answers.waiting(1)
  await trigger(acme, { to: { subscriberId: 'grace', email: 'grace@example.com' } })
  await answers.waiting(2)
  answers.release()
  const sent = '{ deliveries(filter: { status: SENT }) { totalCount } }'
  const { totalCount } = await until(async () => {
    const { deliveries } = await acme.ask(sent)
    return deliveries.totalCount === 2 ? deliveries : undefined
  })
  expect(totalCount).toBe(2)
})

test('slow providers of one environment leave room for the messages of another', async () => {
  const { gateway, database } = world
  const outbound = createOutbound({ allowPrivateAddresses: true })
  const logger = pino({ level: 'silent' })
  const worker = createWorker({ gateway, clock: createClock(), database, outbound, logger, concurrency: 1 })
  const environments = [await world.environment(), await world.environment()] as const
  for (const client of environments) {
    await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(client, [{ email: { subject: 'Hi', body: 'Hello' } }])
  }
  const [acme, globex] = environments
  const answers = holdAnswers(receiver)
  const everybody = Array.from({ length: 100 }, (_, index) => `reader-${index}`)
  await trigger(acme, { to: everybody.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` })) })
  await worker.start()
  onTestFinished(() => worker.stop())
  await answers.waiting(20)

  await trigger(globex, { to: { subscriberId: 'grace', email: 'grace@globex.com' } })
  await answers.waiting(21)
  expect(receiver.received.filter(({ body }) => body.includes('grace@globex.com'))).toHaveLength(1)
  expect(receiver.received).toHaveLength(21)
  answers.release()
})

test('a running worker looks about once for each job that arrives alone', async () => {
  const { gateway, database } = world
  const outbound = createOutbound({ allowPrivateAddresses: true })
  const logger = pino({ level: 'silent' })
  const worker = createWorker({ gateway, clock: createClock(), database, outbound, logger, concurrency: 1 })
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await worker.start()
  onTestFinished(() => worker.stop())
  const sent = await statementsOf(async () => {
    for (let count = 1; count <= 10; count += 1) {
      await trigger(acme)
      await until(async () => ((await bodiesOf(acme)).length === count ? true : undefined))
    }
  })
  const looks = sent.filter((text) => text.includes('visited(id, lap, turn)') && text.includes("queue = 'fan_out'"))
  // Some more are those of the start, and of the look once a second.
  expect(looks.length).toBeLessThan(15)
})
