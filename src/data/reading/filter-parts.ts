// Filters with several values, as filters with one value each: an index has the rows of one value in the order of a list.

/** The maximum number of filters that one is split into. Each is a part of the statement that reads a page. */
const MAX_PARTS = 50

/** True if a field has several values. The best plan depends on how many rows match each. */
export const hasSeveral = (filter: unknown): boolean =>
  Object.values(filter ?? {}).some((values: unknown) => Array.isArray(values) && values.length > 1)

/**
 * Splits a filter into filters that match parts of its rows.
 *
 * @param fields the fields to split, those that match the fewest rows first. Each has a list of values, or undefined. A
 *   field whose values would exceed the limit, and a field without values, remains as it is.
 */
export function filterParts<Filter extends object>(
  filter: Filter,
  fields: readonly (keyof Filter & string)[],
  limit = MAX_PARTS,
): readonly Filter[] {
  let parts: readonly Filter[] = [filter]
  for (const field of fields) {
    const given: unknown = filter[field]
    const values: readonly unknown[] = Array.isArray(given) ? given : []
    if (values.length < 2 || parts.length * values.length > limit) continue
    parts = parts.flatMap((part) => values.map((value) => ({ ...part, [field]: [value] })))
  }
  return parts
}
