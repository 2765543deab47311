// The rendered content in the forms that providers want: HTML with its plain text, or one text.
import type { Message } from '../engine/message.ts'

/** A tag, never longer than up to the next one, so that no input takes long. */
const tag = /(<[a-z!/][^<>]*>)/i

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function characterOf(entity: string, name: string): string {
  if (!name.startsWith('#')) return entities[name] ?? entity
  const code = Number(name.replace(/^#(x?)/i, (_, hex) => (hex === '' ? '' : '0x')))
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity
}

/** What a tag leaves in the text. */
const breaks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['br', '/div', '/tr', '/li', '/ul', '/ol', '/table'].map((name) => [name, '\n'])),
  ...Object.fromEntries(['/p', '/h1', '/h2', '/h3', '/h4', '/blockquote'].map((name) => [name, '\n\n'])),
}

/** Elements whose content nobody reads. */
const unread: ReadonlySet<string> = new Set(['head', 'script', 'style', 'title'])

/** What is left of HTML to read: lines where blocks end, and the addresses of links. */
export function textOfHtml(html: string): string {
  let text = ''
  let skippedUntil: string | undefined
  let link = ''
  // Tags are at the odd places.
  for (const [index, part] of html.split(tag).entries()) {
    const name = index % 2 === 0 ? undefined : /^<(\/?[a-z][a-z\d]*)/i.exec(part)?.[1]?.toLowerCase()
    if (skippedUntil !== undefined) {
      if (name === skippedUntil) skippedUntil = undefined
    } else if (index % 2 === 0) {
      text += part.replace(/\s+/g, ' ')
    } else if (name !== undefined && unread.has(name)) {
      skippedUntil = `/${name}`
    } else if (name === 'a') {
      link = /\shref\s*=\s*["']([^"']*)["']/i.exec(part)?.[1] ?? ''
    } else if (name === '/a') {
      if (link !== '' && !text.endsWith(link)) text += ` (${link})`
      link = ''
    } else {
      text += breaks[name ?? ''] ?? ''
    }
  }
  return text
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,4});/gi, characterOf)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

export interface EmailContent {
  readonly subject: string
  /** Undefined when the body was written without any tag: its line breaks would be lost. */
  readonly html: string | undefined
  readonly text: string
}

/** An e-mail without a subject is refused by many: the workflow's name is better than none. */
export function emailContent({ content: { subject, body }, workflow }: Message): EmailContent {
  const html = tag.test(body) ? body : undefined
  return { subject: subject || workflow.name, html, text: html === undefined ? body : textOfHtml(html) }
}

/** For chats and text messages, which know one text: the subject, where there is one, is its first line. */
export function textContent({ content: { subject, body } }: Message): string {
  return subject ? `${subject}\n${body}` : body
}
