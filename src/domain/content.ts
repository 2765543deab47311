// The rendered content of a message or feed entry.
import type { Prisma } from '../data/prisma/client.ts'
import type { JsonObject } from '../lib/validation.ts'

/** A message, rendered. */
export interface Content {
  readonly subject: string | null
  readonly body: string
}

/** The content in a column: nothing else is written there. */
export const storedContent = (stored: Prisma.JsonValue) => stored as unknown as Content

/** An entry of the in-app feed, rendered. */
export interface FeedContent extends Content {
  readonly avatar: string | null
  readonly url: string | null
  readonly actions: readonly { readonly label: string; readonly url: string }[]
  readonly data: JsonObject
}
