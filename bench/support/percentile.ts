// Percentiles, for figures whose worst values matter.

/**
 * @param share from 0 to 1, such as 0.99.
 * @returns NaN if there are no values.
 */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN
