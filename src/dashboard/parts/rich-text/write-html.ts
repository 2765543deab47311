// Writes the document of the rich-text editor as the HTML of an email: simple tags, which all mail clients render.
import { BUTTON_BACKGROUND, buttonStyle } from './button-style.ts'
import { outsideLiquid } from './liquid-text.ts'
import { imageAttributes, markOrder, markTags, type RichMark, type RichNode, textAttribute } from './rich-document.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
}

const withEntities = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => entities[character] ?? character)

/** HTML would show several spaces as one. */
const textOf = (text: string): string =>
  outsideLiquid(text, (part) => withEntities(part.replace(/ (?= )/g, '\u00a0'), /[&<>\u00a0]/g))

const attributeOf = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${outsideLiquid(value, (part) => withEntities(part, /[&"\u00a0]/g))}"`

const tags: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(markTags).map(([tag, mark]) => [mark, tag]),
)

const openTag = (mark: RichMark): string =>
  mark.type === 'link' ? `<a${attributeOf('href', textAttribute(mark, 'href'))}>` : `<${tags[mark.type] ?? ''}>`

const closeTag = ({ type }: RichMark): string => (type === 'link' ? '</a>' : `</${tags[type] ?? ''}>`)

const isSame = (one: RichMark, other: RichMark | undefined): boolean =>
  one.type === other?.type && textAttribute(one, 'href') === textAttribute(other, 'href')

/** Returns the marks of a node, from the outside. */
const marksOf = ({ marks = [] }: RichNode): readonly RichMark[] =>
  markOrder.flatMap((type) => marks.find((mark) => mark.type === type) ?? [])

function leafOf(node: RichNode): string {
  if (node.type === 'hardBreak') return '<br>'
  if (node.type !== 'image') return textOf(node.text ?? '')
  return `<img${imageAttributes.map((name) => attributeOf(name, textAttribute(node, name))).join('')}>`
}

/** Writes inline nodes. A tag stays open as long as its mark continues. */
function inline(nodes: readonly RichNode[] = []): string {
  let html = ''
  let open: readonly RichMark[] = []
  const moveTo = (marks: readonly RichMark[]) => {
    const differs = open.findIndex((mark, depth) => !isSame(mark, marks[depth]))
    const kept = differs === -1 ? open.length : differs
    html += open.slice(kept).reverse().map(closeTag).join('') + marks.slice(kept).map(openTag).join('')
    open = marks
  }
  for (const node of nodes) {
    moveTo(marksOf(node))
    html += leafOf(node)
  }
  moveTo([])
  return html
}

const isEmpty = ({ content = [] }: RichNode): boolean => content.length === 0

/** A mail client gives no height to an empty paragraph. */
const line = (tag: string, node: RichNode): string =>
  `<${tag}>${isEmpty(node) ? '<br>' : inline(node.content)}</${tag}>`

const indented = (nodes: readonly RichNode[], indent: string): string =>
  nodes.map((node) => `\n${indent}${block(node, indent)}`).join('')

function item(node: RichNode, indent: string): string {
  const [first, ...rest] = node.content ?? []
  const isSpaced = node.attrs?.['spaced'] === true
  const deeper = `${indent}  `
  const begin = isSpaced ? indented(first ? [first] : [], deeper) : inline(first?.content)
  const end = isSpaced || rest.length > 0 ? `\n${indent}` : ''
  return `<li>${begin}${indented(rest, deeper)}${end}</li>`
}

function list(tag: string, { content = [] }: RichNode, indent: string): string {
  const deeper = `${indent}  `
  const items = content.map((node) => `\n${deeper}${item(node, deeper)}`).join('')
  return `<${tag}>${items}\n${indent}</${tag.split(' ')[0] ?? tag}>`
}

function block(node: RichNode, indent = ''): string {
  const { attrs, content = [] } = node
  switch (node.type) {
    case 'heading':
      return line(`h${Number(attrs?.['level'] ?? 1)}`, node)
    case 'bulletList':
      return list('ul', node, indent)
    case 'orderedList': {
      const start = Number(attrs?.['start'] ?? 1)
      return list(start === 1 ? 'ol' : `ol start="${start}"`, node, indent)
    }
    case 'blockquote':
      return `<blockquote>${indented(content, `${indent}  `)}\n${indent}</blockquote>`
    case 'horizontalRule':
      return '<hr>'
    case 'button': {
      const style = buttonStyle(textAttribute(node, 'background') ?? BUTTON_BACKGROUND)
      return `<p><a${attributeOf('href', textAttribute(node, 'href') ?? '')} style="${style}">${inline(content)}</a></p>`
    }
    default:
      return line('p', node)
  }
}

/** Returns the HTML of a document, one block in a line. Empty if the document is. */
export function writeHtml({ content = [] }: RichNode): string {
  const [first] = content
  if (content.length <= 1 && (first === undefined || (first.type === 'paragraph' && isEmpty(first)))) return ''
  return content.map((node) => block(node)).join('\n')
}
