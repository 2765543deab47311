// The plain text of HTML, for the text part of an email.
import { compile } from 'html-to-text'

/** Deeper elements are left out. Otherwise, deeply nested HTML would exhaust the stack. */
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

export function textOfHtml(html: string): string {
  const lines = convert(html)
    .split('\n')
    .map((line) => line.trimEnd())
  return lines.join('\n').trim()
}
