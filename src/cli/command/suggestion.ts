// Suggestions for misspelled commands.
import { editDistance } from '../../lib/edit-distance.ts'

/** Letters of a name per allowed mistake. */
const LETTERS_PER_MISTAKE = 3

const sorted = (words: readonly string[]) => words.toSorted().join(' ')

/** The number of mistakes in a name. Words in a different order are not a mistake. */
const mistakesIn = (given: readonly string[], name: string) =>
  sorted(given) === sorted(name.split(' ')) ? 0 : editDistance(given.join(' '), name)

/**
 * Returns the command that was probably meant, or the group of commands.
 *
 * @param given the words of the command line.
 * @param names of all commands, such as `keys list`.
 */
export function suggestCommand(given: readonly string[], names: readonly string[]): string | undefined {
  const groups = names.flatMap((name) => (name.includes(' ') ? [name.slice(0, name.indexOf(' '))] : []))
  const known = [...names, ...groups.filter((group) => group !== given[0])]
  const distances = known.map((name) => {
    const count = name.split(' ').length
    return { name, mistakes: given.length < count ? Infinity : mistakesIn(given.slice(0, count), name) }
  })
  const similar = distances.filter(({ name, mistakes }) => mistakes <= Math.ceil(name.length / LETTERS_PER_MISTAKE) - 1)
  return similar.toSorted((one, other) => one.mistakes - other.mistakes)[0]?.name
}
