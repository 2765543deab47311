// Finds any number of texts as whole words, case-insensitive, in one pass (Aho-Corasick). The time does not depend on
// the words.

/** Returns the case-folded form of a character, as in a regular expression with the flags `iu`. */
function simpleFold(character: string): string {
  // Its upper case is "I", like that of "i", which is a different letter.
  if (character === 'ı') return character
  const upper = character.toUpperCase()
  const lower = (upper.length === character.length ? upper : character).toLowerCase()
  return lower.length === character.length ? lower : character
}

/** The folded unit of each UTF-16 unit. 0 until it is needed. */
const foldedUnits = new Uint16Array(0x10000)

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000

function foldedUnit(unit: number): number {
  const known = foldedUnits[unit]
  if (known !== undefined && known !== 0) return known
  const found = simpleFold(String.fromCharCode(unit)).charCodeAt(0)
  foldedUnits[unit] = found
  return found
}

/** Folds the case of a text. Positions stay the same, because folding never changes the length. */
function folded(text: string): Uint16Array {
  const units = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) {
      const pair = simpleFold(text.slice(at, at + 2))
      units[at] = pair.charCodeAt(0)
      units[at + 1] = pair.charCodeAt(1)
      at += 1
    } else units[at] = foldedUnit(unit)
  }
  return units
}

const letterOrDigit = /^[\p{L}\p{N}]$/u

/** True if no letter or digit stands directly before or after the range. */
export function isWhole(text: string, start: number, end: number): boolean {
  const before = isLow(text.charCodeAt(start - 1)) && start > 1 ? start - 2 : start - 1
  if (start > 0 && letterOrDigit.test(text.slice(before, start))) return false
  const after = isHigh(text.charCodeAt(end)) ? end + 2 : end + 1
  return !(end < text.length && letterOrDigit.test(text.slice(end, after)))
}

interface Node {
  /** By unit, the node of the text that is one unit longer. */
  readonly next: Map<number, Node>
  /** The indexes of the words that end here. */
  readonly words: number[]
  readonly length: number
  /** The node of the longest proper suffix that is a prefix of a word. */
  suffix: Node | undefined
  /** The longest of these suffixes that is a word. */
  shorter: Node | undefined
}

const nodeOf = (length: number): Node => ({ next: new Map(), words: [], length, suffix: undefined, shorter: undefined })

/** Returns the nodes of all prefixes of the words, each with its suffixes. */
function trieOf(words: readonly string[]): Node {
  const root = nodeOf(0)
  for (const [index, word] of words.entries()) {
    let node = root
    for (const unit of folded(word)) {
      const next = node.next.get(unit) ?? nodeOf(node.length + 1)
      node.next.set(unit, next)
      node = next
    }
    node.words.push(index)
  }
  const queue = [...root.next.values()]
  for (const node of queue) node.suffix = root
  // Grows while it is read, in order of length, so that the suffixes of a node are complete before it.
  for (const node of queue) {
    for (const [unit, next] of node.next) {
      next.suffix = step(root, node.suffix ?? root, unit)
      next.shorter = next.suffix.words.length > 0 ? next.suffix : next.suffix.shorter
      queue.push(next)
    }
  }
  return root
}

/** Returns the node after one more unit. */
function step(root: Node, from: Node, unit: number): Node {
  let node: Node | undefined = from
  while (node) {
    const next = node.next.get(unit)
    if (next) return next
    node = node.suffix
  }
  return root
}

/** A word's range in a text. @returns true to stop. */
type Visit = (start: number, end: number, word: number) => boolean

/**
 * Calls `visit` for each occurrence of a word, even within other words, in the order of their ends. @returns true if it
 * was stopped.
 */
export type WordSearch = (text: string, visit: Visit) => boolean

/** Creates the search for non-empty words. `visit` receives their indexes. */
export function createWordSearch(words: readonly string[]): WordSearch {
  const root = trieOf(words)
  return (text, visit) => {
    if (words.length === 0) return false
    const units = folded(text)
    let node = root
    for (const [at, unit] of units.entries()) {
      node = node === root ? (root.next.get(unit) ?? root) : step(root, node, unit)
      let found = node.words.length > 0 ? node : node.shorter
      for (; found; found = found.shorter) {
        const start = at + 1 - found.length
        for (const word of found.words) if (visit(start, at + 1, word)) return true
      }
    }
    return false
  }
}
