// The decision about a step for one recipient.
import type { Content, FeedContent } from '../../domain/channel/content.ts'
import type { StepReason } from '../../domain/trigger/step-reason.ts'
import type { Destination } from './destination.ts'

interface Sending {
  readonly kind: 'send'
  /** With masks in place of secret values. */
  readonly content: Content
  /** With secret values. Undefined if there are none. */
  readonly secretContent?: Content | undefined
  readonly destinations: readonly Destination[]
  /** What the messages lack, as a sentence. Absent if nothing. */
  readonly detail?: string
}

export type Decision =
  | {
      readonly kind: 'skip' | 'fail'
      readonly reason: StepReason
      readonly detail: string
      /** The row id of the first object that the detail names, if it names one that has a page. */
      readonly namedId?: string | undefined
    }
  | { readonly kind: 'notify'; readonly content: FeedContent }
  | Sending

/** A decision, or `later` if the evaluation budget was exceeded and the run is put back. */
export type Decided = Decision | 'later'

export const skip = (reason: StepReason, detail: string, namedId?: string): Decision => ({
  kind: 'skip',
  reason,
  detail,
  namedId,
})
export const fail = (reason: StepReason, detail: string, namedId?: string): Decision => ({
  kind: 'fail',
  reason,
  detail,
  namedId,
})
