// Ranks test files by how likely they are to notice a change: those that use the same words come first, especially rare
// words.

/** The words of names and texts: `closesDigestOf` has `closes`, `digest`. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{3,}/g),
  )

export interface TestText {
  readonly file: string
  readonly text: string
}

/** Returns a function that ranks test files by what they have in common with a text. */
export function relevanceOf(tests: readonly TestText[]): (text: string) => string[] {
  const known = tests.map(({ file, text }) => ({ file, words: wordsOf(`${file} ${text}`) }))
  const uses = new Map<string, number>()
  for (const { words } of known) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1)
  const weightOf = (word: string) => Math.log(known.length / (uses.get(word) ?? known.length))
  return (text) => {
    const words = [...wordsOf(text)]
    // A long test has many words that mean little.
    const scoreOf = (test: (typeof known)[number]) =>
      words.filter((word) => test.words.has(word)).reduce((sum, word) => sum + weightOf(word), 0) /
      Math.sqrt(test.words.size)
    return known
      .map((test) => ({ file: test.file, score: scoreOf(test) }))
      .toSorted((one, other) => other.score - one.score)
      .map(({ file }) => file)
  }
}
