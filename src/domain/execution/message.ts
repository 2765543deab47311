// Messages: notifications of feeds, and what other channels deliver, in one list.
import { z } from 'zod'
import { listedMessages } from '../../data/feed/message-list.ts'
import { deliveriesById } from '../../data/delivery.ts'
import { notificationsById } from '../../data/feed/notification.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { MAX_PAGE_SIZE, MAX_SKIP } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { contextKeysFilter } from '../context.ts'
import type { Notification } from '../notification.ts'
import { query } from '../resolver/resolver.ts'
import { type Delivery, shown } from './delivery.ts'

export type AnyMessage = Notification | Delivery

/** True for a notification of a feed. */
export const isNotification = (message: AnyMessage): message is Notification => 'body' in message

/** A page of messages. */
export interface MessagePage {
  readonly rows: readonly AnyMessage[]
  /** True if there are older messages. */
  readonly hasNext: boolean
}

/** Lists messages of all channels, newest first. Without filter, those of the whole environment. */
export const messages = query({
  name: 'message.list',
  permission: 'event:read',
  input: z.object({
    first: z.int().min(1).max(MAX_PAGE_SIZE),
    skip: z.int().min(0).max(MAX_SKIP).nullish(),
    filter: filterOf({
      channel: z.enum(Channel),
      channels: severalOf(z.enum(Channel)),
      subscriberId: text(255),
      subscriberIds: severalOf(text(255)),
      transactionId: text(255),
      transactionIds: severalOf(text(255)),
      contextKeys: contextKeysFilter,
    }),
  }),
  async run(scope, { first, skip, filter }): Promise<MessagePage> {
    const stored = {
      contextKeys: filter.contextKeys,
      channels: valuesOf(filter.channel, filter.channels),
      subscriberIds: valuesOf(filter.subscriberId, filter.subscriberIds),
      transactionIds: valuesOf(filter.transactionId, filter.transactionIds),
    }
    const listed = await listedMessages(scope, stored, { skip: skip ?? 0, take: first + 1 })
    const found = await Promise.all(
      listed.slice(0, first).map(async ({ id, isNotification }): Promise<AnyMessage | null> => {
        if (isNotification) return scope.load(notificationsById, id)
        const row = await scope.load(deliveriesById, id)
        return row && shown(row)
      }),
    )
    return { rows: found.filter((row) => row !== null), hasNext: listed.length > first }
  },
})
