// The forms in which a text with a mark may have it, for a search that compares parts of lower-case texts only.
import { phoneDigits } from './marks.ts'

/** Characters of a form. More would find hardly fewer texts, and a long form can take long to search for. */
const MAX_LENGTH = 24

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
  (text) => phoneDigits(text) ?? text,
]

/** Returns the beginnings of all forms of the marks, without duplicates. */
export function formsOf(marks: readonly string[]): string[] {
  const cases = marks.flatMap((mark) => [mark, mark.toLowerCase(), mark.toUpperCase()])
  const forms = cases.flatMap((mark) => encoders.map((encode) => lowered(encode(mark))))
  return [...new Set(forms.map((form) => Array.from(form).slice(0, MAX_LENGTH).join('')))]
}
