// Import and export of subscribers.
import { createSubscribers, MAX_BULK, subscribers } from '../../domain/subscriber.ts'
import { pagesOf } from './rows.ts'
import type { Transfer } from './transfer.ts'

export const subscriberTransfer: Transfer = {
  unit: 'subscribers',
  columns: {
    subscriberId: { required: true },
    firstName: {},
    lastName: {},
    email: {},
    phone: {},
    avatar: {},
    locale: {},
    timezone: {},
    data: { json: true },
    channels: { json: true, secret: true },
  },
  batch: MAX_BULK,
  existing: 'updated',
  async write(scope, items) {
    const { created, updated, failed } = await createSubscribers(scope, { subscribers: [...items] })
    return { created: created.length, existing: updated.length, failed }
  },
  async *read(scope) {
    const orderBy = { field: 'createdAt', direction: 'asc' } as const
    for await (const rows of pagesOf(scope, (page) => subscribers(scope, { page, orderBy, filter: null }))) {
      yield rows.map(({ subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data }) => ({
        subscriberId,
        firstName,
        lastName,
        email,
        phone,
        avatar,
        locale,
        timezone,
        data,
      }))
    }
  },
}
