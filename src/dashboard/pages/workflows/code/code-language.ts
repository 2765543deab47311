// The languages of code fields, and the places of errors in their texts.

/** Liquid is Liquid in text or HTML. */
export type Language = 'liquid' | 'json'

/** An error at a place in a text. Lines and columns count from 1. */
export interface CodeProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}
