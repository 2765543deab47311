// Announcements of jobs on events: which loop looks for them, and whether one looks again when it is done. Every look is a
// statement, so none is made that finds nothing but the jobs of environments whose work is in progress.

export class Announcements {
  readonly #isInProgress: (environmentId: string) => boolean
  readonly #wake: () => void
  #looking = false
  /** The environments announced during the look: it may or may not have seen their jobs. */
  readonly #early = new Set<string>()
  /** The environments announced while their work is in progress. */
  readonly #kept = new Set<string>()

  /** @param wake lets an idle loop look. */
  constructor(isInProgress: (environmentId: string) => boolean, wake: () => void) {
    this.#isInProgress = isInProgress
    this.#wake = wake
  }

  /** An environment has new jobs. If its work is in progress, the loop that does it looks again when it is done. */
  announce(environmentId: string): void {
    if (this.#looking) this.#early.add(environmentId)
    else if (this.#isInProgress(environmentId)) this.#kept.add(environmentId)
    else this.#wake()
  }

  /** Looks for jobs, one look at a time. @param take counts the environments of the jobs found as in progress. */
  async look<Found>(take: () => Promise<Found>): Promise<Found> {
    this.#looking = true
    try {
      return await take()
    } finally {
      this.#looking = false
      const early = [...this.#early]
      this.#early.clear()
      for (const environmentId of early) this.announce(environmentId)
    }
  }

  /** True if an environment, whose work ends, was announced since its jobs were taken. */
  end(environmentId: string): boolean {
    return this.#kept.delete(environmentId)
  }
}
