// The rendered content of a message or feed entry.
import type { JsonObject } from '../../lib/validation.ts'
import type { IncidentAction } from './channel.ts'
import { jsonColumn } from './stored-json.ts'

/** The rendered content of a message. */
export interface Content {
  readonly subject: string | null
  readonly body: string
  /** The incident that the message is about. Absent without a key, and from content of earlier versions. */
  readonly incident?: { readonly key: string; readonly action: IncidentAction }
}

/** Converts the content to a column's value. */
export const contentOf = jsonColumn<Content>()

/** The rendered content of a feed entry. */
export interface FeedContent extends Content {
  readonly avatar: string | null
  readonly url: string | null
  readonly actions: readonly { readonly label: string; readonly url: string }[]
  readonly data: JsonObject
  /** The fields of the payload that the step names. Null if it names none. */
  readonly payload: JsonObject | null
}
