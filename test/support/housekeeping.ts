// The housekeeping of a process.
import { pino } from 'pino'
import {
  createHousekeeping,
  type Housekeeping,
  type HousekeepingOptions,
} from '../../src/engine/housekeeping/housekeeping.ts'
import type { World } from './world.ts'

interface Changed extends Partial<Pick<HousekeepingOptions, 'gateway' | 'retention' | 'embedded' | 'stopwatch'>> {
  /** Receives the lines of the log. */
  readonly logged?: Record<string, unknown>[]
}

/** @param changed overrides of the defaults. */
export const housekeepingOf = ({ gateway }: Pick<World, 'gateway'>, changed: Changed = {}): Housekeeping => {
  const { logged = [], ...options } = changed
  return createHousekeeping({
    gateway,
    logger: pino({ level: 'debug' }, { write: (line) => logged.push(JSON.parse(line)) }),
    retention: { events: undefined, feed: undefined },
    embedded: false,
    // The stopwatch stands still, so that portions grow and there are no pauses.
    stopwatch: () => 0,
    ...options,
  })
}
