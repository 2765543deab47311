// Reads what stands within a line of HTML: text, marks, images and line breaks.
import { isLinkAddress } from './address.ts'
import type { Token } from './html-tokens.ts'
import { imageAttributes, markTags, type RichMark, type RichNode } from './rich-document.ts'

export type Open = Extract<Token, { kind: 'open' }>

export interface Source {
  readonly tokens: readonly Token[]
  at: number
  readonly obstacles: Set<string>
  readonly rewrites: Set<string>
}

const formerTags: Readonly<Record<string, keyof typeof markTags>> = { b: 'strong', i: 'em' }

const marks: Readonly<Record<string, string>> = markTags

/** Returns the next token. Undefined at the end of the element that is read: start and end tags are always in pairs. */
export function next({ tokens, at }: Source): Exclude<Token, { kind: 'close' }> | undefined {
  const token = tokens[at]
  return token?.kind === 'close' ? undefined : token
}

/** Reads an element: its start tag, its content, and its end tag. */
export function within<T>(source: Source, read: () => T): T {
  source.at += 1
  const content = read()
  source.at += 1
  return content
}

/** Returns the attributes that are allowed, and reports all others. */
export function attributesOf(source: Source, { name: tag, attributes }: Open, allowed: readonly string[] = []) {
  const found: Record<string, string> = {}
  for (const [name, value] of attributes) {
    if (allowed.includes(name) && !Object.hasOwn(found, name)) found[name] = value
    else source.obstacles.add(`${name} of <${tag}>`)
  }
  return found
}

function readLeaf(source: Source, token: Open): RichNode {
  source.at += 1
  if (token.name === 'br') {
    attributesOf(source, token)
    return { type: 'hardBreak' }
  }
  const attrs = attributesOf(source, token, imageAttributes)
  if (!attrs['src']) source.obstacles.add('<img> without src')
  return { type: 'image', attrs }
}

const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** Returns the mark of a tag. Undefined for a tag that the editor does not have. */
function markOf(source: Source, token: Open, outer: readonly RichMark[]): RichMark | undefined {
  const tag = own(formerTags, token.name) ?? token.name
  if (tag !== token.name) source.rewrites.add(`<${token.name}> becomes <${tag}>`)
  const type = tag === 'a' ? 'link' : own(marks, tag)
  if (type === undefined) {
    source.obstacles.add(`<${token.name}>`)
    return undefined
  }
  const { href, ...attrs } = attributesOf(source, token, tag === 'a' ? ['href'] : [])
  if (tag === 'a' && (href === undefined || !isLinkAddress(href))) {
    source.obstacles.add(href === undefined ? '<a> without href' : `a link to “${href}”`)
  }
  const isNested = outer.some((mark) => mark.type === type)
  if (isNested && tag === 'a') source.obstacles.add('<a> in <a>')
  return isNested ? undefined : { type, attrs: tag === 'a' ? { href } : attrs }
}

function readText(source: Source, text: string, outer: readonly RichMark[]): RichNode {
  source.at += 1
  if (text.includes('\n')) source.obstacles.add('Liquid in several lines')
  return { type: 'text', text, marks: [...outer] }
}

/** Reads the inline content of an element. Outside of a paragraph, it ends where a block begins. */
export function readInline(source: Source, isBare = false, outer: readonly RichMark[] = []): RichNode[] {
  const nodes: RichNode[] = []
  for (let token = next(source); token !== undefined; token = next(source)) {
    if (isBare && (token.kind === 'other' || (token.kind === 'open' && !isInline(token)))) break
    if (token.kind === 'other' || (token.kind === 'open' && token.name === 'hr')) {
      source.obstacles.add(token.kind === 'other' ? token.what : '<hr> within text')
      source.at += 1
    } else if (token.kind === 'text') nodes.push(readText(source, token.text, outer))
    else if (token.name === 'br' || token.name === 'img') {
      const leaf = readLeaf(source, token)
      nodes.push({ ...leaf, marks: [...outer] })
    } else {
      const mark = markOf(source, token, outer)
      nodes.push(...within(source, () => readInline(source, false, mark ? [...outer, mark] : outer)))
    }
  }
  return nodes
}

export const isInline = ({ name }: Open): boolean =>
  name === 'a' || name === 'br' || name === 'img' || Object.hasOwn(marks, name) || Object.hasOwn(formerTags, name)
