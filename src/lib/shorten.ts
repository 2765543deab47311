// Shortens text that callers sent, for error messages.

/** The first `max` characters of a text; a longer one ends in an ellipsis. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}
