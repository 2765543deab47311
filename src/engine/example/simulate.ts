// Simulates the past: triggers events and executes them to the end, with a clock of its own.
import { type Delayed, endExampleMessages, type ExampleResult } from '../../data/example/example-rows.ts'
import type { Delivery } from '../../data/prisma/client.ts'
import { holdPortion } from '../../data/queue/held-job.ts'
import { type RemovedJob, removeNextJobs } from '../../data/queue/job-taking.ts'
import { advanceJobs, enqueue, type Job } from '../../data/queue/job.ts'
import { checkPayloads } from '../../domain/trigger/payload-check.ts'
import { trigger, type Trigger } from '../../domain/trigger/trigger-input.ts'
import { acceptAll, withFiles } from '../../domain/trigger/trigger.ts'
import type { ApiKeyCaller, ProviderCaller } from '../../domain/resolver/caller.ts'
import type { Past, Scope } from '../../domain/resolver/scope.ts'
import { Refusal } from '../../lib/errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { noMetrics } from '../../lib/metrics.ts'
import { createIds } from '../../lib/new-id.ts'
import { parse } from '../../lib/validation.ts'
import { advance } from '../advance.ts'
import { attemptedBy, nextAttemptAt } from '../attempt.ts'
import { fanOut } from '../fan-out.ts'
import type { Burst, ExampleTrigger } from './bursts.ts'
import { type SinkAnswer, answerInBulk, answerTo } from './sink.ts'

/** Maximum recipients and runs of one job. More than the example data has. */
const TAKE = 1_000

/** The milliseconds of the fastest attempt, and by how much others are slower. */
const FASTEST = 60
const SLOWER = 25
const PLACES = 16

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

/** What happens by a clock, without logging and metrics. */
function pastBy(clock: SetClock): Past {
  const log = { info: () => {}, warn: () => {} }
  return { now: clock.now, newId: createIds(clock.milliseconds), log, metrics: noMetrics }
}

/** The answers of the providers to a message. @param attempt from 1. */
type AnswerTo = (message: Delivery, attempt: number, at: Date) => SinkAnswer

/** Makes all attempts to send a message, until it is sent or has failed. @param index of the message among others. */
function attemptsOf(message: Delivery, index: number, begin: Date, answerOf: AnswerTo): ExampleResult {
  const attempts: ExampleResult['attempts'][number][] = []
  let startedAt = begin
  for (;;) {
    const { failure, status, answer } = answerOf(message, attempts.length + 1, startedAt)
    const endedAt = new Date(startedAt.getTime() + FASTEST + (index % PLACES) * SLOWER)
    const nextAt = nextAttemptAt({ attemptCount: attempts.length + 1 }, failure, endedAt)
    const result = { status, answer, isCaptured: false, error: failure?.reason ?? null }
    attempts.push({ startedAt, endedAt, nextAt, ...result, ...attemptedBy(message) })
    if (nextAt === null) return { deliveryId: message.id, attempts, cause: failure?.cause ?? null }
    startedAt = nextAt
  }
}

/** Ends the pending messages with these ids, all of them at once or one after the other. */
async function endMessages(
  scope: Scope,
  clock: SetClock,
  ids: readonly string[],
  answerOf: (index: number) => AnswerTo,
  pace = 0,
): Promise<void> {
  if (ids.length === 0) return
  const { db, environmentId } = scope
  const pending = await db.delivery.findMany({
    where: { environmentId, id: { in: [...ids] } },
    orderBy: { id: 'asc' },
  })
  const results = pending.map((message, index) => {
    const result = attemptsOf(message, index, clock.now(), answerOf(index))
    clock.pass(pace)
    return result
  })
  const ready = await endExampleMessages(scope, results)
  // What follows a message happens after it.
  clock.pass(FASTEST + PLACES * SLOWER)
  const runsOfEvents = groupBy(ready, ({ eventId }) => eventId)
  await enqueue(
    scope,
    [...runsOfEvents.values()].flatMap((runs) => advanceJobs(runs.map(({ id }) => id))),
  )
}

const messagesOf = (jobs: readonly RemovedJob[]): string[] =>
  jobs.flatMap(({ queue, data }) => (queue === 'deliver' ? [data.deliveryId] : []))

interface Period {
  /** By this time, everything except paused work has ended. */
  readonly end: Date
  /** The id of a paused integration. Its messages wait. */
  readonly pausedId: string | undefined
}

