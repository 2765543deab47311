// Subscriptions to changes of events and deliveries.
import {
  type Changed,
  changedDeliveries,
  changedEvents,
  deliveriesChanged,
  eventsChanged,
  MAX_CHANGED,
} from '../../domain/execution/change-stream.ts'
import { changePosition } from '../../domain/execution/change-position.ts'
import { Channel } from '../channel.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { edge, queryField } from '../schema/query.ts'
import { subscriptionField } from '../schema/subscription.ts'
import { anyOfThe, byDefault, exactContexts, identifierOf } from '../schema/wording.ts'
import { Delivery } from './delivery.ts'
import { Event } from './event.ts'

/** The fields of a result. @param noun in the plural. */
const resultOf = (noun: string) => ({
  order: `in the order of their last changes, at most ${MAX_CHANGED}. Deleted ${noun} are omitted.`,
  count: `The number of ${noun} that changed, without reading them: at most ${MAX_CHANGED}.`,
  hasMore: `True if ${noun} may have changed that are not listed: read the list again. Always true in the first result, unless \`since\` says what the client has read.`,
})

const eventResult = resultOf('events')
const ChangedEvents = builder.objectRef<Changed>('ChangedEvents').implement({
  description: 'Events that changed since the previous result of a subscription.',
  fields: (t) => ({
    events: edge(t, {
      description: `The events in their current state, ${eventResult.order}`,
      type: [Event],
      complexity: usualLength(MAX_CHANGED),
      resolver: changedEvents,
      decode: ({ ids }) => ({ ids: [...ids] }),
    }),
    count: t.int({ description: eventResult.count, resolve: ({ ids }) => ids.length }),
    hasMore: t.exposeBoolean('hasMore', { description: eventResult.hasMore }),
  }),
})

const deliveryResult = resultOf('deliveries')
const ChangedDeliveries = builder.objectRef<Changed>('ChangedDeliveries').implement({
  description: 'Deliveries that changed since the previous result of a subscription.',
  fields: (t) => ({
    deliveries: edge(t, {
      description: `The deliveries in their current state, ${deliveryResult.order}`,
      type: [Delivery],
      complexity: usualLength(MAX_CHANGED),
      resolver: changedDeliveries,
      decode: ({ ids }) => ({ ids: [...ids] }),
    }),
    count: t.int({ description: deliveryResult.count, resolve: ({ ids }) => ids.length }),
    hasMore: t.exposeBoolean('hasMore', { description: deliveryResult.hasMore }),
  }),
})

/** @param subscriber the description of the condition by subscriber. @param subscribers the same for several. */
const conditions = (t: InputFields, noun: string, subscriber: string, subscribers: string) => ({
  transactionId: t.string({ description: 'The transaction id of the event.' }),
  workflowIdentifier: t.string({ description: identifierOf('workflow') }),
  workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
  subscriberId: t.string({ description: `The subscriberId of ${subscriber}.` }),
  subscriberIds: t.stringList({ description: anyOfThe(`${subscribers}, by subscriberId`) }),
  contextKeys: t.stringList({ description: exactContexts(noun) }),
})

const allConditions = 'All conditions must match. A null condition is ignored.'

const ChangedEventsFilter = builder.inputType('ChangedEventsFilter', {
  description: `Filters a list of changed events. ${allConditions}`,
  fields: (t) => conditions(t, 'events', 'a recipient that has a run', 'recipients that have a run'),
})

const ChangedDeliveriesFilter = builder.inputType('ChangedDeliveriesFilter', {
  description: `Filters a list of changed deliveries. ${allConditions}`,
  fields: (t) => ({
    ...conditions(t, 'deliveries of events', 'the recipient', 'recipients'),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    integrationIdentifier: t.string({ description: identifierOf('integration') }),
    integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
  }),
})

const filterDescription =
  'Filters the stream by what never changes, so that the stream also shows what leaves a list. All conditions must match.'
const atMostEachSecond = 'Emits at once, and then at most once a second.'

const sinceDescription = `The \`changePosition\` of the query that read the list. The first result then has the changes since that query. ${byDefault('the first result has none, and `hasMore` is true')}`

queryField('changePosition', {
  description:
    'The position in the changes of events and deliveries before everything else that the query reads. A subscription can begin there within a minute: pass it as `since`. An opaque text.',
  type: 'String',
  resolver: changePosition,
})

subscriptionField('eventsChanged', {
  description: `Emits events that were accepted, retried or cancelled, or of which a run or a message changed. ${atMostEachSecond}`,
  type: ChangedEvents,
  args: (arg) => ({
    filter: arg({ type: ChangedEventsFilter, description: filterDescription }),
    since: arg.string({ description: sinceDescription }),
  }),
  resolver: eventsChanged,
})

subscriptionField('deliveriesChanged', {
  description: `Emits deliveries that were created, attempted, retried or cancelled. ${atMostEachSecond}`,
  type: ChangedDeliveries,
  args: (arg) => ({
    filter: arg({ type: ChangedDeliveriesFilter, description: filterDescription }),
    since: arg.string({ description: sinceDescription }),
  }),
  resolver: deliveriesChanged,
})
