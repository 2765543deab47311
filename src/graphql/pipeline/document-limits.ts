// Limits the size of a query.
//
// A query of some hundred kilobytes can hold thousands of aliases for one expensive field, or nest brackets until the
// parser runs out of stack. The limits are checked token by token while the query is parsed, so a query over a limit
// costs no more than one at the limit.
import { type DocumentNode, Lexer, parse, Source, type Token, TokenKind } from 'graphql'
import { codedError } from './errors.ts'
import type { ParsedQuery } from '../schema/builder.ts'
import { assertRepeats } from './field-repeats.ts'

/** Maximum length of a query, in characters. Parsed queries are cached, so they must be small. */
export const MAX_QUERY_LENGTH = 100_000
/** Maximum number of names, values and punctuation marks. GraphiQL's introspection query has a few hundred. */
const MAX_TOKENS = 5_000
export const MAX_ALIASES = 100
export const MAX_DIRECTIVES = 50
/** Maximum nesting of brackets of all kinds. */
const MAX_NESTING = 100

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** Throws a GraphQLError with the code of the first exceeded limit. */
class BoundedLexer extends Lexer {
  readonly #brackets: TokenKind[] = []
  #tokens = 0
  #aliases = 0
  #directives = 0

  override advance(): Token {
    const token = super.advance()
    this.#count(token.kind)
    return token
  }

  #count(kind: TokenKind): void {
    if (kind === TokenKind.EOF) return
    this.#tokens += 1
    if (opening.has(kind)) this.#brackets.push(kind)
    else if (closing.has(kind)) this.#brackets.pop()
    else if (kind === TokenKind.AT) this.#directives += 1
    // Outside of arguments and variables, only an alias has a colon.
    else if (kind === TokenKind.COLON && !this.#brackets.includes(TokenKind.PAREN_L)) this.#aliases += 1
    if (this.#brackets.length > MAX_NESTING) {
      throw codedError('QUERY_TOO_DEEP', `The query nests brackets more than ${MAX_NESTING} levels deep`)
    }
    if (this.#aliases > MAX_ALIASES) {
      throw codedError('TOO_MANY_ALIASES', `The query has more than ${MAX_ALIASES} aliases`)
    }
    if (this.#directives > MAX_DIRECTIVES) {
      throw codedError('TOO_MANY_DIRECTIVES', `The query has more than ${MAX_DIRECTIVES} directives`)
    }
    if (this.#tokens > MAX_TOKENS) {
      throw codedError('TOO_MANY_TOKENS', `The query has more than ${MAX_TOKENS} tokens: send values as variables`)
    }
  }
}

/** @throws GraphQLError with the code of the exceeded limit. */
function assertLength(query: string): void {
  const { length } = query
  if (length <= MAX_QUERY_LENGTH) return
  // A query of this length often exceeds another limit too, and that error is more helpful.
  const lexer = new BoundedLexer(new Source(query))
  while (lexer.advance().kind !== TokenKind.EOF);
  const message = `The query has ${length} characters: at most ${MAX_QUERY_LENGTH} are allowed. Send values as variables`
  throw codedError('QUERY_TOO_LONG', message)
}

function parseTokens(query: string): DocumentNode {
  const source = new Source(query)
  const document = parse(source, { lexer: new BoundedLexer(source) })
  assertRepeats(document)
  return document
}

/** Parses a query within the limits. @throws GraphQLError with the code of the exceeded limit, or a syntax error. */
export function parseBounded(query: string): ParsedQuery {
  assertLength(query)
  return { query, document: parseTokens(query) }
}
