// Paths into JSON values.

/** Returns the value at a path, or undefined. Inherited properties do not count. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value
  for (const key of path) {
    if (here === null || here === undefined) return undefined
    const holder = Object(here) as object
    if (!Object.hasOwn(holder, key)) return undefined
    here = Reflect.get(holder, key)
  }
  return here
}
