// Misspelled names: those that are not known, but similar to a known one.
import { editDistance } from './edit-distance.ts'

export interface MisspelledName {
  readonly variable: string
  /** The variable that was probably meant. */
  readonly similarTo: string
}

/** Letters of a name for each allowed mistake. Short names, such as `PORT`, must match but for case and separators. */
const LETTERS_PER_MISTAKE = 5

/** Returns true if names differ only by case, separators or the order of letters, or by few letters. */
function isSimilar(name: string, known: string): boolean {
  const [one, other] = [name, known].map((word) => word.toUpperCase().replaceAll(/[^A-Z\d]/g, '')) as [string, string]
  if (Array.from(one).sort().join('') === Array.from(other).sort().join('')) return true
  const allowed = Math.floor(other.length / LETTERS_PER_MISTAKE)
  return Math.abs(one.length - other.length) <= allowed && editDistance(one, other) <= allowed
}

/** Returns the names of variables that are not known and are probably misspelled. */
export function misspelledNames(given: readonly string[], known: readonly string[]): MisspelledName[] {
  return given
    .filter((name) => !known.includes(name))
    .flatMap((variable) => {
      const similarTo = known.find((name) => isSimilar(variable, name))
      return similarTo === undefined ? [] : [{ variable, similarTo }]
    })
}
