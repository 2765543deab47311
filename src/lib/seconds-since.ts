// Durations in log lines.

/** Seconds since a time from `performance.now()`, with one decimal. */
export const secondsSince = (start: number): number => Math.round((performance.now() - start) / 100) / 10
