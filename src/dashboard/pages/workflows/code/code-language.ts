// The languages of code fields, and the positions of errors in their texts.

/** `liquid` is Liquid in plain text or HTML. */
export type Language = 'liquid' | 'json'

/** An error at a position in a text. Lines and columns count from 1. */
export interface CodeProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}
