// How much text a query may be: bounded word by word, before the parser spends memory and stack on it.
import { type DocumentNode, Lexer, parse, type ParseOptions, Source, TokenKind } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

/** In characters: parsed queries are kept, and so must be small. */
export const MAX_QUERY_LENGTH = 100_000
/** Words and punctuation. GraphiQL's introspection has some hundreds. */
export const MAX_TOKENS = 5_000
export const MAX_ALIASES = 100
export const MAX_DIRECTIVES = 50
/** Brackets of all kinds inside each other. */
export const MAX_NESTING = 100

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** @throws GraphQLError with the code of the limit that is passed first, or of the syntax. */
function assertBounded(source: Source): void {
  const lexer = new Lexer(source)
  const brackets: TokenKind[] = []
  let [tokens, aliases, directives] = [0, 0, 0]
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1
    if (opening.has(kind)) brackets.push(kind)
    else if (closing.has(kind)) brackets.pop()
    else if (kind === TokenKind.AT) directives += 1
    // Outside of arguments and variables, only an alias has a colon.
    else if (kind === TokenKind.COLON && !brackets.includes(TokenKind.PAREN_L)) aliases += 1
    if (brackets.length > MAX_NESTING) {
      throw codedError('QUERY_TOO_DEEP', `The query has more than ${MAX_NESTING} brackets inside each other`)
    }
    if (aliases > MAX_ALIASES) throw codedError('TOO_MANY_ALIASES', `The query has more than ${MAX_ALIASES} aliases`)
    if (directives > MAX_DIRECTIVES) {
      throw codedError('TOO_MANY_DIRECTIVES', `The query has more than ${MAX_DIRECTIVES} directives`)
    }
    if (tokens > MAX_TOKENS) {
      throw codedError(
        'TOO_MANY_TOKENS',
        `The query has more than ${MAX_TOKENS} words and punctuation marks: send values as variables`,
      )
    }
  }
}

function parseBounded(text: string | Source, options?: ParseOptions): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text
  assertBounded(source)
  return parse(source, options)
}

export function useDocumentLimits(): Plugin {
  return {
    onParse({ params, setParseFn }: { params: { source: string }; setParseFn: (parse: typeof parseBounded) => void }) {
      const { source } = params
      const { length } = source
      if (length > MAX_QUERY_LENGTH) {
        // What is this long often passes another limit too, and that says more.
        assertBounded(new Source(source))
        throw codedError(
          'QUERY_TOO_LONG',
          `The query has ${length} characters, and ${MAX_QUERY_LENGTH} are allowed: send values as variables`,
        )
      }
      setParseFn(parseBounded)
    },
  }
}
