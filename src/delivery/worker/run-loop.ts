// Executes the jobs of runs: advances them, and erases those of deleted subscribers. Other environments always have room.
import { TransactedLoop, type TransactedLoopOptions } from './transacted-loop.ts'

export class RunLoop extends TransactedLoop<'runs'> {
  constructor(options: TransactedLoopOptions) {
    super('runs', { takenAtOnce: 1, share: Math.max(1, options.concurrency - 1) }, options)
  }
}
