// The jobs in progress by environment, and the environments that must leave room for others.

export class InProgress {
  readonly #counts = new Map<string, number>()
  #all = 0

  get all(): number {
    return this.#all
  }

  begin(environmentId: string): void {
    this.#all += 1
    this.#counts.set(environmentId, this.of(environmentId) + 1)
  }

  end(environmentId: string): void {
    this.#all -= 1
    const left = this.of(environmentId) - 1
    if (left > 0) this.#counts.set(environmentId, left)
    else this.#counts.delete(environmentId)
  }

  /** The number of jobs in progress of an environment. */
  of(environmentId: string): number {
    return this.#counts.get(environmentId) ?? 0
  }

  /** The environments with at least `limit` jobs in progress. */
  having(limit: number): string[] {
    return [...this.#counts].filter(([, count]) => count >= limit).map(([id]) => id)
  }
}
