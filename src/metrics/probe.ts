// Reads a value for a scrape, without making the scrape wait for an unavailable database.

/** Milliseconds for which a result is reused: by the metrics of one scrape, and by several Prometheus servers. */
const KEPT = 1_000
/** Milliseconds that a scrape waits. Prometheus gives up after ten seconds by default. */
const PATIENCE = 2_000

interface ProbeOptions {
  /** Milliseconds for which a result is reused. */
  readonly kept?: number
  /** Milliseconds that a caller waits. */
  readonly patience?: number
}

/**
 * @param read returns undefined if there is nothing to read yet.
 * @returns a function that resolves with the result of `read`, or with undefined if it failed or takes too long. Only
 *   one read runs at a time.
 */
export function createProbe<Result>(
  read: () => Promise<Result> | undefined,
  { kept = KEPT, patience = PATIENCE }: ProbeOptions = {},
): () => Promise<Result | undefined> {
  let latest: { readonly result: Promise<Result | undefined>; endedAt: number } | undefined
  const start = () => {
    const result = read()?.catch(() => undefined) ?? Promise.resolve(undefined)
    const started = { result, endedAt: Infinity }
    void result.then(() => (started.endedAt = performance.now()))
    return started
  }
  return async () => {
    if (latest === undefined || performance.now() - latest.endedAt > kept) latest = start()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, patience, undefined)
    })
    try {
      return await Promise.race([latest.result, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
