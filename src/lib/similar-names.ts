// Misspelled names: unknown names that are similar to a known one.
import { editDistance } from './edit-distance.ts'

export interface MisspelledName {
  readonly variable: string
  /** The variable that was probably meant. */
  readonly similarTo: string
}

/** Letters of a name per allowed mistake. Short names, such as `PORT`, must match except for case and separators. */
const LETTERS_PER_MISTAKE = 5

/** Returns true if names differ only in case, separators, the order of letters, or a few letters. */
function isSimilar(name: string, known: string): boolean {
  const [one, other] = [name, known].map((word) => word.toUpperCase().replaceAll(/[^A-Z\d]/g, '')) as [string, string]
  if (Array.from(one).sort().join('') === Array.from(other).sort().join('')) return true
  const allowed = Math.floor(other.length / LETTERS_PER_MISTAKE)
  return Math.abs(one.length - other.length) <= allowed && editDistance(one, other) <= allowed
}

/** Returns the unknown variables that are probably misspelled. */
export function misspelledNames(given: readonly string[], known: readonly string[]): MisspelledName[] {
  return given
    .filter((name) => !known.includes(name))
    .flatMap((variable) => {
      const similarTo = known.find((name) => isSimilar(variable, name))
      return similarTo === undefined ? [] : [{ variable, similarTo }]
    })
}
