// Marks of a person in text: finds them as whole words and replaces them.

export interface Marks {
  /** What no one else has: an id, addresses and the full name. */
  readonly own: readonly string[]
  /** What is no one else's as a whole value, but may be a word in a text: an id of letters, such as `support`. */
  readonly exact: readonly string[]
  /** What others may have too, such as a first name. */
  readonly shared: readonly string[]
}

/** The shortest mark that counts as nobody else's. */
const SHORTEST = 3

export interface Replacer {
  /** True if a JSON value has a mark that no one else has. */
  readonly names: (value: unknown) => boolean
  /** Replaces marks in a text: all of them. */
  readonly text: (text: string) => string
  /** Replaces marks in all texts of a JSON value, and in the names of its fields. */
  readonly json: (value: unknown) => unknown
}

const distinct = (marks: readonly (string | null | undefined)[]) => [
  // A longer one first: an id may be the beginning of an email address.
  ...new Set(marks.flatMap((mark) => (mark?.trim() ? [mark.trim()] : [])).sort((a, b) => b.length - a.length)),
]

/** Returns marks without duplicates. Short ones count as shared, and those of letters only as exact. */
export function marksOf(
  own: readonly (string | null | undefined)[],
  shared: readonly (string | null | undefined)[],
): Marks {
  const all = distinct(own)
  const isShort = ({ length }: string) => length < SHORTEST
  const isWord = (mark: string) => !isShort(mark) && /^\p{L}+$/u.test(mark)
  const exact = all.filter(isWord)
  return {
    own: all.filter((mark) => !isShort(mark) && !isWord(mark)),
    exact,
    shared: distinct([...all.filter(isShort), ...exact, ...shared]),
  }
}

/** An expression that finds marks in any case, as whole words. Matches nothing without marks. */
function expressionFor(marks: readonly string[], flags: string): RegExp {
  const escaped = marks.map((mark) => mark.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(
    escaped.length === 0 ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`,
    flags,
  )
}

/** @param placeholder replaces each mark. */
export function createReplacer({ own, exact, shared }: Marks, placeholder: string): Replacer {
  const anyOwn = expressionFor(own, 'iu')
  const all = expressionFor(distinct([...own, ...shared]), 'giu')
  const text = (given: string) => given.replace(all, placeholder)
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return own.includes(String(value)) ? placeholder : value
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [text(name), json(inner)]))
  }
  const names = (value: unknown): boolean => {
    if (typeof value === 'string') return exact.includes(value) || anyOwn.test(value)
    if (typeof value === 'number') return own.includes(String(value))
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([name, inner]) => names(name) || names(inner))
  }
  return { names, text, json }
}
