// Liquid within HTML. A tag may contain what HTML would read as markup, so it is protected while HTML is read.

const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g

/** The characters of a tag that mean something in HTML. */
const MARKUP = /[\t\n\f\r "&'/<=>]/g

/** The first code point of the private use area, to which those characters are moved. */
const SHIFT = 0xe000
const MOVED = /[\uE000-\uE07F]/g

/** True if the text cannot be protected, because it already contains characters of the private use area. */
export const isUnprotectable = (text: string): boolean => text.search(MOVED) !== -1

/** Moves the characters of Liquid tags that mean something in HTML. */
export const protect = (html: string): string =>
  html.replace(LIQUID, (tag) =>
    tag.replace(MARKUP, (character) => String.fromCharCode(SHIFT + character.charCodeAt(0))),
  )

/** Reverses `protect`. */
export const restore = (text: string): string =>
  text.replace(MOVED, (character) => String.fromCharCode(character.charCodeAt(0) - SHIFT))

/** Changes the parts of a text that are not Liquid. */
export function outsideLiquid(text: string, change: (part: string) => string): string {
  let result = ''
  let end = 0
  for (const { 0: tag, index } of text.matchAll(LIQUID)) {
    result += change(text.slice(end, index)) + tag
    end = index + tag.length
  }
  return result + change(text.slice(end))
}

/** Returns the positions of the Liquid tags in a text. */
export const liquidIn = (text: string): readonly { readonly from: number; readonly to: number }[] =>
  [...text.matchAll(LIQUID)].map(({ 0: tag, index }) => ({ from: index, to: index + tag.length }))

/** Returns a text with one letter in the place of each Liquid tag. */
export const withoutLiquid = (text: string): string => text.replace(LIQUID, 'x')
