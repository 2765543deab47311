// What code fields have in common: their languages, positions in their texts, and the properties of an input.

/** `liquid` is Liquid in plain text or HTML. */
export type Language = 'liquid' | 'json'

/** A part of a text, by the offsets of its ends. */
export interface Selection {
  readonly from: number
  readonly to: number
}

/** An error at a position in a text. Lines and columns count from 1. */
export interface CodeProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** The properties of the input in a code field, with the editor and without it. */
export interface CodeInput {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly readOnly: boolean
  readonly invalid: boolean
  /** In pixels. */
  readonly minHeight: number
  readonly maxHeight: string
  /** The ids of the elements that name and describe the field. */
  readonly labelledBy: string
  readonly describedBy: string | undefined
}
