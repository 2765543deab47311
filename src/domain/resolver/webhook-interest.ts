// Caches which types of webhook messages are wanted, so that changes that nobody wants to know cost no statement.
import type { Logger } from 'pino'
import type { Connection, Database } from '../../data/connection/database.ts'
import type { StopListening } from '../../data/connection/listen.ts'
import { loggable } from '../../data/driver/database-errors.ts'
import { readWantedTypes, WEBHOOK_TYPES_CHANNEL, type WantedTypes } from '../../data/webhook/webhook-subscription.ts'
import { Freshness } from './freshness.ts'

export interface WebhookInterest {
  /**
   * Returns the types that the active subscriptions of an environment want, at most a second old. Usually needs no
   * statement: `db` reads them if they have just changed, or while the LISTEN connection is lost.
   */
  readonly typesOf: (environmentId: string, db: Connection) => Promise<ReadonlySet<string>>
  /** Returns the environments whose active subscriptions want a type, as `typesOf` does. */
  readonly environmentsOf: (type: string, db: Connection) => Promise<readonly string[]>
  /** Reads the types of an environment again. All processes do so automatically when a change is committed. */
  readonly forget: (environmentId: string) => void
  /** Stops listening. */
  readonly close: StopListening
}

const none: ReadonlySet<string> = new Set()

const byEnvironment = (rows: readonly WantedTypes[]): Map<string, ReadonlySet<string>> =>
  new Map(rows.map(({ environmentId, types }) => [environmentId, new Set(types)]))

/**
 * Reads what all environments want. Database triggers announce each change of a subscription.
 *
 * @param stopwatch milliseconds from an arbitrary start. @throws if LISTEN fails, or the database does not answer.
 */
export async function openWebhookInterest(
  { client, listen, catchUp }: Pick<Database, 'client' | 'listen' | 'catchUp'>,
  stopwatch: () => number,
  log: Pick<Logger, 'warn'>,
): Promise<WebhookInterest> {
  const freshness = new Freshness(catchUp, stopwatch)
  let wanted = new Map<string, ReadonlySet<string>>()
  /** The environments that have changed since they were read. */
  const changed = new Set<string>()
  /** False if any environment may have changed since all were read. */
  let isComplete = false

  /** Reads all environments. If one changes meanwhile, they stay incomplete. */
  async function readAll(): Promise<void> {
    const isFresh = freshness.begin()
    const rows = await readWantedTypes(client)
    if (!isFresh()) return
    wanted = byEnvironment(rows)
    changed.clear()
    isComplete = true
  }

  async function read(environmentId: string, db: Connection): Promise<ReadonlySet<string>> {
    const isFresh = freshness.begin()
    const types = byEnvironment(await readWantedTypes(db, environmentId)).get(environmentId)
    if (isComplete && isFresh()) {
      if (types === undefined) wanted.delete(environmentId)
      else wanted.set(environmentId, types)
      changed.delete(environmentId)
    }
    return types ?? none
  }

  let reading: Promise<void> | undefined
  /** Reads all environments in the background, because a caller may hold the only connection. */
  const complete = () => {
    reading ??= readAll()
      .catch((error: unknown) => log.warn({ err: loggable(error) }, 'webhook types not read: changes read them'))
      .finally(() => (reading = undefined))
  }
  const isKnown = (environmentId: string) => isComplete && freshness.isListening && !changed.has(environmentId)
  const forget = (environmentId: string) => {
    freshness.change()
    changed.add(environmentId)
  }
  const setListening = (isListening: boolean) => {
    freshness.isListening = isListening
    freshness.change()
    isComplete = false
    if (isListening) complete()
  }
  const close = await listen(WEBHOOK_TYPES_CHANNEL, {
    onMessage: forget,
    onDisconnect: () => setListening(false),
    onReconnect: () => setListening(true),
  })
  try {
    await readAll()
  } catch (error) {
    close()
    throw error
  }
  return {
    async typesOf(environmentId, db) {
      if (isKnown(environmentId) && (freshness.isCertain || (await freshness.ascertain()))) {
        // A change received meanwhile may concern the environment.
        if (isKnown(environmentId)) return wanted.get(environmentId) ?? none
      }
      if (!isComplete && freshness.isListening) complete()
      return read(environmentId, db)
    },
    async environmentsOf(type, db) {
      const isCertain = freshness.isCertain || (await freshness.ascertain())
      const isCurrent = isCertain && isComplete && freshness.isListening && changed.size === 0
      const current = isCurrent ? wanted : byEnvironment(await readWantedTypes(db))
      return [...current].flatMap(([environmentId, types]) => (types.has(type) ? environmentId : []))
    },
    forget,
    close,
  }
}
