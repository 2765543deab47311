// The document of the rich-text editor, as JSON, and the tags for its marks.

export interface RichMark {
  readonly type: string
  readonly attrs?: Readonly<Record<string, unknown>> | undefined
}

export interface RichNode {
  readonly type?: string | undefined
  readonly attrs?: Readonly<Record<string, unknown>> | undefined
  readonly content?: RichNode[]
  readonly marks?: RichMark[]
  readonly text?: string
}

/** Returns an attribute that is a text. Undefined if it is absent or null. */
export function textAttribute({ attrs }: Pick<RichNode, 'attrs'>, name: string): string | undefined {
  const value = attrs?.[name]
  return typeof value === 'string' ? value : undefined
}

/** The marks without attributes, by their tags. */
export const markTags = { strong: 'bold', em: 'italic', u: 'underline', s: 'strike' } as const

/** The order in which marks are nested, from the outside. */
export const markOrder: readonly string[] = ['link', ...Object.values(markTags)]

/** The attributes of an image. */
export const imageAttributes = ['src', 'alt', 'title', 'width', 'height'] as const

export const emptyParagraph: RichNode = { type: 'paragraph' }
