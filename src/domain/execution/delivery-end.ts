// The end of a message, as webhook messages tell it.
import type { Delivery, Prisma } from '../../data/prisma/client.ts'
import { shorten } from '../../lib/shorten.ts'
import type { SendFailure } from '../channel/provider-directory.ts'
import { recordWebhookMessages, type WebhookChange } from '../outbox/webhook-message.ts'
import { MAX_DETAIL } from '../outbox/webhook-type.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** The columns of a delivery that webhook messages about it need. */
export const tellableColumns = {
  id: true,
  channel: true,
  subscriberId: true,
  workflowIdentifier: true,
  eventId: true,
  contextKeys: true,
  providerId: true,
  integrationIdentifier: true,
} as const satisfies Prisma.DeliverySelect

type TellableDelivery = Pick<Delivery, keyof typeof tellableColumns>

/**
 * What webhook messages about messages say, in the order of the deliveries. Also for reports of providers, which add to
 * the data.
 */
export async function tellableDeliveries(
  { db, environmentId }: Pick<EnvironmentScope, 'db' | 'environmentId'>,
  deliveries: readonly TellableDelivery[],
): Promise<WebhookChange[]> {
  const ids = deliveries.flatMap(({ eventId }) => eventId ?? [])
  const events = await db.event.findMany({
    where: { environmentId, id: { in: ids } },
    select: { id: true, transactionId: true },
  })
  const transactionIds = new Map(events.map(({ id, transactionId }) => [id, transactionId]))
  return deliveries.map(({ id, contextKeys, ...delivery }) => {
    const { channel, subscriberId, workflowIdentifier, eventId, providerId, integrationIdentifier } = delivery
    const transactionId = (eventId === null ? undefined : transactionIds.get(eventId)) ?? null
    return {
      data: {
        messageId: id,
        ...{ channel, subscriberId, workflowIdentifier, eventId, transactionId, contextKeys },
        ...{ providerId, integrationIdentifier },
      },
      contextKeys,
    }
  })
}

/** Records a webhook message about a message that was sent or has failed. Call it in the transaction that ends it. */
export async function tellEnd(
  scope: EnvironmentScope,
  delivery: TellableDelivery,
  failure: Pick<SendFailure, 'reason' | 'cause'> | undefined,
): Promise<void> {
  const type = failure === undefined ? 'message.sent' : 'message.failed'
  await recordWebhookMessages(scope, type, async () => {
    const changes = await tellableDeliveries(scope, [delivery])
    if (failure === undefined) return changes
    const { cause, reason } = failure
    return changes.map(({ data, ...change }) => ({
      ...change,
      data: { ...data, cause, detail: shorten(reason, MAX_DETAIL) },
    }))
  })
}
