// The metrics of the process itself: its event loop, memory, CPU time and versions.
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { z } from 'zod'
import { definitions } from './definitions.ts'
import type { Instruments, Sample } from './instruments.ts'

/** Interval in milliseconds of the timer that measures the event loop. */
const INTERVAL = 20
const MICROSECONDS = 1e6
const MILLISECONDS = 1e3

function versionOf(packageFile: URL): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version
}

/**
 * Measures the delay of a timer. Does not use `monitorEventLoopDelay`, whose values since the last read serve only one
 * reader: several servers may scrape.
 * @returns a function that ends the measurement.
 */
function measureDelay(observe: (seconds: number) => void): () => void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    observe(Math.max(0, now - last - INTERVAL) / MILLISECONDS)
    last = now
  }, INTERVAL).unref()
  return () => clearInterval(timer)
}

/** The folder in which Linux describes the process. */
const LINUX = '/proc/self'

async function countOpenFiles(): Promise<readonly Sample[]> {
  try {
    // One of the entries is the descriptor of the folder itself.
    return [[(await readdir(`${LINUX}/fd`)).length - 1]]
  } catch {
    // Other systems have no such folder.
    return []
  }
}

async function readMaxFiles(): Promise<readonly Sample[]> {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(await readFile(`${LINUX}/limits`, 'utf8')) ?? []
    return soft === undefined ? [] : [[Number(soft)]]
  } catch {
    return []
  }
}

/** Adds the metrics of the process. @returns a function that ends the measurement of the event loop. */
export function addProcessMetrics(instruments: Instruments): () => void {
  const delay = instruments.histogram(definitions.loopDelay)
  instruments.readCounter(definitions.loopBusy, () => [[performance.eventLoopUtilization().active / MILLISECONDS]])
  instruments.readGauge(definitions.residentMemory, () => [[process.memoryUsage.rss()]])
  instruments.readGauge(definitions.heapUsed, () => [[process.memoryUsage().heapUsed]])
  instruments.gauge(definitions.heapLimit).set(getHeapStatistics().heap_size_limit)
  instruments.readGauge(definitions.openFiles, countOpenFiles)
  instruments.readGauge(definitions.maxFiles, readMaxFiles)
  instruments.readCounter(definitions.cpuTime, () => {
    const { user, system } = process.cpuUsage()
    return [[(user + system) / MICROSECONDS]]
  })
  instruments.gauge(definitions.startTime).set(performance.timeOrigin / MILLISECONDS)
  const version = versionOf(new URL('../../package.json', import.meta.url))
  instruments.gauge(definitions.buildInfo).labels(version, process.version).set(1)
  return measureDelay((seconds) => delay.observe(seconds))
}
