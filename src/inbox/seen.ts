// Marks the notifications that were shown as seen, each once while the list is open.
import { type Counts, type FeedNotification, markAll } from './documents.ts'
import { assertDone, GatewayError } from './errors.ts'
import type { Session } from './session.ts'

/** The largest number of ids in one mark. The list is read again after each mark, which marks the next ones. */
const MAX_MARKED = 100

export class SeenMarker {
  readonly #session: Session
  readonly #sent = new Set<string>()
  #isReadOnly = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Sends again what could not be marked. */
  reset(): void {
    this.#sent.clear()
  }

  /** @returns the counts after the change. Null without a change. */
  async mark(notifications: readonly FeedNotification[]): Promise<Counts | null> {
    const unseen = notifications.filter(({ id, seenAt }) => seenAt === null && !this.#sent.has(id))
    const ids = unseen.slice(0, MAX_MARKED).map(({ id }) => id)
    if (this.#isReadOnly || ids.length === 0) return null
    for (const id of ids) this.#sent.add(id)
    try {
      const { subscriberId, contextKeys } = await this.#session.open()
      const input = {
        subscriberId,
        contextKeys: [...contextKeys],
        as: 'SEEN' as const,
        ids,
      }
      const { markNotifications: payload } = await this.#session.send(markAll, {
        input,
      })
      assertDone(payload)
      return payload.counts
    } catch (error) {
      // A session that was signed with a read-only key can only read.
      this.#isReadOnly = error instanceof GatewayError && error.code === 'FORBIDDEN'
      throw error
    }
  }
}
