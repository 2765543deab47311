// The request of one webhook message, and its response.
import type { TakenWebhook } from '../../data/queue/webhook-queue.ts'
import { DecryptionError } from '../../domain/resolver/decrypt.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import type { WebhookResponse } from '../../domain/webhook/webhook-attempt.ts'
import { webhookBody } from '../../domain/webhook/webhook-body.ts'
import { webhookSignature } from '../../domain/webhook/webhook-secret.ts'
import { openSecret } from '../../domain/webhook/webhook-subscription.ts'
import { shorten } from '../../lib/shorten.ts'
import { type Outbound, Unreachable } from '../network/outbound.ts'

/** Maximum characters of a response that are kept. */
const MAX_ANSWER = 1_000

const noResponse = (error: string): WebhookResponse => ({ status: null, answer: null, retryAfter: null, error })

/** PostgreSQL cannot store this character. */
const storable = (text: string): string => text.replaceAll('\0', '')

/** Composes, signs and sends the request of a delivery. The signature has the time of the attempt. */
export async function sendWebhook(
  scope: EnvironmentScope,
  outbound: Outbound,
  delivery: TakenWebhook,
): Promise<WebhookResponse> {
  const { environmentId } = scope
  const id = `msg_${delivery.messageId}`
  const timestamp = Math.floor(scope.now().getTime() / 1000)
  try {
    const open = (ciphertext: string) => openSecret(scope, { identifier: delivery.subscription }, ciphertext)
    const secrets = [delivery.secret, delivery.formerSecret].flatMap((secret) =>
      secret === null ? [] : [open(secret)],
    )
    const url = open(delivery.url)
    const body = await webhookBody(scope, delivery, delivery.includeContent)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'notification-gateway',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature(secrets, { id, timestamp, body }),
    }
    const { status, text, retryAfter } = await outbound.request({ method: 'POST', url, headers, body, environmentId })
    return { status, answer: shorten(storable(text), MAX_ANSWER) || null, retryAfter, error: null }
  } catch (error) {
    if (error instanceof Unreachable) return noResponse(error.message)
    if (error instanceof DecryptionError) return noResponse(`The secrets of the ${error.owner} cannot be decrypted.`)
    throw error
  }
}
