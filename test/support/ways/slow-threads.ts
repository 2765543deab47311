// Evaluation threads in which everything with a payload that is `slow` takes too long, however fast the machine is.
import { z } from 'zod'
import type { Threads } from '../../../src/evaluation/threads.ts'
import type { Evaluated } from '../../../src/evaluation/work.ts'
import { sharedThreads } from '../evaluation.ts'

const stopped = { status: 'failed', cause: 'time', message: '' } as const
const slowInput = z.object({ variables: z.object({ payload: z.object({ slow: z.literal(true) }) }) })

export function slowThreads(): Threads {
  const shared = sharedThreads()
  return {
    ...shared,
    async run(kind, inputs, limit) {
      const { outcomes, milliseconds } = await shared.run(kind, inputs, limit)
      const decided = outcomes.map((outcome, index): Evaluated<never> | typeof outcome =>
        slowInput.safeParse(inputs[index]).success ? stopped : outcome,
      )
      return { outcomes: decided, milliseconds }
    },
  }
}
