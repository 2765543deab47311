// The rendered content of a message or feed entry.
import { z } from 'zod'
import type { Prisma } from '../data/prisma/client.ts'
import type { JsonObject } from '../lib/validation.ts'

const content = z.object({ subject: z.string().nullable(), body: z.string() })

/** The rendered content of a message. */
export type Content = z.output<typeof content>

/** The content in a column. */
export function contentOf(stored: Prisma.JsonValue): Content {
  return content.parse(stored)
}

/** The rendered content of a feed entry. */
export interface FeedContent extends Content {
  readonly avatar: string | null
  readonly url: string | null
  readonly actions: readonly { readonly label: string; readonly url: string }[]
  readonly data: JsonObject
}
