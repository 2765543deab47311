// Reads HTML for the rich-text editor, and finds what the editor could not write again.
import { isLinkAddress } from './address.ts'
import { backgroundIn } from './button-style.ts'
import { type Token, tokensOf } from './html-tokens.ts'
import { isUnprotectable } from './liquid-text.ts'
import { attributesOf, isInline, next, type Open, readInline, type Source, within } from './read-inline.ts'
import { emptyParagraph, type RichNode } from './rich-document.ts'
import { writeHtml } from './write-html.ts'

export interface ReadHtml {
  readonly document: RichNode
  /** What the editor cannot represent. */
  readonly obstacles: readonly string[]
  /** What the editor would write in another way. */
  readonly rewrites: readonly string[]
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** Reads text that stands where a block should. */
function readBare(source: Source): RichNode {
  source.rewrites.add('text outside of a paragraph is put in <p>')
  const content = readInline(source, true)
  for (const { text = '' } of content) {
    const structure = /\{%[\s\S]*?%\}/.exec(text)?.[0]
    if (structure !== undefined) source.obstacles.add(`${structure} outside of a paragraph`)
  }
  return { type: 'paragraph', content }
}

/** A line that has only a line break is empty: the editor shows its height by itself. */
function readLine(source: Source, token: Open, node: RichNode): RichNode {
  attributesOf(source, token)
  const content = within(source, () => readInline(source))
  const [first, second] = content
  return first?.type === 'hardBreak' && second === undefined ? node : { ...node, content }
}

/** Reads a paragraph that contains nothing but a link in the style of a button. */
function readButton(source: Source, { attributes }: Open): RichNode | undefined {
  const [link, ...rest] = source.tokens.slice(source.at + 1, source.at + 5)
  if (attributes.length > 0 || link?.kind !== 'open' || link.name !== 'a' || link.attributes.length !== 2) {
    return undefined
  }
  const { href, style } = Object.fromEntries(link.attributes)
  const background = backgroundIn(style ?? '')
  const label = rest[0]?.kind === 'text' ? rest[0].text : ''
  const [end, paragraphEnd] = label === '' ? rest : rest.slice(1)
  if (href === undefined || background === undefined || end?.kind !== 'close' || paragraphEnd?.kind !== 'close') {
    return undefined
  }
  if (href !== '' && !isLinkAddress(href)) source.obstacles.add(`a link to “${href}”`)
  source.at += label === '' ? 4 : 5
  return { type: 'button', attrs: { href, background }, content: label === '' ? [] : [{ type: 'text', text: label }] }
}

const lists: Readonly<Record<string, string>> = { ul: 'bulletList', ol: 'orderedList' }

/** The blocks that an item may contain. */
const itemBlocks = ['p', 'ul', 'ol']

const isOpen = (token: Token | undefined, name: string): token is Open => token?.kind === 'open' && token.name === name

function readItem(source: Source): RichNode {
  const isSpaced = isOpen(next(source), 'p')
  const first = isSpaced ? [] : [{ type: 'paragraph', content: readInline(source, true) }]
  const rest: RichNode[] = []
  for (let token = next(source); token !== undefined; token = next(source)) {
    if (token.kind === 'open' && !isInline(token) && !itemBlocks.includes(token.name)) {
      source.obstacles.add(`<${token.name}> in <li>`)
    }
    rest.push(...readBlock(source, token))
  }
  return { type: 'listItem', attrs: { spaced: isSpaced }, content: [...first, ...rest] }
}

function readList(source: Source, token: Open): RichNode {
  const { start = '1' } = attributesOf(source, token, token.name === 'ol' ? ['start'] : [])
  if (!/^[1-9]\d{0,5}$/.test(start)) source.obstacles.add('start of <ol>')
  const items = within(source, () => {
    const found: RichNode[] = []
    for (let inside = next(source); inside !== undefined; inside = next(source)) {
      if (isOpen(inside, 'li')) {
        attributesOf(source, inside)
        found.push(within(source, () => readItem(source)))
      } else {
        if (inside.kind === 'text') source.obstacles.add(`“${inside.text.trim()}” in <${token.name}>`)
        readBlock(source, inside)
      }
    }
    return found
  })
  if (items.length === 0) source.obstacles.add(`<${token.name}> without <li>`)
  const attrs = token.name === 'ol' ? { start: Number(start) } : {}
  return { type: lists[token.name], attrs, content: items }
}

function readBlock(source: Source, token: Exclude<Token, { kind: 'close' }>): RichNode[] {
  if (token.kind === 'other') {
    source.obstacles.add(token.what)
    source.at += 1
    return []
  }
  if (token.kind === 'text' || isInline(token)) return [readBare(source)]
  if (token.name === 'hr') {
    attributesOf(source, token)
    source.at += 1
    return [{ type: 'horizontalRule' }]
  }
  if (token.name === 'p') return [readButton(source, token) ?? readLine(source, token, emptyParagraph)]
  const level = headings.indexOf(token.name) + 1
  if (level > 0) return [readLine(source, token, { type: 'heading', attrs: { level } })]
  if (Object.hasOwn(lists, token.name)) return [readList(source, token)]
  if (token.name === 'blockquote') {
    attributesOf(source, token)
    const content = within(source, () => readBlocks(source))
    return [{ type: 'blockquote', content: content.length === 0 ? [emptyParagraph] : content }]
  }
  source.obstacles.add(`<${token.name}>`)
  return within(source, () => readBlocks(source))
}

function readBlocks(source: Source): RichNode[] {
  const nodes: RichNode[] = []
  for (let token = next(source); token !== undefined; token = next(source)) nodes.push(...readBlock(source, token))
  return nodes
}

/** Returns the document of an HTML text with Liquid. It can be edited as it is if there is no obstacle and no rewrite. */
export function readHtml(html: string): ReadHtml {
  const tokens = tokensOf(html)
  const source: Source = { tokens, at: 0, obstacles: new Set(), rewrites: new Set() }
  if (isUnprotectable(html)) source.obstacles.add('a character of the private use area')
  const content = readBlocks(source)
  const document = { type: 'doc', content: content.length === 0 ? [emptyParagraph] : content }
  const isSame = JSON.stringify(tokensOf(writeHtml(document))) === JSON.stringify(tokens)
  if (!isSame && source.rewrites.size === 0)
    source.rewrites.add('empty, nested or adjacent tags are written differently')
  return { document, obstacles: [...source.obstacles], rewrites: [...source.rewrites] }
}