/** Executes the jobs that become available by the end, those of the same time together. */
async function executeAll(scope: Scope, clock: SetClock, { end, pausedId }: Period): Promise<void> {
  const next = async () => {
    if (pausedId !== undefined) await holdPortion(scope, pausedId, clock.now())
    return removeNextJobs(scope, end)
  }
  for (let jobs = await next(); jobs[0] !== undefined; jobs = await next()) {
    clock.reach(jobs[0].availableAt)
    // The previous jobs may have changed the loaded rows.
    scope.forget()
    const fanOuts = jobs.filter((job) => job.queue === 'fan_out')
    if (fanOuts.length > 0) await fanOut(scope, fanOuts, TAKE)
    for (const job of jobs) if (job.queue === 'advance') await advance(scope, job, TAKE)
    const answerOf: AnswerTo = (message, attempt, at) => answerTo(message, attempt, at, end)
    await endMessages(scope, clock, messagesOf(jobs), () => answerOf)
  }
}

/** Returns the triggers as the resolver reads them, with stored files, and the checks of their payloads. Call it outside of transactions. */
async function readTriggers(scope: Scope, given: readonly ExampleTrigger[]) {
  const triggers: Trigger[] = []
  for (const one of given) triggers.push(await withFiles(scope, parse(trigger, one)))
  return { triggers, checks: await checkPayloads(scope, triggers) }
}

/** Triggers events at the same time. @returns their ids. */
async function triggerAll(
  scope: Scope,
  { triggers, checks }: Awaited<ReturnType<typeof readTriggers>>,
): Promise<readonly string[]> {
  return (await acceptAll(scope, triggers, checks)).map((result) => {
    if (result instanceof Refusal) throw result
    if (result.event === null) throw new Error(`an example trigger is invalid: ${result.errors.join()}`)
    return result.event.id
  })
}

/**
 * Triggers the events of a burst and executes them, in one transaction, so that workers only see jobs that are paused.
 * They are executed together, in few statements.
 *
 * @returns the events, and how much later each is to be.
 */
export async function simulate(
  creator: Scope,
  caller: ApiKeyCaller,
  { at, triggers, delays }: Burst,
  period: Period,
): Promise<readonly Delayed[]> {
  const clock = new SetClock(at)
  const past = creator.pastOf(caller, pastBy(clock))
  const read = await readTriggers(past, triggers)
  return past.transaction(async (scope) => {
    const eventIds = await triggerAll(scope, read)
    await executeAll(scope, clock, period)
    return eventIds.map((eventId, index) => ({ eventId, milliseconds: delays?.[index] ?? 0 }))
  })
}

/** Returns a scope at a time in the past. @param creator the scope that created the caller's environment */
export const scopeAt = (creator: Scope, caller: ApiKeyCaller | ProviderCaller, time: Date): Scope =>
  creator.pastOf(caller, pastBy(new SetClock(time)))

/** Milliseconds between the messages of a large event. */
const PACE = 20

interface LargeBurst {
  readonly at: Date
  /** Of a workflow that only sends one message to each recipient. */
  readonly trigger: ExampleTrigger
  readonly end: Date
}

/**
 * Triggers an event for many recipients and executes it in pages, each in one transaction. Workers see none of its jobs:
 * the job of the next page is only kept here.
 *
 * @param follow called with the number of recipients so far.
 */
export async function simulateInPages(
  creator: Scope,
  caller: ApiKeyCaller,
  { at, trigger: given, end }: LargeBurst,
  follow: (recipients: number) => void,
): Promise<void> {
  const clock = new SetClock(at)
  const past = creator.pastOf(caller, pastBy(clock))
  /** Ends the messages of a page. @returns the job of the next page. */
  const endPage = async (scope: Scope): Promise<Job<'fan_out'> | undefined> => {
    const jobs = await removeNextJobs(scope, end)
    await endMessages(scope, clock, messagesOf(jobs), (index) => () => answerInBulk(index), PACE)
    return jobs.find((job) => job.queue === 'fan_out')
  }
  const read = await readTriggers(past, [given])
  let page = await past.transaction(async (scope) => {
    await triggerAll(scope, read)
    return endPage(scope)
  })
  let recipients = 0
  while (page !== undefined) {
    const job: Job<'fan_out'> = page
    const { count, next } = await past.transaction(async (scope) => ({
      count: await fanOut(scope, [job], TAKE),
      next: await endPage(scope),
    }))
    recipients += count
    follow(recipients)
    page = next
  }
}
