// Subscriptions to the in-app feed of a subscriber.
import type { ArgBuilder } from '@pothos/core'
import { notificationCountsChanged, notificationReceived } from '../../domain/notification-stream.ts'
import { feedContexts, Notification, NotificationCounts } from './notification.ts'
import type { SchemaTypes } from '../schema/builder.ts'
import { subscriptionField } from '../schema/subscription.ts'

const feedArgs = (arg: ArgBuilder<SchemaTypes>) => ({
  subscriberId: arg.string({ required: true, description: 'The subscriberId of the subscriber.' }),
  contextKeys: arg.stringList({ description: feedContexts }),
})

subscriptionField('notificationReceived', {
  description: 'Emits each new notification of a feed.',
  type: Notification,
  args: feedArgs,
  resolver: notificationReceived,
})

subscriptionField('notificationCountsChanged', {
  description: 'Emits the notification counts of a feed at the start and after each change.',
  type: NotificationCounts,
  args: feedArgs,
  resolver: notificationCountsChanged,
})
