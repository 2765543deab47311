// Evaluates code from callers: cheap items on the event loop, all others in threads, within budgets.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LogCounter } from '../lib/log-counter.ts'
import { type Metrics, noMetrics } from '../lib/metrics.ts'
import { isCheap, loopLimits, sizeOf } from './cheap.ts'
import { createFairQueue } from './fair-queue.ts'
import { createThreads, threadCount, type Threads, type Warn } from './threads.ts'
import { evaluateItem, failureOf, type Input, type Kind, type Evaluated, type Output } from './work.ts'

export interface Budget {
  /** Milliseconds of evaluation in threads. Items that have not started by then are deferred. */
  readonly milliseconds: number
  /** Milliseconds to wait for a free thread and the environment's share. */
  readonly patience: number
  /** True if nothing can be evaluated later. Items beyond the budget then count as stopped. */
  readonly isFinal?: boolean
  /** True in a job, whose transaction others may wait for. Items beyond the budget become a new job. */
  readonly isJob?: boolean
}

/** The largest budget of a job. */
type JobBudget = Pick<Budget, 'milliseconds' | 'patience'>

/** Milliseconds of one batch, after which its thread takes another batch. */
const BATCH = 250

/** The budget within a transaction that others wait for. */
export const jobBudget: Budget = { milliseconds: BATCH, patience: 100, isJob: true }
/**
 * The maximum budget within a transaction of a request. With an idempotency key, all work of a request is one
 * transaction.
 */
const MAX_IN_TRANSACTION: Budget = { milliseconds: 2 * BATCH, patience: BATCH }

const inTransaction = ({ milliseconds, patience, ...others }: Budget): Budget => ({
  ...others,
  milliseconds: Math.min(milliseconds, MAX_IN_TRANSACTION.milliseconds),
  patience: Math.min(patience, MAX_IN_TRANSACTION.patience),
})

/** The budget within a transaction that is rolled back. */
export const previewBudget: Budget = { milliseconds: BATCH, patience: 100, isFinal: true }
/** The budget of a caller that waits for the result outside of a transaction. */
export const requestBudget: Budget = { milliseconds: 5000, patience: 5000 }

/** One piece of work, such as a job or a request, with its budget. */
export interface Evaluation {
  /** Evaluates items. The outcomes are in the order of the items. */
  readonly run: <Name extends Kind>(
    kind: Name,
    inputs: readonly Input<Name>[],
  ) => Promise<readonly Evaluated<Output<Name>>[]>
  /** Milliseconds after which deferred items can be evaluated. 0 if immediately. */
  readonly pause: () => number
}

/** Log fields of the object whose code could not be evaluated, such as an integration. Without data from callers. */
type Fields = Readonly<Record<string, string>>

/** The evaluator of one environment. */
export interface EnvironmentEvaluator {
  readonly begin: (budget: Budget) => Evaluation
  /**
   * Logs that a condition could not be computed and a fallback was used. For all environments together, the first is
   * logged immediately, and those of the next minute together with the last one.
   */
  readonly warn: (fields: Fields) => void
}

export interface Evaluator {
  readonly of: (environmentId: string) => EnvironmentEvaluator
  /** The same for work in a transaction, with smaller budgets, because others may wait for the transaction. */
  readonly inTransactionOf: (environmentId: string) => EnvironmentEvaluator
  /** Ends the threads. */
  close(): Promise<void>
}

/** Maximum milliseconds of one turn of the event loop. */
const TURN = 5

/** Maximum characters of input in one batch. A larger item is a batch of its own. */
const MAX_BATCH_CHARACTERS = 2 * 1024 * 1024

const deferred = { status: 'deferred' } as const
const tooLate = { status: 'failed', cause: 'time', message: '' } as const

/** Evaluates one cheap item. @returns undefined if it exceeds the limits of the loop. */
function evaluateCheap<Name extends Kind>(kind: Name, input: Input<Name>): Evaluated<Output<Name>> | undefined {
  try {
    return { status: 'done', value: evaluateItem(kind, input, loopLimits) }
  } catch (error) {
    // The rendering may only have exceeded the limits of the event loop.
    return kind === 'render' ? undefined : failureOf(error)
  }
}

