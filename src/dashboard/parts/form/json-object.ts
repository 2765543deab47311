// JSON objects in forms, as text.

/** Returns the text to show in a form. */
export const formatJson = (value: Readonly<Record<string, unknown>>): string => JSON.stringify(value, null, 2)

/** @throws SyntaxError if the text is not a JSON object. */
export function parseJsonObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object')
  return { ...value }
}

/** Validates a field of a form. Returns the error message, or null if the text is a JSON object. */
export function jsonObjectError(text: string): string | null {
  try {
    parseJsonObject(text)
    return null
  } catch (error) {
    return `Enter a JSON object such as {"plan": "pro"}. ${error instanceof Error ? error.message : ''}`.trim()
  }
}

/** Validates a field that may be empty. Returns the error message, or null. */
export const optionalJsonError = (text: string): string | null => (text.trim() === '' ? null : jsonObjectError(text))

/** Returns the object, or null if the text is empty. @throws SyntaxError if it is another text. */
export const parseOptionalJson = (text: string): Record<string, unknown> | null =>
  text.trim() === '' ? null : parseJsonObject(text)
