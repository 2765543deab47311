// Signing secrets of webhook subscriptions, and signatures, as Standard Webhooks 1.0.0 defines them.
import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'

const PREFIX = 'whsec_'
const NEW_BYTES = 32
const MIN_BYTES = 24
const MAX_BYTES = 64

const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** True for the base64 of 24 to 64 bytes, after the prefix. */
function isSecret(value: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length > 2 * MAX_BYTES) return false
  const bytes = bytesOf(value)
  const isWhole = bytes.toString('base64').replaceAll('=', '') === value.slice(PREFIX.length).replaceAll('=', '')
  return isWhole && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES
}

/** The input schema of a secret. The message has no part of it. */
export const webhookSecret = z
  .string()
  .refine(isSecret, `must be "${PREFIX}" and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`)

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(NEW_BYTES).toString('base64')}`

/** What a signature covers. */
export interface SignedContent {
  /** The value of `webhook-id`. */
  readonly id: string
  /** The value of `webhook-timestamp`, in seconds. */
  readonly timestamp: number
  readonly body: string
}

/** The value of `webhook-signature`: one signature for each secret. */
export const webhookSignature = (secrets: readonly string[], { id, timestamp, body }: SignedContent): string =>
  secrets
    .map((secret) => createHmac('sha256', bytesOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ')
