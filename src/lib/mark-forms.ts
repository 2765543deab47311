// Forms of marks: parts that a text with a mark contains in any encoding, for a search that compares parts of texts.
import { phoneDigits } from './marks.ts'

/** Maximum characters of a part. Longer parts hardly match fewer texts, and can take long to search for. */
const MAX_LENGTH = 24

/** Minimum characters of a part that is searched for alone. Shorter parts occur in most texts. */
const MIN_LENGTH = 3

/** Lower-cases a text like PostgreSQL in any locale: only these letters are certain. */
const lowered = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

const encoders: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
  (text) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character),
]

/** A form of a mark, in lower case, that a text must contain. */
export interface MarkForm {
  /** A part that occurs in few other texts. */
  readonly core: string
  /** Other parts. */
  readonly parts: readonly string[]
  /**
   * Parts that must not be followed by an ASCII letter or digit: an encoding never begins with one, and neither does
   * the text after a word.
   */
  readonly ends: readonly string[]
  /** True for the digits of a phone number, which are searched for in a text without separators between digits. */
  readonly isPhone: boolean
}

const cut = (part: string) => Array.from(part).slice(0, MAX_LENGTH).join('')

const longest = (parts: readonly string[]) =>
  parts.reduce((found, part) => (part.length > found.length ? part : found), '')

/** The form of a mark itself: the part between characters that may be encoded. Undefined if it is too short. */
function formOf(mark: string): MarkForm | undefined {
  const found = [...mark.matchAll(/[a-z0-9._-]+/g)].map(({ 0: part, index }) => ({ part, end: index + part.length }))
  // Other persons share the domain of an email address.
  const at = mark.includes('@') ? mark.indexOf('@') : mark.length
  const local = longest(found.flatMap(({ part, end }) => (end <= at ? [part] : [])))
  const core = local.length >= MIN_LENGTH ? local : longest(found.map(({ part }) => part))
  if (core.length < MIN_LENGTH) return undefined
  const isEnd = ({ part, end }: (typeof found)[number]) =>
    part.length <= MAX_LENGTH && /[a-z0-9]$/.test(part) && (mark.codePointAt(end) ?? 0) < 0x80
  return {
    core: cut(core),
    parts: found.filter((one) => !isEnd(one)).map(({ part }) => cut(part)),
    ends: found.filter(isEnd).map(({ part }) => part),
    isPhone: false,
  }
}

/** The forms of a mark whose characters may all be encoded, such as a name in another script: one form per encoding. */
const encodedForms = (mark: string): MarkForm[] =>
  [mark, mark.toLowerCase(), mark.toUpperCase()].flatMap((cased) =>
    encoders.map((encode) => ({ core: cut(lowered(encode(cased))), parts: [], ends: [], isPhone: false })),
  )

/** Returns the forms of the marks, without duplicates. A text with a mark contains at least one of them. */
export function formsOf(marks: readonly string[]): MarkForm[] {
  const forms = marks.flatMap((mark): MarkForm[] => {
    const digits = phoneDigits(mark)
    if (digits !== undefined) {
      const phone = { core: digits, parts: [], ends: [], isPhone: true }
      // Other spellings may have an additional digit.
      return mark === `+${digits}` ? [phone] : [phone, ...encodedForms(mark)]
    }
    const form = formOf(lowered(mark))
    return form === undefined ? encodedForms(mark) : [form]
  })
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()]
}
