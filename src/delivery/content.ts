// The rendered content in the form that a provider needs: HTML and plain text for email, one text for everything else.
import { compile } from 'html-to-text'
import type { Message } from '../engine/message.ts'
import { TimeLimitExceeded, within } from '../lib/time-limit.ts'
import { DeliveryFailure } from './provider.ts'

const tag = /<[a-z!/][^<>]*>/i

/** For one email. Ordinary HTML takes a few milliseconds, unclosed tags by the ten thousand take seconds. */
const MAX_MILLISECONDS = 2000

/** Elements deeper than this are left out. Without a limit, deeply nested HTML would exhaust the stack. */
const MAX_DEPTH = 500

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    ...['img', 'title'].map((selector) => ({ selector, format: 'skip' })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Most tables in emails are for layout: one line per row, with a space between its cells.
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
  ],
})

/** @throws DeliveryFailure if the conversion takes too long. */
function textOfHtml(html: string): string {
  try {
    const text = within(MAX_MILLISECONDS, () => convert(html))
    const lines = text.split('\n').map((line) => line.trimEnd())
    return lines.join('\n').trim()
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error
    throw new DeliveryFailure(`The plain text of the email ${error.message}`, { permanent: false })
  }
}

export interface EmailContent {
  readonly subject: string
  /** Undefined if the body has no tags: as HTML it would lose its line breaks. */
  readonly html: string | undefined
  readonly text: string
}

/** An email without a subject gets the workflow's name, because many servers reject an empty subject. */
export function emailContent({ content: { subject, body }, workflow }: Message): EmailContent {
  const html = tag.test(body) ? body : undefined
  return { subject: subject || workflow.name, html, text: html === undefined ? body : textOfHtml(html) }
}

/** The content as one text, for chats and text messages. A subject becomes the first line. */
export function textContent({ content: { subject, body } }: Message): string {
  return subject ? `${subject}\n${body}` : body
}
