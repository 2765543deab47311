// Reads the metrics of a gateway as Prometheus does.
import { readQueueState } from '../../src/data/queue-state.ts'
import { createMetrics } from '../../src/metrics/registry.ts'
import type { World } from './world.ts'

/** The values of the series in a scrape, as `name{label="value"}` prints them. */
export type Scrape = ReadonlyMap<string, number>

/** Reads the text format of Prometheus. Throws if a line is neither a comment nor a sample. */
export function parseScrape(text: string): Scrape {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => {
      const [, series = '', value = ''] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
      if (series === '' || Number.isNaN(Number(value))) throw new Error(`not a sample: ${line}`)
      return [series, Number(value)]
    }),
  )
}

export const scrape = async ({ metrics }: Pick<World, 'metrics'>): Promise<Scrape> => parseScrape(await metrics.print())

/** Returns what `act` changed: the series whose values grew, with the difference. */
export async function growth(
  world: Pick<World, 'metrics'>,
  metric: string,
  act: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = await scrape(world)
  await act()
  const after = await scrape(world)
  return Object.fromEntries(
    [...after]
      .filter(([series]) => series.startsWith(metric))
      .map(([series, value]): [string, number] => [series.slice(metric.length), value - (before.get(series) ?? 0)])
      .filter(([, change]) => change !== 0),
  )
}

/** A scrape that reads the queue again: a gateway keeps what it has read for a second. */
export async function scrapeQueue({ database, gateway: { now } }: World): Promise<Scrape> {
  const metrics = createMetrics()
  metrics.watch({
    pool: database.pool,
    now,
    readQueue: () => readQueueState(database.client, now()),
    sweepProgress: { deleted: {}, oldestExpired: {} },
  })
  const text = await metrics.print()
  metrics.close()
  return parseScrape(text)
}
