// Durations in log lines.

/** Seconds since a time of `performance.now()`, with one decimal. */
export const secondsSince = (start: number): number => Math.round((performance.now() - start) / 100) / 10
