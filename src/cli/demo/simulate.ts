// Simulates the past: triggers events and executes them to the end, with a clock of its own.
import { holdPortion } from '../../data/queue/held-job.ts'
import { removeNextJob } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import { triggerEvent } from '../../domain/trigger/event.ts'
import { createScope, type Gateway, type OperatorCaller, type Scope } from '../../domain/resolver/scope.ts'
import { advance } from '../../engine/advance.ts'
import { beginAttempt, endAttempt } from '../../engine/attempt.ts'
import { fanOut } from '../../engine/fan-out.ts'
import { noMetrics } from '../../lib/metrics.ts'
import { createIds } from '../../lib/new-id.ts'
import type { Burst } from './bursts.ts'
import { answerTo } from './sink.ts'

/** Maximum recipients and runs of one job. More than the demo has. */
const TAKE = 1_000

/** Milliseconds between the triggers of one burst. */
const BETWEEN = 4 * 60_000

/** A clock that can be set. */
class SetClock {
  #time: number

  constructor(time: Date) {
    this.#time = time.getTime()
  }

  readonly now = () => new Date(this.#time)
  readonly milliseconds = () => this.#time

  pass(milliseconds: number): void {
    this.#time += milliseconds
  }

  /** The clock never goes back. */
  reach(time: Date): void {
    this.#time = Math.max(this.#time, time.getTime())
  }
}

/** Returns a gateway at a time in the past, without logging and metrics. */
function gatewayAt(gateway: Gateway, clock: SetClock): Gateway {
  const log = { info: () => {}, warn: () => {} }
  return { ...gateway, now: clock.now, newId: createIds(clock.milliseconds), log, metrics: noMetrics }
}

/** Makes one attempt to send the message of a job. */
async function attempt(scope: Scope, clock: SetClock, job: Job<'deliver'>, end: Date): Promise<void> {
  const { deliveryId } = job.data
  const startedAt = clock.now()
  const message = await beginAttempt(scope, deliveryId)
  if (message === undefined) return
  if ('obstacle' in message) throw new Error(`a message of the demo cannot be sent: ${message.obstacle}`)
  const where = { environmentId_id: { environmentId: scope.environmentId, id: deliveryId } }
  const { attemptCount } = await scope.db.delivery.findUniqueOrThrow({ where, select: { attemptCount: true } })
  clock.pass(60 + (deliveryId.charCodeAt(35) % 16) * 25)
  await endAttempt(scope, job, { startedAt, ...answerTo(message, attemptCount, startedAt, end) })
}

interface Period {
  /** By this time, everything except paused work has ended. */
  readonly end: Date
  /** The id of a paused integration. Its messages wait. */
  readonly pausedId: string | undefined
}

/** Executes the jobs that become available by a time, each at its own time, and then sets the clock to that time. */
async function executeUntil(scope: Scope, clock: SetClock, by: Date, { end, pausedId }: Period): Promise<void> {
  const next = async () => {
    if (pausedId !== undefined) await holdPortion(scope, pausedId, clock.now())
    return removeNextJob(scope, by)
  }
  for (let job = await next(); job !== undefined; job = await next()) {
    clock.reach(job.availableAt)
    // The previous job may have changed the loaded rows.
    scope.forget()
    if (job.queue === 'fan_out') await fanOut(scope, [job], TAKE)
    else if (job.queue === 'advance') await advance(scope, job, TAKE)
    else if (job.queue === 'deliver') await attempt(scope, clock, job, end)
    else throw new Error(`the demo has no jobs of the queue ${job.queue}`)
  }
  clock.reach(by)
}

/**
 * Triggers the events of a burst and executes them, in one transaction, so that workers only see jobs that are paused.
 */
export async function simulate(
  gateway: Gateway,
  caller: OperatorCaller,
  { at, triggers }: Burst,
  period: Period,
): Promise<void> {
  const clock = new SetClock(at)
  await createScope(gatewayAt(gateway, clock), caller).transaction(async (scope) => {
    for (const [index, trigger] of triggers.entries()) {
      await triggerEvent(scope, trigger)
      const isLast = index === triggers.length - 1
      await executeUntil(scope, clock, isLast ? period.end : new Date(clock.milliseconds() + BETWEEN), period)
    }
  })
}

/** Returns a scope at a time in the past. */
export const scopeAt = (gateway: Gateway, caller: OperatorCaller, time: Date): Scope =>
  createScope(gatewayAt(gateway, new SetClock(time)), caller)
