// The median, which a single disturbed round does not change.

/** @returns NaN if there are no values. */
export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN
