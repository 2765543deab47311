// The recipients and the actor of an event, as its trigger named them.
import {
  type Everyone,
  type NamedSubscriber,
  type NamedTopic,
  recipientsNamedIn,
} from '../../domain/trigger/recipient.ts'
import { subscriber } from '../../domain/subscriber.ts'
import { topic } from '../../domain/topic.ts'
import { builder } from '../schema/builder.ts'
import { edge } from '../schema/query.ts'
import { keyOf } from '../schema/wording.ts'
import { Subscriber } from '../subscriber.ts'
import { Topic } from '../topic.ts'
import { Event } from './event.ts'

const SubscriberRecipient = builder.objectRef<NamedSubscriber>('SubscriberRecipient').implement({
  description:
    'A subscriber as a recipient of a trigger. The trigger has written its changes to the subscriber, and the event does not keep them.',
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId in the trigger.' }),
    subscriber: edge(t, {
      description:
        'The subscriber. Null if it was deleted, even if another one was created later under the same `subscriberId`.',
      type: Subscriber,
      nullable: true,
      resolver: subscriber,
      decode: ({ subscriberId, id }) => (id === undefined ? { subscriberId } : { id }),
    }),
  }),
})

const TopicRecipient = builder.objectRef<NamedTopic>('TopicRecipient').implement({
  description: 'All subscribers of a topic, as a recipient of a trigger.',
  fields: (t) => ({
    topicKey: t.exposeString('topicKey', { description: keyOf('topic') }),
    topic: edge(t, {
      description: 'The topic that now has this key. Null if there is none.',
      type: Topic,
      nullable: true,
      resolver: topic,
      decode: ({ topicKey }) => ({ key: topicKey }),
    }),
    exclude: t.exposeStringList('exclude', {
      description: 'The subscriberIds that the trigger excludes. The actor is excluded too.',
    }),
  }),
})

const EveryoneRecipient = builder.objectRef<Everyone>('EveryoneRecipient').implement({
  description: 'Every subscriber of the environment, as a recipient of a trigger. The actor is excluded.',
  fields: (t) => ({
    everyone: t.exposeBoolean('everyone', { description: 'Always true.' }),
  }),
})

const Recipient = builder.unionType('Recipient', {
  description: 'A recipient of a trigger: a subscriber, a topic, or everyone.',
  types: [SubscriberRecipient, TopicRecipient, EveryoneRecipient],
  resolveType(named) {
    if ('everyone' in named) return EveryoneRecipient
    return 'topicKey' in named ? TopicRecipient : SubscriberRecipient
  },
})

builder.objectFields(Event, (t) => ({
  to: t.field({
    type: [Recipient],
    description: 'The recipients in the trigger: subscribers without duplicates, then topics, then everyone.',
    resolve: recipientsNamedIn,
  }),
  actorSubscriberId: t.exposeString('actor', {
    nullable: true,
    description:
      'The subscriberId of the actor, the subscriber that caused the trigger. Null if the trigger names none.',
  }),
  actorSubscriber: edge(t, {
    description: 'The subscriber that now has the subscriberId of the actor. Null if there is none.',
    type: Subscriber,
    nullable: true,
    resolver: subscriber,
    decode: ({ actor }) => (actor === null ? null : { subscriberId: actor }),
  }),
}))
