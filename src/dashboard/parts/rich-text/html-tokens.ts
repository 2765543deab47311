// The tokens of an HTML text, without insignificant whitespace. Two texts with the same tokens mean the same.
import { Parser } from 'htmlparser2'
import { protect, restore } from './liquid-text.ts'

export type Token =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: readonly (readonly [string, string])[] }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }
  /** What is not a tag or text, and what the parser would correct in silence. */
  | { readonly kind: 'other'; readonly what: string }

/** Void elements that the editor has. They have no token for their end. */
const voidTags = new Set(['br', 'hr', 'img'])

/** Tags beside which whitespace has no effect. */
const breaks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'hr', 'br'])

/** The longest part of a text that a message quotes. */
const MAX_QUOTE = 40

const quoted = (source: string): string => {
  const text = restore(source).replace(/\s+/g, ' ').trim()
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text
}

/** Returns all tokens of a text whose Liquid is protected. */
function parsed(source: string): Token[] {
  const tokens: Token[] = []
  let attributes: [string, string][] = []
  let end = 0
  // The parser skips a stray end tag and an unfinished tag without a call.
  const skipTo = (next: number) => {
    const skipped = quoted(source.slice(end, next))
    if (skipped !== '') tokens.push({ kind: 'other', what: skipped })
  }
  const arrive = () => {
    skipTo(parser.startIndex)
    end = Math.max(end, parser.endIndex + 1)
  }
  const parser: Parser = new Parser({
    onattribute: (name, value) => attributes.push([restore(name), restore(value)]),
    onopentag(name, _, isImplied) {
      arrive()
      if (isImplied) tokens.push({ kind: 'other', what: `</${name}> without <${name}>` })
      // Their order means nothing.
      attributes.sort(([one], [other]) => one.localeCompare(other))
      tokens.push({ kind: 'open', name: restore(name), attributes })
      attributes = []
    },
    onclosetag(name, isImplied) {
      // A void element ends where it began.
      const isVoid = parser.endIndex < end
      arrive()
      if (voidTags.has(name)) return
      if (isImplied && !isVoid) tokens.push({ kind: 'other', what: `<${restore(name)}> without </${restore(name)}>` })
      tokens.push({ kind: 'close', name: restore(name) })
    },
    ontext(text) {
      arrive()
      const last = tokens.at(-1)
      if (last?.kind === 'text') tokens[tokens.length - 1] = { kind: 'text', text: last.text + text }
      else tokens.push({ kind: 'text', text })
    },
    oncomment() {
      arrive()
      tokens.push({ kind: 'other', what: 'a comment' })
    },
    onprocessinginstruction(_, data) {
      arrive()
      tokens.push({ kind: 'other', what: `<${quoted(data)}>` })
    },
  })
  parser.end(source)
  skipTo(source.length)
  return tokens
}

const isBreak = (token: Token | undefined): boolean =>
  token === undefined || ((token.kind === 'open' || token.kind === 'close') && breaks.has(token.name))

/** Removes the space at the end of a line. Inline tags may follow it. */
function trimEnd(line: Token[]): void {
  for (let at = line.length - 1; at >= 0; at -= 1) {
    const token = line[at]
    if (token?.kind === 'text') {
      const text = token.text.replace(/ $/, '')
      line.splice(at, 1, ...(text === '' ? [] : [{ kind: 'text', text } as const]))
    }
    if (isBreak(token) || token?.kind === 'text' || (token?.kind === 'open' && token.name === 'img')) return
  }
}

/** Returns the tokens of an HTML text with Liquid. Whitespace is collapsed as a browser does, outside of Liquid. */
export function tokensOf(html: string): readonly Token[] {
  const result: Token[] = []
  let afterSpace = true
  for (const token of parsed(protect(html))) {
    if (token.kind === 'text') {
      const text: string = token.text.replace(/[ \t\n\r\f]+/g, ' ').replace(afterSpace ? /^ / : /(?!)/, '')
      if (text !== '') {
        result.push({ kind: 'text', text })
        afterSpace = text.endsWith(' ')
      }
      continue
    }
    if (isBreak(token)) {
      trimEnd(result)
      afterSpace = true
    } else if (token.kind === 'open' && token.name === 'img') afterSpace = false
    result.push(token)
  }
  trimEnd(result)
  return result.map((token) => (token.kind === 'text' ? { ...token, text: restore(token.text) } : token))
}
