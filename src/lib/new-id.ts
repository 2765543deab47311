// UUIDs of version 7 (RFC 9562), which sort in the order of their creation.
import { randomUUID } from 'node:crypto'

/** The nil UUID, which sorts before every id. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

/** The number of ordered ids per millisecond: 12 bits. */
const MAX_COUNT = 0x1000

/**
 * Returns a generator whose ids ascend: each has the time in milliseconds, a counter within the millisecond and 62
 * random bits. Their random bits come from Node's own pool, because asking the system for them takes longer than
 * everything else.
 */
export function createIds(now: () => number = Date.now): () => string {
  let time = -1
  let count = 0
  /** The time, formatted as the beginning of an id. */
  let prefix = ''
  const begin = (next: number) => {
    time = next
    count = 0
    const digits = time.toString(16).padStart(12, '0')
    prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
  }
  return () => {
    const current = now()
    count += 1
    if (current > time) begin(current)
    // Also true if the clock was set back. If the counter is used up, the next millisecond begins early.
    else if (count === MAX_COUNT) begin(time + 1)
    return `${prefix}${count.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`
  }
}

/** Returns the next id of this process. */
export const newId = createIds()
