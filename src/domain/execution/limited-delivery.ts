// Messages that wait for the rate limit of their integration.
import { z } from 'zod'
import { attemptsByDelivery } from '../../data/delivery.ts'
import { DeliveryStatus } from '../../data/prisma/enums.ts'
import { refills } from '../../data/queue/send-rate.ts'
import { query } from '../resolver/resolver.ts'

/**
 * Returns the time until which a message waits for the rate limit of its integration. Null if it does not: it has ended,
 * is being sent, or waits for a later attempt. Batched.
 */
export const rateLimitedUntil = query({
  name: 'delivery.getRateLimitedUntil',
  permission: 'event:read',
  input: z.object({
    id: z.uuid(),
    status: z.enum(DeliveryStatus),
    integrationId: z.string().nullable(),
    attemptCount: z.int(),
  }),
  async run({ load, now }, { id, status, integrationId, attemptCount }): Promise<Date | null> {
    if (status !== 'pending' || integrationId === null) return null
    const until = (await load(refills, integrationId))?.readyAt
    if (until === undefined || until <= now()) return null
    const attempts = await load(attemptsByDelivery, id)
    const nextAt = attempts.at(-1)?.nextAt ?? null
    const isBeingSent = attempts.length < attemptCount
    return isBeingSent || (nextAt !== null && nextAt > until) ? null : until
  },
})
