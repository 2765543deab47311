// The scale of the chart's vertical axis.

/** The most lines above zero. */
const MAX_TICKS = 4

/** Returns the values of the lines, from zero up to a round number that is at least `max`. Messages are whole, so the steps are too. */
export function ticksUpTo(max: number): readonly number[] {
  const least = Math.max(1, max / MAX_TICKS)
  const magnitude = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((round) => round >= least) ?? least
  const count = Math.max(1, Math.ceil(max / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Returns `count` positions at most, spread evenly over `length` items from the first one on. */
export function spread(length: number, count: number): readonly number[] {
  const step = Math.max(1, Math.ceil(length / count))
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step)
}
