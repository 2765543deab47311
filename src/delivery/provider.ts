// What a provider is: one function that takes a rendered message to one address, or says why it could not.
import type { Channel, Severity } from '../data/prisma/enums.ts'
import type { Target } from '../engine/attempt.ts'
import type { JsonObject } from '../lib/validation.ts'
import type { Outbound } from './outbound.ts'

/** What is sent, and to whom. Everything is rendered, and secrets are decrypted. */
export interface Envelope {
  /** The delivery's id, the same over all tries. Receivers get it as `Idempotency-Key`. */
  readonly deliveryId: string
  readonly channel: Channel
  readonly content: { readonly subject: string | null; readonly body: string }
  readonly transactionId: string
  readonly workflow: {
    readonly identifier: string
    readonly name: string
    readonly severity: Severity
    readonly tags: readonly string[]
  }
  readonly subscriber: {
    readonly subscriberId: string
    readonly firstName: string | null
    readonly lastName: string | null
    readonly email: string | null
    readonly phone: string | null
    readonly avatar: string | null
    readonly locale: string | null
    readonly timezone: string | null
    readonly data: JsonObject
  }
  readonly contextKeys: readonly string[]
  readonly payload: JsonObject
  readonly overrides: JsonObject
  readonly target: Target
  /** The integration's own, as its owner stored them: each provider checks what it needs of them. */
  readonly credentials: JsonObject
}

/** What the other side answered, for the story of the event. Short, and free of secrets. */
export interface Receipt {
  /** Of HTTP or SMTP; null when nothing was answered. */
  readonly status: number | null
  readonly answer: string | null
}

export interface FailureDetails extends Partial<Receipt> {
  /** Whether the same message would fail in the same way however often it is tried. */
  readonly permanent: boolean
  /** Seconds for which the other side asked to be left alone. */
  readonly retryAfter?: number | null
}

/** A message that was not taken. Its text is for people, and free of secrets. */
export class DeliveryFailure extends Error implements Receipt {
  readonly permanent: boolean
  readonly status: number | null
  readonly answer: string | null
  readonly retryAfter: number | null

  constructor(message: string, { permanent, status = null, answer = null, retryAfter = null }: FailureDetails) {
    super(message)
    this.name = 'DeliveryFailure'
    this.permanent = permanent
    this.status = status
    this.answer = answer
    this.retryAfter = retryAfter
  }
}

/** Delivers one message. @throws DeliveryFailure when the other side did not take it. */
export type Provider = (envelope: Envelope, outbound: Outbound) => Promise<Receipt>
