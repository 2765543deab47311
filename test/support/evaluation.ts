// The evaluation threads of the tests, and an evaluator for those that need no gateway. All files of a process share the
// threads, because starting one takes more than a second of CPU time. They end with the process.
import { createEvaluator, requestBudget } from '../../src/evaluation/evaluator.ts'
import { createThreads, type Threads } from '../../src/evaluation/threads.ts'
import type { Input, Kind, Evaluated, Output } from '../../src/evaluation/work.ts'

const threads = createThreads(() => {})

/** The shared threads, which stay open when a gateway closes. */
export const sharedThreads = (): Threads => ({ ...threads, close: async () => {} })

const evaluator = createEvaluator(() => {}, { threads })

/** The evaluator of an environment. Each test has its own, so that tests do not use up each other's time. */
export const evaluatorOf = (environmentId: string) => evaluator.of(environmentId)

let environments = 0

/** Evaluates one item as the gateway does. */
export async function evaluate<Name extends Kind>(kind: Name, input: Input<Name>): Promise<Evaluated<Output<Name>>> {
  const [outcome] = await evaluatorOf(`test-${(environments += 1)}`)
    .begin(requestBudget)
    .run(kind, [input])
  if (outcome === undefined) throw new Error('nothing was evaluated')
  return outcome
}

/** Returns the value of one item. Throws the reason if it has none. */
export async function valueOf<Name extends Kind>(kind: Name, input: Input<Name>): Promise<Output<Name>> {
  const outcome = await evaluate(kind, input)
  if (outcome.status === 'done') return outcome.value
  throw new Error(outcome.status === 'failed' ? `${outcome.cause}: ${outcome.message}` : outcome.status)
}
