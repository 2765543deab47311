// Messages of all channels in one list.
import { isNotification, type MessagePage, messages } from '../../domain/execution/message.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_SKIP } from '../../lib/page.ts'
import { Channel } from '../channel.ts'
import { builder } from '../schema/builder.ts'
import { queryField } from '../schema/query.ts'
import { anyOfThe, byDefault, exactContexts } from '../schema/wording.ts'
import { Delivery } from '../trigger/delivery.ts'
import { Notification } from '../trigger/notification.ts'

const Message = builder.unionType('Message', {
  description: 'A notification in a feed, or a message of another channel.',
  types: [Notification, Delivery],
  resolveType: (message) => (isNotification(message) ? Notification : Delivery),
})

const Messages = builder.objectRef<MessagePage>('Messages').implement({
  description: 'A part of the list of messages.',
  fields: (t) => ({
    nodes: t.field({ type: [Message], description: 'The messages, newest first.', resolve: ({ rows }) => [...rows] }),
    hasNextPage: t.exposeBoolean('hasNext', { description: 'True if there are older messages.' }),
  }),
})

const MessageFilter = builder.inputType('MessageFilter', {
  description: 'Filters a list of messages. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
    subscriberIds: t.stringList({ description: anyOfThe('recipients, by subscriberId') }),
    transactionId: t.string({ description: 'The transaction id of the event.' }),
    contextKeys: t.stringList({ description: exactContexts('messages') }),
  }),
})

queryField('messages', {
  description:
    'The messages of all channels, newest first. For long lists, use `deliveries` and the notifications of a subscriber, which have cursors.',
  type: Messages,
  args: (arg) => ({
    first: arg.int({
      description: `The maximum number of messages: 1 to ${MAX_PAGE_SIZE}. ${byDefault(String(DEFAULT_PAGE_SIZE))}`,
    }),
    skip: arg.int({ description: `The number of newer messages to skip, at most ${MAX_SKIP}. ${byDefault('0')}` }),
    filter: arg({
      type: MessageFilter,
      description: `Filters the list. All conditions must match. ${byDefault('all messages')}`,
    }),
  }),
  resolver: messages,
  decode: ({ first, skip, filter }) => ({ first: first ?? DEFAULT_PAGE_SIZE, skip, filter }),
})
