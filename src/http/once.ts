// Computes a value once, when it is needed.

/** Returns a function that computes its result once, when it is first called. What it throws is not kept. */
export function once<Result>(compute: () => Result): () => Result {
  let known: { readonly result: Result } | undefined
  return () => (known ??= { result: compute() }).result
}
