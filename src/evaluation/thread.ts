// The entry of an evaluation thread: evaluates the items of a batch, one after the other, within time limits.
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { knownDialects } from './schema-compiler.ts'
import { TimeLimitExceeded, within } from './time-limit.ts'
import { evaluateItem, failureOf, type Input, type Kind, type Evaluated, type Output } from './work.ts'

/** Milliseconds for one item of code from callers. */
const ITEM_MILLISECONDS = 50

/**
 * Milliseconds for converting one HTML email. The code is linear and our own, but before V8 has optimized it, an
 * ordinary email of 100 KB takes more than 100 ms.
 */
const HTML_MILLISECONDS = 250

/** Milliseconds for searching one row, which is linear too. A row has a few megabytes at most. */
const ERASURE_MILLISECONDS = 600

const limitOf = (kind: Kind): number => {
  if (kind === 'htmlText') return HTML_MILLISECONDS
  return kind === 'erasure' ? ERASURE_MILLISECONDS : ITEM_MILLISECONDS
}

/** A stopped item gets a second attempt, because the first one takes far longer while the code is not compiled yet. */
const ATTEMPTS = 2

/** Milliseconds after which an attempt counts, even if the thread had little CPU time. */
const PATIENCE = 500

/** Maximum characters of results in a batch. Further items are deferred. */
const MAX_RESULT_CHARACTERS = 4_000_000

/** One batch, with shared memory in which the thread reports its progress. */
export interface ThreadBatch<Name extends Kind = Kind> {
  readonly kind: Name
  readonly inputs: readonly Input<Name>[]
  /** Items that have not started by this time are deferred. The first item always starts. */
  readonly milliseconds: number
  /** `Date.now()` at the start, and the index of the current item. */
  readonly progress: Float64Array
}

/** The CPU time of this thread in milliseconds. Undefined where it is not available: only Linux has it. */
function cpuTime(): number | undefined {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return undefined
  }
}

function evaluateWithin<Name extends Kind>(kind: Name, input: Input<Name>): Evaluated<Output<Name>> {
  let limit = limitOf(kind)
  const start = performance.now()
  for (let attempts = 0; ;) {
    const before = cpuTime()
    try {
      return { status: 'done', value: within(limit, () => evaluateItem(kind, input)) }
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) return failureOf(error)
      // The limit is in wall time. On a busy machine, the thread may have had little CPU time.
      const after = cpuTime()
      const ranForLong = before === undefined || after === undefined || after - before >= limit / 2
      if (ranForLong || performance.now() - start > PATIENCE) attempts += 1
      else limit *= 2
      if (attempts === ATTEMPTS) return { status: 'failed', cause: 'time', message: '' }
    }
  }
}

const lengthOf = (outcome: Evaluated<unknown>): number =>
  outcome.status === 'done' && typeof outcome.value === 'object' && outcome.value !== null
    ? Object.values(outcome.value).reduce<number>(
        (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
        0,
      )
    : 0

/** Returns the outcomes of the evaluated items, which are the first ones. */
export default function evaluateBatch<Name extends Kind>({
  kind,
  inputs,
  milliseconds,
  progress,
}: ThreadBatch<Name>): readonly Evaluated<Output<Name>>[] {
  progress[0] = Date.now()
  const start = performance.now()
  const outcomes: Evaluated<Output<Name>>[] = []
  let characters = 0
  for (const [index, input] of inputs.entries()) {
    if (index > 0 && (performance.now() - start > milliseconds || characters > MAX_RESULT_CHARACTERS)) break
    progress[1] = index
    const outcome = evaluateWithin(kind, input)
    characters += lengthOf(outcome)
    outcomes.push(outcome)
  }
  return outcomes
}

// The engines compile their code when they first run, which must not use up a caller's time. A dialect's schema takes
// 50 ms.
const warm = { text: '{% for item in list %}{{ item | upcase }}{% endfor %}', escape: 'html' } as const
evaluateItem('render', { templates: { warm }, variables: { list: ['a', 'b'] } })
evaluateItem('condition', { rule: { some: [{ var: 'list' }, { '==': [{ var: '' }, 1] }] }, variables: { list: [1] } })
evaluateItem('validation', { schema: { properties: { a: { pattern: '^a+$' } } }, value: { a: 'a' } })
for (const $schema of knownDialects) evaluateItem('schema', { $schema, type: 'object' })
evaluateItem('htmlText', '<p>warm</p>')
