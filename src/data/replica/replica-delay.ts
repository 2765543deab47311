// How long a replica has been behind its primary, by the clock of this process.
import { secondsSince } from '../../lib/seconds-since.ts'

/** Maximum positions that are kept. The oldest one decides. */
const MOST_POSITIONS = 1_000
/** Bytes of a page header, by which the next position of an idle primary may be ahead of its last record. */
const HEADER = 40

/** Positions of a primary that its replica had not replayed yet, with the times at which the primary had them. */
export class ReplicaDelay {
  readonly #missing: { readonly position: number; readonly at: number }[] = []

  /** Notes the current position of the primary, in bytes. */
  note(position: number): void {
    if (this.#missing.length >= MOST_POSITIONS || this.#missing.at(-1)?.position === position) return
    this.#missing.push({ position, at: performance.now() })
  }

  /**
   * Returns the time for which the replica has lacked the oldest position, in seconds. 0 if it has all of them.
   *
   * @param replayed the position up to which the replica has replayed, in bytes.
   */
  seconds(replayed: number): number {
    const from = this.#missing.findIndex(({ position }) => position > replayed + HEADER)
    this.#missing.splice(0, from === -1 ? this.#missing.length : from)
    const [oldest] = this.#missing
    return oldest === undefined ? 0 : secondsSince(oldest.at)
  }
}
