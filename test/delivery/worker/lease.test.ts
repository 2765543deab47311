// Leases of messages: which process sends a slow message, and what happens if that process was suspended.
import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { createWorker, type WorkerOptions } from '../../../src/delivery/worker/worker.ts'
import { until } from '../../support/process/gateway-process.ts'
import { type Client, useWorld } from '../../support/world.ts'
import { holdAnswers, useReceiver } from '../../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, trigger } from '../../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
const start = Date.UTC(2030, 0, 1)
/** The log lines of the processes. */
let logged: Record<string, unknown>[]
let acme: Client

/** Seconds since `start`, measured by the clock of the database. */
function setTime(seconds: number): void {
  world.setClock(new Date(start + seconds * 1_000))
}

beforeEach(async () => {
  setTime(0)
  logged = []
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }])
  await trigger(acme, { to: { subscriberId: 'ada', email: 'ada@example.com' } })
})

afterEach(() => {
  vi.useRealTimers()
  world.setClock(undefined)
})

/** The worker of a process of its own. */
function openWorker(options: Partial<WorkerOptions> = {}) {
  const { gateway, database } = world
  return createWorker({
    gateway,
    database,
    clock: { now: gateway.now, measure: (read) => read() },
    outbound: createOutbound({ allowPrivateAddresses: true }),
    logger: pino({ level: 'debug' }, { write: (line) => logged.push(JSON.parse(line) as Record<string, unknown>) }),
    stopwatch: () => gateway.now().getTime(),
    embedded: true,
    ...options,
  })
}

/** The deliveries with their attempts, and the number of remaining jobs. */
async function outcome() {
  const { deliveries } = await acme.ask('{ deliveries { nodes { status attempts { number status error } } } }')
  return { deliveries: deliveries.nodes, jobs: await world.gateway.db.job.count() }
}

const sentOnce = { deliveries: [{ status: 'SENT', attempts: [{ number: 1, status: 200, error: null }] }], jobs: 0 }

test('a message that takes longer than its lease keeps it, and no other process sends it', async () => {
  const answers = holdAnswers(receiver)
  // Fakes only the timers of the process. The database and the provider need none.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sending = openWorker().drain()
  await answers.waiting(1)
  const other = openWorker()
  for (let seconds = 3; seconds <= 15; seconds += 3) {
    setTime(seconds)
    vi.advanceTimersByTime(3_000)
    const isRenewed = { availableAt: new Date(start + (seconds + 10) * 1_000) }
    await until(async () => (await world.gateway.db.job.findFirst({ where: isRenewed })) ?? undefined)
    await other.drain()
    expect(receiver.received).toHaveLength(1)
  }
  answers.release()
  await sending
  expect(receiver.received).toHaveLength(1)
  expect(await outcome()).toEqual(sentOnce)
})

test('a process that was suspended leaves messages that it has not begun to send to another process', async () => {
  const { gateway } = world
  // The process is suspended when it has just taken the message.
  let stalled = 0
  const sleepy = openWorker({
    stopwatch: () => gateway.now().getTime() + stalled,
    clock: {
      now: gateway.now,
      async measure(read) {
        const result = await read()
        const taken = 'jobs' in result && Array.isArray(result.jobs) ? result.jobs : []
        if (taken.some(({ queue }) => queue === 'deliver')) stalled = 10_000
        return result
      },
    },
  })
  await sleepy.drain()
  expect(receiver.received).toEqual([])
  expect(logged).toContainEqual(expect.objectContaining({ msg: 'message left to another process' }))
  setTime(10)
  await openWorker().drain()
  expect(receiver.received).toHaveLength(1)
  expect(await outcome()).toEqual(sentOnce)
})

describe('a process that was suspended while it sent a message', () => {
  /**
   * The requests that wait for a response: that of the first process, and that of the process that took the message
   * over.
   */
  let waiting: ServerResponse[]

  /** Suspends a process after its request, and lets another one take the message over. @returns the work of both. */
  async function takeOver(): Promise<readonly [Promise<void>, Promise<void>]> {
    waiting = []
    receiver.respond((response) => waiting.push(response))
    const requested = (count: number) => until(async () => (waiting.length === count ? true : undefined))
    // Its timers do not run, so it renews no leases.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const sending = openWorker().drain()
    await requested(1)
    setTime(10)
    const sendingAgain = openWorker().drain()
    await requested(2)
    const [first, second] = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(second).toBe(first)
    setTime(11)
    return [sending, sendingAgain]
  }

  const respond = (index: number, status: number) => void waiting[index]?.writeHead(status).end()
  const attempts = [
    { number: 1, status: 200, error: null },
    { number: 2, status: 200, error: null },
  ]

  test('does not record the attempt again if the other process has', async () => {
    const [sending, sendingAgain] = await takeOver()
    respond(1, 200)
    await sendingAgain
    const recorded = await world.gateway.db.delivery.findFirstOrThrow()
    setTime(12)
    respond(0, 200)
    await sending
    expect(await outcome()).toEqual({ deliveries: [{ status: 'SENT', attempts }], jobs: 0 })
    expect(await world.gateway.db.delivery.findFirstOrThrow()).toEqual(recorded)
  })

  test('records that it was sent, even if the attempt of the other process fails for good afterwards', async () => {
    const [sending, sendingAgain] = await takeOver()
    respond(0, 200)
    await sending
    respond(1, 400)
    await sendingAgain
    expect(await outcome()).toMatchObject({ deliveries: [{ status: 'SENT' }], jobs: 0 })
  })

  test('leaves the next attempt to the other process if its own failed', async () => {
    const [sending, sendingAgain] = await takeOver()
    respond(0, 503)
    await sending
    const failed = { number: 1, status: 503, error: expect.any(String) }
    expect(await outcome()).toEqual({ deliveries: [{ status: 'PENDING', attempts: [failed] }], jobs: 1 })
    respond(1, 200)
    await sendingAgain
    expect(await outcome()).toEqual({ deliveries: [{ status: 'SENT', attempts: [failed, attempts[1]] }], jobs: 0 })
  })
})
