// A shard: a database beside the main one, with the work on it: watches for its requests, a worker and housekeeping.
import type { Logger } from 'pino'
import { type Background, type BackgroundOptions, createBackground } from './background.ts'
import { type Clock, createClock } from './data/connection/clock.ts'
import type { openDatabase } from './data/connection/database.ts'
import type { DatabaseLocation } from './data/driver/database-location.ts'
import { readFinished } from './data/housekeeping/finished-task.ts'
import { countOpenCircuits } from './data/queue/circuit.ts'
import { readQueueState } from './data/queue/queue-state.ts'
import { countSuspended } from './data/workflow-suspension.ts'
import { watchForOutages } from './data/driver/outage.ts'
import type { Gateway } from './domain/resolver/scope.ts'
import { openOther, type OtherDatabase, type Watching } from './domain/resolver/shared-gateway.ts'

export interface Shard extends OtherDatabase {
  readonly background: Background
}

interface ShardOptions {
  readonly name: string
  readonly main: Gateway
  readonly location: DatabaseLocation
  readonly openDatabase: typeof openDatabase
  readonly watching: Pick<Watching, 'streams' | 'stopwatch' | 'repeat'>
  readonly working: Pick<BackgroundOptions, 'outbound' | 'messageConcurrency' | 'stopwatch' | 'retention'>
  /** Default: the clock of the database. */
  readonly clock?: Clock | undefined
  readonly logger: Logger
}

/** @throws Error if the database does not answer. Nothing stays open then. */
export async function openShard(options: ShardOptions): Promise<Shard> {
  const {
    name,
    main,
    location,
    openDatabase: open,
    watching,
    working,
    clock = createClock(),
    logger: wholeLog,
  } = options
  const embedded = 'directory' in location
  const named = wholeLog.child({ database: name })
  const database = await open(location, named)
  const outage = watchForOutages(() => database.assertWrites(), named)
  const logger = outage.covering(named)
  try {
    const opened = await openOther(main, name, database, { ...watching, clock, logger })
    const background = createBackground({ ...working, gateway: opened.gateway, database, clock, logger, embedded })
    return {
      ...opened,
      background,
      async close() {
        outage.close()
        await opened.close()
      },
    }
  } catch (error) {
    outage.close()
    throw error
  }
}

/** The state of a database for the metrics. */
export const sourceOfDatabase = ({
  database,
  gateway,
  background,
}: Pick<Shard, 'database' | 'gateway' | 'background'>) => ({
  pool: database.pool,
  ping: () => database.ping(),
  readQueue: () => readQueueState(database.client, gateway.now()),
  housekeeping: background.housekeeping.progress,
  failingIntegrations: background.health.failing,
  places: background.worker.places,
  readInstallation: async () => {
    const [suspendedWorkflows, openCircuits, finished] = await Promise.all([
      countSuspended(database.client),
      countOpenCircuits(database.client),
      readFinished(database.client),
    ])
    return { suspendedWorkflows, openCircuits, finished }
  },
})
