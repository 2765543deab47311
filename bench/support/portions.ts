// Portions of a list, for requests that take a limited number of items.

/** The last portion may be smaller. */
export const portions = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
