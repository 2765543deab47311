// Errors in a form for people.

/** Returns an error and its causes in one line. */
export function inOneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || ('code' in error ? String(error.code) : error.name)
  return error.cause === undefined ? own : `${own}: ${inOneLine(error.cause)}`
}
