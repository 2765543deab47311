// The rendered content of a message or feed entry.
import type { JsonObject } from '../../lib/validation.ts'
import type { IncidentAction, LinkTargetWord } from './channel.ts'
import type { AttachedFile } from './attachment-file.ts'
import type { EmailAddress } from './email-address.ts'
import type { EmailHeader } from './email-header.ts'
import { jsonColumn } from './stored-json.ts'

/** The rendered fields of an email besides subject and body. Those that rendered to nothing are absent. */
export interface EmailDetails {
  readonly from?: EmailAddress
  readonly senderName?: string
  /** Recipients that an override adds. */
  readonly to?: readonly EmailAddress[]
  /** True if an override replaces the recipient by those in `to`. */
  readonly replacesTo?: boolean
  readonly replyTo?: readonly EmailAddress[]
  readonly cc?: readonly EmailAddress[]
  readonly bcc?: readonly EmailAddress[]
  readonly headers?: readonly EmailHeader[]
  /** The part of the thread's message id before the `@`. */
  readonly thread?: string
  readonly preheader?: string
  /** The plain text. */
  readonly text?: string
  /** The files, without their bytes. */
  readonly attachments?: readonly AttachedFile[]
}

/** The rendered content of a message. */
export interface Content {
  readonly subject: string | null
  readonly body: string
  /** The incident that the message is about. Absent without a key, and from content of earlier versions. */
  readonly incident?: { readonly key: string; readonly action: IncidentAction }
  /** Absent if its step has none of these fields, and from content of earlier versions. */
  readonly email?: EmailDetails
  /** The sender and the recipient of a text message, if an override sets them. */
  readonly sms?: { readonly from?: string; readonly to?: string }
  /** The link by which the recipient of an email unsubscribes. Absent without one, and from content of earlier versions. */
  readonly unsubscribe?: string
  /** The overrides of SMTP, in their order. Absent without any, or if the message cannot go through SMTP. */
  readonly smtp?: readonly JsonObject[]
}

/** Reads the column, which does not depend on the provider. `sent-content.ts` has what a provider sends. */
export const storedContent = jsonColumn<Content>()

/** The rendered content of a feed entry. */
export interface FeedContent extends Content {
  readonly avatar: string | null
  readonly url: string | null
  /** Where the link opens. Null if the step does not say. */
  readonly target: LinkTargetWord | null
  readonly actions: readonly { readonly label: string; readonly url: string; readonly target?: LinkTargetWord }[]
  readonly data: JsonObject
  /** The fields of the payload that the step names. Null if it names none. */
  readonly payload: JsonObject | null
}
