// Webhook messages in a process that executes events and runs.
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { WebhookLoop } from '../../../src/delivery/worker/webhook-loop.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { subscribe } from '../../support/delivery/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

test('few are sent at a time beside events and runs, until they are half a minute late', async () => {
  const start = Date.now()
  world.setClock(new Date(start))
  onTestFinished(() => world.setClock(undefined))
  const client = await world.environment()
  const crm = await subscribe(client, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
  const subscribers = Array.from({ length: 40 }, (_, index) => ({ subscriberId: `reader-${index}` }))
  await client.act('createSubscribers', { subscribers })
  let [elapsed, late, isBusy] = [0, 0, true]
  const loop = new WebhookLoop({
    gateway: world.gateway,
    clock: { now: () => new Date(start + late), measure: (read) => read() },
    logger: pino({ level: 'silent' }),
    outbound: createOutbound({ allowPrivateAddresses: true }),
    stopwatch: () => elapsed,
    isBusy: () => isBusy,
  })
  const sentAfter = async (milliseconds: number) => {
    elapsed += milliseconds
    await loop.work(new AbortController().signal)
    return crm.messages().length
  }
  expect(await sentAfter(0)).toBe(5)
  expect(await sentAfter(499)).toBe(5)
  expect(await sentAfter(1)).toBe(10)
  late = 29_000
  expect(await sentAfter(500)).toBe(15)
  late = 31_000
  // The look that finds them late still takes few.
  expect(await sentAfter(500)).toBe(40)

  await client.act('createSubscriber', { subscriberId: 'ada' })
  isBusy = false
  expect(await sentAfter(0)).toBe(41)
})