/** Returns how many of the items fit into one batch, at least one. */
function countInBatch(inputs: readonly unknown[]): number {
  let characters = 0
  const end = inputs.findIndex((input) => {
    characters += sizeOf(input, MAX_BATCH_CHARACTERS)
    return characters > MAX_BATCH_CHARACTERS
  })
  return end === -1 ? inputs.length : Math.max(1, end)
}

interface EvaluatorOptions {
  /** The maximum budget of a job. Default: the caller's budget. */
  readonly most?: JobBudget
  /** Ended together with the evaluator. Default: threads of its own. */
  readonly threads?: Threads
  /** Receives the time of evaluations, and stops. Default: none. */
  readonly metrics?: Metrics
}

export function createEvaluator(
  warn: Warn,
  {
    most = { milliseconds: Infinity, patience: Infinity },
    threads = createThreads(warn),
    metrics = noMetrics,
  }: EvaluatorOptions = {},
): Evaluator {
  const queue = createFairQueue({ threads: threadCount, now: () => performance.now() })
  const failedConditions = new LogCounter<Fields>((count, fields) =>
    warn({ ...fields, count }, 'condition could not be evaluated'),
  )

  function begin(environmentId: string, { isFinal = false, isJob = false, ...budget }: Budget): Evaluation {
    let left = isJob ? Math.min(budget.milliseconds, most.milliseconds) : budget.milliseconds
    const patience = isJob ? Math.min(budget.patience, most.patience) : budget.patience

    /** Evaluates as many of the items as the budget allows, from the first. */
    async function runInThread<Name extends Kind>(kind: Name, inputs: readonly Input<Name>[]) {
      const release = left > 0 ? await queue.acquire(environmentId, patience) : undefined
      if (release === undefined) return []
      let took = 0
      try {
        const batch = inputs.slice(0, countInBatch(inputs))
        const result = await threads.run(kind, batch, Math.min(left, BATCH))
        took = result.milliseconds
        return result.outcomes
      } finally {
        left -= took
        release(took)
        metrics.evaluated(kind, 'thread', took / 1000)
      }
    }

    return {
      async run<Name extends Kind>(kind: Name, inputs: readonly Input<Name>[]) {
        const outcomes: Evaluated<Output<Name>>[] = inputs.map(() => deferred)
        let rest: { readonly index: number; readonly input: Input<Name> }[] = []
        let turn = performance.now()
        let onLoop = 0
        for (const [index, input] of inputs.entries()) {
          const outcome = isCheap(kind, input) ? evaluateCheap(kind, input) : undefined
          if (outcome) outcomes[index] = outcome
          else rest.push({ index, input })
          const took = performance.now() - turn
          if (took > TURN) {
            onLoop += took
            await nextTurn()
            turn = performance.now()
          }
        }
        metrics.evaluated(kind, 'loop', (onLoop + performance.now() - turn) / 1000)
        while (rest.length > 0) {
          const batch = await runInThread(
            kind,
            rest.map(({ input }) => input),
          )
          if (batch.length === 0) break
          for (const [place, outcome] of batch.entries()) {
            const item = rest[place]
            if (item) outcomes[item.index] = outcome
          }
          const before = rest.length
          rest = rest.filter(({ index }) => outcomes[index]?.status === 'deferred')
          if (rest.length === before) break
        }
        const all = isFinal ? outcomes.map((outcome) => (outcome.status === 'deferred' ? tooLate : outcome)) : outcomes
        for (const outcome of all) {
          if (outcome.status === 'failed' && outcome.cause !== 'error') metrics.evaluationStopped(kind, outcome.cause)
        }
        return all
      },
      pause: () => queue.pauseOf(environmentId),
    }
  }

  // Created for each scope, so it uses neither a getter nor a spread, which would take longer than the rest of the
  // scope.
  const withBudgets = (limit: (budget: Budget) => Budget) => (environmentId: string) => ({
    begin: (budget: Budget) => begin(environmentId, limit(budget)),
    warn: (fields: Fields) => failedConditions.add({ environmentId, ...fields }),
  })
  return {
    of: withBudgets((budget) => budget),
    inTransactionOf: withBudgets(inTransaction),
    close() {
      failedConditions.close()
      return threads.close()
    },
  }
}
