// Reads the metrics of a gateway as Prometheus does.
import { readQueueState } from '../../src/data/queue/queue-state.ts'
import { createReadiness } from '../../src/domain/resolver/readiness.ts'
import { createMetrics, type GatewayMetrics } from '../../src/metrics/registry.ts'
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

/** Returns the effect of `act`: the series whose values grew, with the difference. */
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

type Watched = Parameters<GatewayMetrics['watch']>[0]

/** The sources of a scrape of a healthy gateway. @param changed overrides of the defaults. */
export const sourcesOf = (
  { database, gateway }: Pick<World, 'database' | 'gateway'>,
  changed: Partial<Watched>,
): Watched => ({
  pool: database.pool,
  now: gateway.now,
  readQueue: () => Promise.resolve([]),
  housekeeping: { deleted: {}, oldestExpired: {}, ended: {} },
  readiness: createReadiness(database, gateway),
  readInstallation: () => Promise.resolve({ suspendedWorkflows: 0, openCircuits: 0, finished: {} }),
  failingIntegrations: () => 0,
  places: { held: 0, free: 40, inFlight: 0 },
  databasesUp: () => Promise.resolve({}),
  freeSpace: () => Promise.resolve(undefined),
  ...changed,
})

/** The scrape of new metrics with these sources. */
export async function scrapeOf(sources: Watched): Promise<Scrape> {
  const metrics = createMetrics()
  metrics.watch(sources)
  const text = await metrics.print()
  metrics.close()
  return parseScrape(text)
}

/** A scrape that reads the queue again, because a gateway caches its state for a second. */
export const scrapeQueue = (world: World): Promise<Scrape> => {
  const { now } = world.gateway
  return scrapeOf(sourcesOf(world, { readQueue: () => readQueueState(world.database.client, now()) }))
}
