// Views of a text that may be encoded: decoded texts in which each position stands for a range of the original.

/** A text that was decoded from another one. Its character `i` stands for `[starts[i], ends[i])` of the original. */
export interface View {
  readonly text: string
  readonly starts: Int32Array
  readonly ends: Int32Array
}

export function original(text: string): View {
  const starts = Int32Array.from({ length: text.length }, (_, index) => index)
  return { text, starts, ends: starts.map((index) => index + 1) }
}

/**
 * Replaces each match of `pattern`. The replacement stands for the whole match.
 *
 * @param decode returns a text no longer than the match.
 */
export function decoded(view: View, pattern: RegExp, decode: (match: string) => string): View {
  const starts = new Int32Array(view.text.length)
  const ends = new Int32Array(view.text.length)
  const pieces: string[] = []
  let length = 0
  let from = 0
  const copy = (to: number) => {
    pieces.push(view.text.slice(from, to))
    starts.set(view.starts.subarray(from, to), length)
    ends.set(view.ends.subarray(from, to), length)
    length += to - from
  }
  for (const { 0: match, index } of view.text.matchAll(pattern)) {
    copy(index)
    const replacement = decode(match)
    from = index + match.length
    pieces.push(replacement)
    starts.fill(view.starts[index] ?? 0, length, length + replacement.length)
    ends.fill(view.ends[from - 1] ?? 0, length, length + replacement.length)
    length += replacement.length
  }
  copy(view.text.length)
  return { text: pieces.join(''), starts: starts.subarray(0, length), ends: ends.subarray(0, length) }
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const namedEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Percent-encoding, HTML entities and the escapes of JSON and JavaScript. */
const escape =
  /(?:%[0-9a-f]{2})+|&(?:#\d{1,6}|#x[0-9a-f]{1,5}|amp|lt|gt|quot|apos);|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/bfnrt])/gi

export const fromHex = (hex: string) => Buffer.from(hex.replaceAll(/[^0-9a-f]/gi, ''), 'hex').toString()

function unescapedMatch(match: string): string {
  if (match.startsWith('%')) return fromHex(match)
  if (match.startsWith('\\')) {
    const letter = match.slice(1)
    return match.length === 2
      ? (namedEscapes[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(match.slice(2), 16))
  }
  const entity = match.slice(1, -1).toLowerCase()
  if (!entity.startsWith('#')) return namedEntities[entity] ?? ''
  const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/**
 * Returns the view without one level of percent-encoding, HTML entities and escapes. Returns the same view if it has
 * none.
 */
export function unescaped(view: View): View {
  return view.text.search(escape) === -1 ? view : decoded(view, escape, unescapedMatch)
}
