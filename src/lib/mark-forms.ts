// What a text with a mark has in any case, however the mark is encoded in it, for a search that compares parts of texts.
import { phoneDigits } from './marks.ts'

/** Characters of a part. More would find hardly fewer texts, and a long part can take long to search for. */
const MAX_LENGTH = 24

/** Characters of a part that is searched for alone. Shorter ones are in most texts. */
const MIN_LENGTH = 3

/** As PostgreSQL lower-cases a text whatever its locale: only these letters for certain. */
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

/** The lower-case form of a mark that a text must contain. */
export interface MarkForm {
  /** A part that few other texts have. */
  readonly core: string
  /** Other parts. */
  readonly parts: readonly string[]
  /** Parts that are not followed by an ASCII letter or digit: neither an encoding nor what follows a word begins with one. */
  readonly ends: readonly string[]
  /** True if it is the digits of a phone number, in a text without what separates them. */
  readonly isPhone: boolean
}

const cut = (part: string) => Array.from(part).slice(0, MAX_LENGTH).join('')

const longest = (parts: readonly string[]) =>
  parts.reduce((found, part) => (part.length > found.length ? part : found), '')

/** The form of a mark as such: what stands between characters that may be encoded. Undefined if that is too short. */
function formOf(mark: string): MarkForm | undefined {
  const found = [...mark.matchAll(/[a-z0-9._-]+/g)].map(({ 0: part, index }) => ({ part, end: index + part.length }))
  // Others share the domain of an email address.
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

/** The forms of a mark that consists of characters that may be encoded, such as one in another script: one by encoding. */
const encodedForms = (mark: string): MarkForm[] =>
  [mark, mark.toLowerCase(), mark.toUpperCase()].flatMap((cased) =>
    encoders.map((encode) => ({ core: cut(lowered(encode(cased))), parts: [], ends: [], isPhone: false })),
  )

/** Returns the forms of the marks, without duplicates. A text with a mark has one of them. */
export function formsOf(marks: readonly string[]): MarkForm[] {
  const forms = marks.flatMap((mark): MarkForm[] => {
    const digits = phoneDigits(mark)
    if (digits !== undefined) {
      const phone = { core: digits, parts: [], ends: [], isPhone: true }
      // The text of any other spelling may have a digit more.
      return mark === `+${digits}` ? [phone] : [phone, ...encodedForms(mark)]
    }
    const form = formOf(lowered(mark))
    return form === undefined ? encodedForms(mark) : [form]
  })
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()]
}
