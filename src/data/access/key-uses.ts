// The last uses of API keys, which wait in memory to be written together, so that no request waits for them.
import type { Connection } from '../connection/database.ts'
import { sqlCount } from '../statement/statement.ts'

/** The last use of an API key by this process. */
interface KeyUse {
  readonly environmentId: string
  readonly id: string
  readonly usedAt: Date
}

/** Has one entry for each key that was used, so callers cannot fill the memory. */
export class KeyUses {
  #waiting = new Map<string, KeyUse>()

  add(use: KeyUse): void {
    this.#waiting.set(use.id, use)
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** Writes all last uses. If that fails, they wait for the next call, unless their keys are used again. */
  async write(db: Connection): Promise<void> {
    const taken = this.#waiting
    this.#waiting = new Map()
    try {
      await writeKeyUses(db, [...taken.values()])
    } catch (error) {
      this.#waiting = new Map([...taken, ...this.#waiting])
      throw error
    }
  }
}

/** Keys that others lock are skipped: their next use is written. */
const writeKeyUses = (db: Connection, uses: readonly KeyUse[]): Promise<number> =>
  sqlCount(db, 'key-uses.writeKeyUses')`
    WITH held AS MATERIALIZED (
      SELECT key.environment_id, key.id, given.used_at
      FROM unnest(${uses.map(({ environmentId }) => environmentId)}::uuid[], ${uses.map(({ id }) => id)}::uuid[],
                  ${uses.map(({ usedAt }) => usedAt)}::timestamptz[]) AS given(environment_id, id, used_at)
      JOIN api_keys AS key ON key.environment_id = given.environment_id AND key.id = given.id
      WHERE key.last_used_at IS NULL OR key.last_used_at < given.used_at
      ORDER BY key.id FOR NO KEY UPDATE OF key SKIP LOCKED
    )
    UPDATE api_keys AS key SET last_used_at = held.used_at
    FROM held WHERE key.environment_id = held.environment_id AND key.id = held.id`
