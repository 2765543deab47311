// The distance between two words, to recognize misspelled names.

/** The number of letters to insert, delete or replace to turn one word into the other (Levenshtein). */
export function editDistance(one: string, other: string): number {
  // Row by row of the usual table: the distances from a prefix of `one` to every prefix of `other`.
  let distances = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of Array.from(one).entries()) {
    const next = [row + 1]
    for (const [column, replaced] of Array.from(other).entries()) {
      const [diagonal = 0, above = 0] = distances.slice(column, column + 2)
      const left = next[column] ?? 0
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === replaced ? 0 : 1)))
    }
    distances = next
  }
  return distances.at(-1) ?? 0
}
