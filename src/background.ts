// The background work on one database: its worker and its housekeeping.
import type { Logger } from 'pino'
import { KeyUses } from './data/access/key-uses.ts'
import type { Clock } from './data/connection/clock.ts'
import type { Database } from './data/connection/database.ts'
import { loggable } from './data/driver/database-errors.ts'
import { createProviderHealth, type ProviderHealth } from './delivery/sending/provider-health.ts'
import { createWorker, type Worker, type WorkerOptions } from './delivery/worker/worker.ts'
import type { Gateway } from './domain/resolver/scope.ts'
import { createHousekeeping, type Housekeeping, type HousekeepingOptions } from './engine/housekeeping/housekeeping.ts'

export interface BackgroundOptions
  extends
    Pick<WorkerOptions, 'outbound' | 'messageConcurrency' | 'embedded'>,
    Pick<HousekeepingOptions, 'retention' | 'stopwatch'> {
  readonly gateway: Gateway
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}

export interface Background {
  readonly worker: Worker
  readonly housekeeping: Housekeeping
  readonly health: ProviderHealth
  start(): Promise<void>
  /** Finishes the jobs in progress. */
  stop(): Promise<void>
  /** Writes what waits in memory. What cannot be written is logged and lost. */
  flush(): Promise<void>
}

export function createBackground(options: BackgroundOptions): Background {
  const { gateway: shared, database, clock, logger, embedded, stopwatch, retention, ...sending } = options
  const gateway: Gateway = {
    ...shared,
    db: database.background,
    // The main database has all API keys, so its housekeeping writes their uses.
    ...(shared.database !== null && { keyUses: new KeyUses() }),
  }
  const health = createProviderHealth(logger)
  const worker = createWorker({ gateway, clock, database, logger, embedded, stopwatch, health, ...sending })
  const housekeeping = createHousekeeping({ gateway, logger, embedded, stopwatch, retention })
  return {
    worker,
    housekeeping,
    health,
    async start() {
      housekeeping.start()
      await worker.start()
    },
    async stop() {
      await Promise.all([worker.stop(), housekeeping.stop()])
    },
    async flush() {
      await housekeeping.perform('unprocessed_triggers').catch((error: unknown) => {
        logger.warn({ err: loggable(error) }, 'unprocessed triggers not recorded')
      })
      await housekeeping.perform('key_uses').catch((error: unknown) => {
        logger.warn({ err: loggable(error) }, 'last uses of API keys not recorded')
      })
      await housekeeping.perform('connected_subscribers').catch((error: unknown) => {
        logger.warn({ err: loggable(error) }, 'ends of connections not recorded')
      })
    },
  }
}
