// A worker in the process of a test, which follows the clock of the test and logs nothing.
import { pino } from 'pino'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { createWorker } from '../../../src/delivery/worker/worker.ts'
import type { useWorld } from '../world.ts'

type Options = Partial<Pick<Parameters<typeof createWorker>[0], 'messageConcurrency' | 'outbound'>>

export const quietWorker = ({ gateway, database }: ReturnType<typeof useWorld>, options: Options = {}) =>
  createWorker({
    gateway,
    clock: { now: gateway.now, measure: (read) => read() },
    database,
    outbound: createOutbound({ allowPrivateAddresses: true }),
    logger: pino({ level: 'silent' }),
    stopwatch: () => 0,
    embedded: true,
    ...options,
  })
