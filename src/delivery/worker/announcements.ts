// Announcements of new jobs: which loop looks for them, and whether it looks again when it is done. A look costs a
// statement, so an environment whose work is in progress is not looked up before that work is done.

export class Announcements {
  readonly #isInProgress: (environmentId: string) => boolean
  readonly #wake: () => void
  #looking = false
  /** The environments announced during the look, which may or may not have found their jobs. */
  readonly #early = new Set<string>()
  /** The environments announced while their work is in progress. */
  readonly #kept = new Set<string>()

  /** @param wake makes an idle loop look for jobs. */
  constructor(isInProgress: (environmentId: string) => boolean, wake: () => void) {
    this.#isInProgress = isInProgress
    this.#wake = wake
  }

  /**
   * Notes that an environment has new jobs. If its work is in progress, the loop that performs it looks again
   * afterwards.
   */
  announce(environmentId: string): void {
    if (this.#looking) this.#early.add(environmentId)
    else if (this.#isInProgress(environmentId)) this.#kept.add(environmentId)
    else this.#wake()
  }

  /**
   * Looks for jobs, one look at a time.
   *
   * @param take takes jobs and counts their environments as in progress.
   */
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

  /** True if the environment was announced since its jobs were taken. Call it when its work ends. */
  end(environmentId: string): boolean {
    return this.#kept.delete(environmentId)
  }
}
