// Marks of persons in text: finds and replaces them as whole words, even if they are percent-encoded, escaped or spaced
// out.
import { decoded, original, unescaped, type View } from './text-view.ts'
import { createWordSearch, isWhole } from './word-search.ts'

export interface Marks {
  /** Texts that belong to this person alone: an id, addresses and the full name. */
  readonly own: readonly string[]
  /**
   * Texts that identify the person as a whole value but may be a word in other texts: an id of letters, such as
   * `support`.
   */
  readonly exact: readonly string[]
  /** Texts that other persons may share, such as a first name. */
  readonly shared: readonly string[]
}

/** The marks of one person, each with its replacement. */
export interface Marked extends Marks {
  readonly placeholder: string
}

/** The minimum length of a mark that belongs to one person alone. Shorter marks count as shared. */
const SHORTEST = 3

/** Persons by their index. */
export type Persons = ReadonlySet<number>

export interface Replacer {
  /** The persons with a mark of their own in a JSON value. */
  readonly namedIn: (value: unknown) => Persons
  /** Replaces all marks of these persons in all texts and field names of a JSON value. */
  readonly replace: (value: unknown, persons: Persons) => unknown
}

const distinct = (marks: readonly (string | null | undefined)[]) => [
  ...new Set(marks.flatMap((mark) => (mark?.trim() ? [mark.trim()] : []))),
]

/** Returns marks without duplicates. Short marks become shared, and marks of letters only become exact. */
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

/** Returns the digits of an international phone number. Undefined for any other mark. */
export function phoneDigits(mark: string): string | undefined {
  if (!/^\+[\d\s./()-]+$/.test(mark)) return undefined
  const digits = mark.replaceAll(/\D/g, '')
  return digits.length >= 8 && digits.length <= 15 ? digits : undefined
}

/** The separators between the digits of a phone number. */
const separators = /(?<=\d)(?:\(0\)|[\s./()-])+(?=\d)/g

/** A text to search for, and the person with this mark. */
interface Sought {
  readonly text: string
  readonly person: number
  readonly isOwn: boolean
}

/** Visits a range of the original text. @returns true to stop. */
type VisitMark = (start: number, end: number, sought: Sought) => boolean

/** Finds marks in a text and in its decoded forms. @returns true if it was stopped. */
type MarkSearch = (text: string, visit: VisitMark) => boolean

/** Returns the decoded forms of a text, if it is encoded: decoded once, twice, and with `+` as a space. */
function readingsOf(text: string): readonly View[] {
  if (!/[%&\\+]/.test(text)) return []
  const whole = original(text)
  const once = unescaped(whole)
  const twice = unescaped(once)
  const spaced = twice.text.includes('+') ? [decoded(twice, /\+/g, () => ' ')] : []
  return [...(once === whole ? [] : [once]), ...(twice === once ? [] : [twice]), ...spaced]
}

function createMarkSearch(sought: readonly Sought[]): MarkSearch {
  const words = createWordSearch(sought.map(({ text }) => text))
  const phones = sought.flatMap((one) => {
    const digits = phoneDigits(one.text)
    return digits === undefined ? [] : [`+${digits}`, `00${digits}`, digits].map((text) => ({ ...one, text }))
  })
  const phoneWords = createWordSearch(phones.map(({ text }) => text))

  /** Phone numbers in a text, as ranges of the text. */
  const inDigits = (text: string, visit: VisitMark): boolean => {
    if (phones.length === 0 || !/\d/.test(text)) return false
    const compact = decoded(original(text), separators, () => '')
    return phoneWords(compact.text, (from, to, index) => {
      const phone = phones[index]
      const start = compact.starts[from] ?? 0
      const end = compact.ends[to - 1] ?? text.length
      return phone !== undefined && isWhole(text, start, end) && visit(start, end, phone)
    })
  }

  const inReading = (text: string, visit: VisitMark): boolean =>
    words(text, (start, end, index) => {
      const one = sought[index]
      return one !== undefined && isWhole(text, start, end) && visit(start, end, one)
    }) || inDigits(text, visit)

  return (text, visit) =>
    inReading(text, visit) ||
    readingsOf(text).some((view) =>
      inReading(view.text, (start, end, one) => visit(view.starts[start] ?? 0, view.ends[end - 1] ?? 0, one)),
    )
}

/**
 * Replaces ranges by what `replacementOf` returns for their person. Of ranges with the same start, the longest wins.
 */
function replaceMarks(text: string, search: MarkSearch, placeholders: readonly (string | undefined)[]): string {
  const ends = new Map<number, readonly [end: number, person: number]>()
  search(text, (start, end, { person }) => {
    if (placeholders[person] !== undefined && end > (ends.get(start)?.[0] ?? 0)) ends.set(start, [end, person])
    return false
  })
  const pieces: string[] = []
  let from = 0
  for (const [start, [end, person]] of [...ends].toSorted(([one], [other]) => one - other)) {
    if (start < from) continue
    pieces.push(text.slice(from, start), placeholders[person] ?? '')
    from = end
  }
  return pieces.join('') + text.slice(from)
}

/** Creates the replacer of persons. Its time is linear in the text, however many marks there are. */
export function createReplacer(persons: readonly Marked[]): Replacer {
  const sought = persons.flatMap(({ own, shared }, person): Sought[] => [
    ...own.map((text) => ({ text, person, isOwn: true })),
    ...shared.map((text) => ({ text, person, isOwn: false })),
  ])
  const search = createMarkSearch(sought)
  const searchOwn = createMarkSearch(sought.filter(({ isOwn }) => isOwn))
  /** The persons that each whole value identifies. */
  const values = new Map<string, number[]>()
  for (const [person, { own, exact }] of persons.entries()) {
    const digits = own.flatMap((mark) => phoneDigits(mark) ?? [])
    for (const mark of [...own, ...exact, ...digits]) values.set(mark, [...(values.get(mark) ?? []), person])
  }

  function collect(value: unknown, named: Set<number>): void {
    if (typeof value === 'string') {
      for (const person of values.get(value) ?? []) named.add(person)
      searchOwn(value, (_start, _end, { person }) => named.add(person).size === persons.length)
    } else if (typeof value === 'number') {
      for (const person of values.get(String(value)) ?? []) named.add(person)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        collect(name, named)
        collect(inner, named)
      }
    }
  }

  return {
    namedIn(value) {
      const named = new Set<number>()
      collect(value, named)
      return named
    },
    replace(value, chosen) {
      const placeholders = persons.map(({ placeholder }, person) => (chosen.has(person) ? placeholder : undefined))
      const text = (given: string) => replaceMarks(given, search, placeholders)
      const json = (given: unknown): unknown => {
        if (typeof given === 'string') return text(given)
        if (typeof given === 'number') {
          const person = values.get(String(given))?.find((one) => chosen.has(one))
          return person === undefined ? given : placeholders[person]
        }
        if (Array.isArray(given)) return given.map(json)
        if (typeof given !== 'object' || given === null) return given
        return Object.fromEntries(Object.entries(given).map(([name, inner]) => [text(name), json(inner)]))
      }
      return json(value)
    },
  }
}
