// Chooses the language of a page: the one of the subscriber's locale, otherwise one that the browser asks for, otherwise
// English.
import { parseAccept } from 'hono/utils/accept'
import { arabic } from './ar.ts'
import { german } from './de.ts'
import { english } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { italian } from './it.ts'
import { japanese } from './ja.ts'
import { dutch } from './nl.ts'
import { polish } from './pl.ts'
import { portuguese } from './pt.ts'
import { swedish } from './sv.ts'
import type { Texts } from './texts.ts'

/** The languages by their tags. */
const languages: Readonly<Record<string, Texts>> = {
  ar: arabic,
  de: german,
  en: english,
  es: spanish,
  fr: french,
  it: italian,
  ja: japanese,
  nl: dutch,
  pl: polish,
  pt: portuguese,
  sv: swedish,
}

export interface Language {
  /** A BCP 47 tag. */
  readonly tag: string
  readonly texts: Texts
}

/** Finds the language for a range by shortening it (RFC 4647, section 3.4). */
function lookUp(range: string): Language | undefined {
  const parts = range.trim().toLowerCase().replaceAll('_', '-').split('-')
  while (parts.length > 0) {
    const tag = parts.join('-')
    const texts = Object.hasOwn(languages, tag) ? languages[tag] : undefined
    if (texts !== undefined) return { tag, texts }
    parts.pop()
    // A single letter begins an extension, and is none without the rest.
    if (parts.at(-1)?.length === 1) parts.pop()
  }
  return undefined
}

/** The maximum length of a header that is read, in characters. */
const MAX_HEADER = 500

/** @param accepted the header Accept-Language. */
export function languageFor(locale: string | null, accepted: string | undefined): Language {
  const asked = parseAccept((accepted ?? '').slice(0, MAX_HEADER))
    .filter(({ q }) => q > 0)
    .map(({ type }) => type)
  for (const range of [...(locale === null ? [] : [locale]), ...asked]) {
    const found = lookUp(range)
    if (found !== undefined) return found
  }
  return { tag: 'en', texts: english }
}
