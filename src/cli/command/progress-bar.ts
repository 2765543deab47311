// Progress on stderr: a bar on a terminal, otherwise occasional lines.
import type { Writable } from 'node:stream'
import type { Progress } from './command.ts'

/** A terminal, or another stream. */
export interface Screen extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
}

const WIDTH = 24

/** Milliseconds between updates. */
const INTERVAL = { bar: 100, lines: 5_000 } as const

const BACK_TO_START = '\r\u001b[K'

const grouped = (count: number) => count.toLocaleString('en')

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}

export class ProgressBar {
  readonly #screen: Screen
  readonly #stopwatch: () => number
  #start: number | undefined
  #unit: string | undefined
  #shown: number | undefined
  #isDrawn = false

  /** @param stopwatch milliseconds from an arbitrary start. */
  constructor(screen: Screen, stopwatch: () => number = () => performance.now()) {
    this.#screen = screen
    this.#stopwatch = stopwatch
  }

  show(progress: Progress): void {
    const now = this.#stopwatch()
    // A new unit begins a new stage, which has its own rate.
    if (this.#unit !== progress.unit) [this.#unit, this.#start] = [progress.unit, now]
    this.#start ??= now
    this.#shown ??= now
    const isTerminal = this.#screen.isTTY === true
    if (now - this.#shown < INTERVAL[isTerminal ? 'bar' : 'lines']) return
    this.#shown = now
    const line = this.#lineOf(progress, (now - this.#start) / 1_000)
    if (!isTerminal) {
      this.#screen.write(`${line}\n`)
      return
    }
    this.#isDrawn = true
    this.#screen.write(BACK_TO_START + line.slice(0, (this.#screen.columns ?? 80) - 1))
  }

  /** Removes the bar, before other lines are printed. */
  clear(): void {
    if (this.#isDrawn) this.#screen.write(BACK_TO_START)
    this.#isDrawn = false
  }

  #lineOf({ done, unit, part }: Progress, seconds: number): string {
    const rate = seconds > 0 ? `, ${grouped(Math.round(done / seconds))}/s` : ''
    const counted = `${grouped(done)} ${unit}${rate}`
    if (part === undefined) return counted
    const filled = Math.round(part * WIDTH)
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`
    const left = part > 0 ? `, ${duration((seconds * (1 - part)) / part)} left` : ''
    return `${bar} ${Math.floor(part * 100)} %  ${counted}${left}`
  }
}
