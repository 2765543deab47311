// Drops the fields of an object that have no value.

type Present<Shape> = { [Key in keyof Shape]?: NonNullable<Shape[Key]> }

/**
 * Returns the fields that are neither null nor undefined. Returns an empty object if the object itself is null or
 * undefined.
 */
export function present<Shape>(shape: Shape | null | undefined): Present<Shape> {
  const entries: [string, unknown][] = Object.entries(shape ?? {})
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined)) as Present<Shape>
}
