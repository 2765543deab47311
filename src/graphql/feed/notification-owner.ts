// From a notification to its subscriber and contexts, which browser sessions cannot read. The former fields are not
// nullable, so a session that selects them loses what is around them.
import { contextsOf } from '../../domain/context.ts'
import type { Notification as NotificationRow } from '../../domain/notification.ts'
import { subscriberOf } from '../../domain/subscriber.ts'
import { Context } from '../context.ts'
import { builder } from '../schema/builder.ts'
import { formerNameOf, replacedBy } from '../schema/former-name.ts'
import { edge } from '../schema/query.ts'
import { contextsIn } from '../schema/wording.ts'
import { Subscriber } from '../subscriber.ts'
import { Notification } from '../trigger/notification.ts'

const toSubscriber = {
  type: Subscriber,
  resolver: subscriberOf,
  decode: ({ subscriberId }: NotificationRow) => ({ subscriberId }),
}

const toContexts = {
  type: [Context] as [typeof Context],
  resolver: contextsOf,
  decode: ({ contextKeys }: NotificationRow) => ({ contextKeys }),
}

builder.objectFields(Notification, (t) => ({
  recipient: edge(t, {
    ...toSubscriber,
    nullable: true,
    description: 'The notified subscriber. Null for browser sessions, which cannot read it.',
  }),
  subscriber: edge(t, {
    ...toSubscriber,
    description: formerNameOf('recipient'),
    deprecationReason: replacedBy('recipient'),
  }),
  feedContexts: edge(t, {
    ...toContexts,
    nullable: true,
    description: `${contextsIn('feed')} Null for browser sessions, which cannot read them.`,
  }),
  contexts: edge(t, {
    ...toContexts,
    description: `${contextsIn('feed')} ${formerNameOf('feedContexts')}`,
    deprecationReason: replacedBy('feedContexts'),
  }),
}))
