// Receivers of webhook messages, which verify every request with the public library.
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import type { Client } from '../world.ts'
import type { Receiver } from './receiver.ts'

const body = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
  environmentId: z.uuid(),
  isTest: z.literal(true).optional(),
})

/** A webhook message that was received. */
export interface ReceivedWebhook extends z.output<typeof body> {
  /** The value of `webhook-id`. */
  readonly id: string
}

const text = z.string()

/** The headers that the library reads. */
export const signatureOf = ({ headers }: Pick<Receiver['last'], 'headers'>): Record<string, string> => ({
  'webhook-id': text.parse(headers['webhook-id']),
  'webhook-timestamp': text.parse(headers['webhook-timestamp']),
  'webhook-signature': text.parse(headers['webhook-signature']),
})

/** Verifies a request. @throws if the signature does not match. */
export function verified(secret: string, request: Receiver['last']): ReceivedWebhook {
  const headers = signatureOf(request)
  const payload: unknown = new Webhook(secret).verify(request.body, headers)
  return { ...body.parse(payload), id: text.parse(headers['webhook-id']) }
}

/** A subscription of a test, whose URL is that of a receiver. */
export interface Subscribed {
  readonly id: string
  readonly identifier: string
  readonly secret: string
  /** The messages that were received, in the order of their arrival. */
  readonly messages: () => readonly ReceivedWebhook[]
}

/** Creates a subscription. @param given the input besides the URL. */
export async function subscribe(
  client: Client,
  receiver: Receiver,
  given: Readonly<Record<string, unknown>> & { readonly eventTypes: readonly string[]; readonly identifier?: string },
): Promise<Subscribed> {
  const { identifier = 'crm' } = given
  const path = `/${identifier}`
  const created = await client.act(
    'createWebhookSubscription',
    { identifier, url: `${receiver.url}${path}`, ...given },
    'secret webhookSubscription { id }',
  )
  const { secret, webhookSubscription } = z
    .object({ secret: z.string(), webhookSubscription: z.object({ id: z.string() }) })
    .parse(created)
  const messages = () =>
    receiver.received.filter((request) => request.path === path).map((request) => verified(secret, request))
  return { id: webhookSubscription.id, identifier, secret, messages }
}
