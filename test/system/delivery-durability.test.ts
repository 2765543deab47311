// Durability: acknowledged triggers are delivered despite killed processes and database outages.
import { once } from 'node:events'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { build, freshSettings, started, until } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { openProxy } from '../support/process/proxy.ts'
import {
  acceptDespiteKills,
  arrivals,
  ask,
  fillTopic,
  kill,
  MESSAGES_AT_ONCE,
  names,
  notifyDespiteKills,
  reaches,
  sendByWebhook,
  sentMessages,
  settingsOfAll,
  shareMessages,
  triggerTopic,
} from '../support/delivery/durability.ts'
import { holdAnswers, useReceiver } from '../support/delivery/receiver.ts'

const receiver = useReceiver()

// Each test starts several processes.
vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

describe('a killed process', () => {
  // On the embedded database, `npm run test:system` does this with 10,000.
  test.runIf(onServer)(
    'has notified each of 2,000 topic subscribers exactly once after several restarts (needs TEST_DATABASE_URL)',
    async () => {
      await notifyDespiteKills(2_000)
    },
  )

  test('has accepted each trigger that it acknowledged, and accepts none twice when clients repeat the others', async () => {
    await acceptDespiteKills(20, 30)
  })

  test('resends only the messages that were in flight, with the same idempotency keys', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const { gateway, address } = await started(settings)
    await fillTopic(address, names(2 * MESSAGES_AT_ONCE))
    await sendByWebhook(address, receiver)
    const answers = holdAnswers(receiver)
    await triggerTopic(address, 'news-1')
    await answers.waiting(MESSAGES_AT_ONCE)
    await kill(gateway)
    const cutOff = [...arrivals(receiver).keys()]
    expect(cutOff).toHaveLength(MESSAGES_AT_ONCE)
    answers.release()

    const again = await started(settings)
    await reaches(() => sentMessages(again.address), 2 * MESSAGES_AT_ONCE)
    const counts = arrivals(receiver)
    expect(counts.size).toBe(2 * MESSAGES_AT_ONCE)
    expect([...counts].filter(([, count]) => count === 2).map(([name]) => name)).toEqual(cutOff)
    expect([...counts.values()].filter((count) => count === 1)).toHaveLength(MESSAGES_AT_ONCE)
  })
})

test('a process that receives SIGTERM waits for a slow provider, sends nothing new and leaves the rest to the next process', async () => {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  const { gateway, address } = await started(settings)
  await fillTopic(address, names(MESSAGES_AT_ONCE + 5))
  await sendByWebhook(address, receiver)
  const answers = holdAnswers(receiver)
  await triggerTopic(address, 'news-1')
  await answers.waiting(MESSAGES_AT_ONCE)
  gateway.child.kill('SIGTERM')
  await gateway.prints(/stopping/)
  answers.release()
  expect(await gateway.ended).toBe(0)
  expect(receiver.received).toHaveLength(MESSAGES_AT_ONCE)

  const again = await started(settings)
  await reaches(() => sentMessages(again.address), MESSAGES_AT_ONCE + 5)
  expect([...arrivals(receiver).values()]).toEqual(Array.from({ length: MESSAGES_AT_ONCE + 5 }, () => 1))
  const { deliveries } = await ask(again.address, '{ deliveries(first: 100) { nodes { attempts { number status } } } }')
  for (const { attempts } of deliveries.nodes) expect(attempts).toEqual([{ number: 1, status: 200 }])
})

describe.runIf(onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
  test('three processes share 400 messages and send each one once', async () => {
    await shareMessages(receiver, 400)
  })

  test('a process keeps the results of messages while the database is unavailable, and sends none of the messages again', async () => {
    const fresh = await freshSettings()
    const settings = { ...fresh, ...settingsOfAll }
    const proxy = await openProxy(fresh['DATABASE_URL'] ?? '')
    onTestFinished(() => proxy.close())
    const { gateway, address } = await started({ ...settings, DATABASE_URL: proxy.url, LOG_LEVEL: 'debug' })
    await fillTopic(address, names(2 * MESSAGES_AT_ONCE))
    await sendByWebhook(address, receiver)
    const answers = holdAnswers(receiver)
    await triggerTopic(address, 'news-1')
    await answers.waiting(MESSAGES_AT_ONCE)
    proxy.cut()
    answers.release()
    await gateway.prints(/"msg":"database unavailable"/)
    proxy.mend()
    await reaches(() => sentMessages(address), 2 * MESSAGES_AT_ONCE)
    const counts = arrivals(receiver)
    expect(counts.size).toBe(2 * MESSAGES_AT_ONCE)
    expect(Math.max(...counts.values())).toBe(1)
    const { deliveries } = await ask(address, '{ deliveries(first: 100) { nodes { attempts { number status } } } }')
    for (const { attempts } of deliveries.nodes) expect(attempts).toEqual([{ number: 1, status: 200 }])
    expect(gateway.child.exitCode).toBeNull()
    gateway.child.kill('SIGTERM')
    await once(gateway.child, 'close')
  })

  test('short outages of the database under load cause no message to be sent twice', async () => {
    const recipients = 300
    const fresh = await freshSettings()
    const proxy = await openProxy(fresh['DATABASE_URL'] ?? '')
    onTestFinished(() => proxy.close())
    const settings = { ...fresh, ...settingsOfAll, DATABASE_URL: proxy.url, LOG_LEVEL: 'debug' }
    const { gateway, address } = await started(settings)
    await fillTopic(address, names(recipients))
    await sendByWebhook(address, receiver)
    await triggerTopic(address, 'news-1')
    const printed = (message: string, count: number) =>
      until(() => Promise.resolve(gateway.output().split(`"msg":"${message}"`).length > count || undefined))
    for (const [index, part] of [50, 150].entries()) {
      await until(() => Promise.resolve(receiver.received.length >= part || undefined), 1)
      proxy.cut()
      await printed('database unavailable', index + 1)
      proxy.mend()
      await printed('database available again', index + 1)
    }
    await reaches(() => sentMessages(address), recipients)
    const counts = arrivals(receiver)
    expect(counts.size).toBe(recipients)
    expect(Math.max(...counts.values())).toBe(1)
    const { deliveries } = await ask(address, '{ deliveries(first: 100) { nodes { attempts { number status } } } }')
    for (const { attempts } of deliveries.nodes) expect(attempts).toEqual([{ number: 1, status: 200 }])
    expect(await gateway.kill('SIGTERM')).toBe(0)
  })

  test('a process takes over the messages that a killed one was sending, as soon as their leases end', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const { gateway, address } = await started(settings)
    await fillTopic(address, names(MESSAGES_AT_ONCE))
    await sendByWebhook(address, receiver)
    const answers = holdAnswers(receiver)
    await triggerTopic(address, 'news-1')
    await answers.waiting(MESSAGES_AT_ONCE)
    const other = await started(settings)
    await kill(gateway)
    answers.release()
    await reaches(() => sentMessages(other.address), MESSAGES_AT_ONCE)
    const counts = arrivals(receiver)
    expect([...counts.values()]).toEqual(Array.from({ length: MESSAGES_AT_ONCE }, () => 2))
  })
})
