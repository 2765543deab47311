// Groups work on single items, so that it is done together. While one group is in progress, the next one forms.

/** @returns the results in the order of the items. An error rejects the call with that item. */
export type GroupWork<Item, Result> = (items: readonly Item[]) => Promise<readonly (Result | Error)[]>

interface Joined<Item, Result> {
  readonly item: Item
  readonly work: GroupWork<Item, Result>
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Groups items by key. An item does not wait if no group of its key is in progress. */
export class Groups<Item, Result> {
  readonly #most: number
  /** The waiting items by key, with an entry for each group in progress. */
  readonly #waiting = new Map<string, Joined<Item, Result>[]>()

  /** @param most the maximum number of items in a group. */
  constructor(most = 100) {
    this.#most = most
  }

  /**
   * Works on an item, together with others that wait for the same group to end. The groups of a key run one after the
   * other, and the items of a group are in the order of the calls.
   *
   * @param work called once per group, with the function of its first item.
   */
  join(key: string, item: Item, work: GroupWork<Item, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const joined = { item, work, resolve, reject }
      const waiting = this.#waiting.get(key)
      if (waiting) waiting.push(joined)
      else void this.#workOn(key, [joined])
    })
  }

  async #workOn(key: string, first: readonly Joined<Item, Result>[]): Promise<void> {
    const waiting: Joined<Item, Result>[] = []
    this.#waiting.set(key, waiting)
    for (let group = first; group.length > 0; group = waiting.splice(0, this.#most)) await settle(group)
    this.#waiting.delete(key)
  }
}

/** Works on a group, and gives each item its result. */
async function settle<Item, Result>(group: readonly Joined<Item, Result>[]): Promise<void> {
  const [first] = group
  if (first === undefined) return
  try {
    const results = await first.work(group.map(({ item }) => item))
    for (const [index, { resolve, reject }] of group.entries()) {
      const result = results[index] ?? new Error('an item of a group has no result')
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
  } catch (error) {
    for (const { reject } of group) reject(error)
  }
}
