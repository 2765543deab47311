// The metrics of the process itself: its event loop, memory, CPU time and versions.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { z } from 'zod'
import { definitions } from './definitions.ts'
import type { Instruments } from './instruments.ts'

/** Milliseconds between two measurements of the event loop. Each measured delay includes them. */
const RESOLUTION = 20
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6
const MILLISECONDS = 1e3

function versionOf(packageFile: URL): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version
}

/** Adds the metrics of the process. @returns ends the measurement of the event loop. */
export function addProcessMetrics(instruments: Instruments): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  let utilization = performance.eventLoopUtilization()
  const secondsOf = (measured: number) => Math.max(0, measured / NANOSECONDS - RESOLUTION / MILLISECONDS)

  instruments.readGauge(definitions.loopDelay, () => {
    // All are 0 if nothing was measured since the last scrape.
    const samples = [
      [secondsOf(delay.percentile(50)), '0.5'],
      [secondsOf(delay.percentile(99)), '0.99'],
      [secondsOf(delay.max), '1'],
    ] as const
    delay.reset()
    return samples
  })
  instruments.readGauge(definitions.loopUtilization, () => {
    const before = utilization
    utilization = performance.eventLoopUtilization()
    return [[performance.eventLoopUtilization(utilization, before).utilization]]
  })
  instruments.readGauge(definitions.residentMemory, () => [[process.memoryUsage.rss()]])
  instruments.readCounter(definitions.cpuTime, () => {
    const { user, system } = process.cpuUsage()
    return [[(user + system) / MICROSECONDS]]
  })
  instruments.gauge(definitions.startTime).set(performance.timeOrigin / MILLISECONDS)
  const version = versionOf(new URL('../../package.json', import.meta.url))
  instruments.gauge(definitions.buildInfo).labels(version, process.version).set(1)
  return () => delay.disable()
}
