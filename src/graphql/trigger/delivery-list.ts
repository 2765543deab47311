// The lists of deliveries: of the environment and of a subscriber.
import { deliveries, deliveriesOfSubscriber } from '../../domain/execution/delivery.ts'
import { Channel } from '../channel.ts'
import { connectionOf, createdFields, listArgs } from '../schema/connection.ts'
import { readWorkflowCondition, workflowConditions } from '../schema/former-name.ts'
import { edgeList, queryList } from '../schema/query.ts'
import { builder } from '../schema/builder.ts'
import { anyOfThe, exactContexts, identifierOf, newestFirst } from '../schema/wording.ts'
import { Subscriber } from '../subscriber.ts'
import { Delivery, DeliveryStatus } from './delivery.ts'
import { ReceiptState } from './delivery-receipt.ts'
import { FailureCause } from './failure-cause.ts'

const DeliveryConnection = connectionOf(Delivery, 'A page of deliveries.')

const deliveryArgs = listArgs('Delivery', (t) => ({
  status: t.field({ type: DeliveryStatus, description: 'The status. `FAILED` lists dead letters.' }),
  statuses: t.field({ type: [DeliveryStatus], description: anyOfThe('statuses') }),
  causes: t.field({ type: [FailureCause], description: anyOfThe('causes of the failure') }),
  channel: t.field({ type: Channel, description: 'The channel.' }),
  channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
  integrationIdentifier: t.string({ description: identifierOf('integration') }),
  integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
  subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
  subscriberIds: t.stringList({ description: anyOfThe('recipients, by subscriberId') }),
  ...workflowConditions(t),
  workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
  stepIds: t.stringList({
    description: `${anyOfThe('steps that sent the message, by stepId')} Combine it with a workflow, because a stepId is unique in its workflow only.`,
  }),
  contextKeys: t.stringList({ description: exactContexts('deliveries of events') }),
  transactionId: t.string({ description: 'The transaction id of the event.' }),
  receipt: t.field({ type: ReceiptState, description: 'The state of the receipt.' }),
  receipts: t.field({ type: [ReceiptState], description: anyOfThe('states of the receipt') }),
  isCaptured: t.boolean({ description: 'True for captured messages only, false for all others.' }),
  search: t.string({
    description:
      'A part of the address of a captured message, case-insensitive: an email address, a phone number or the identifier of an endpoint. Finds captured messages only.',
  }),
  ...createdFields(t),
}))

queryList('deliveries', {
  description: `The deliveries of the environment. ${newestFirst}`,
  connection: DeliveryConnection,
  args: deliveryArgs,
  resolver: deliveries,
  decode: readWorkflowCondition,
})

builder.objectField(Subscriber, 'deliveries', (t) =>
  edgeList(t, {
    description: `The deliveries to the subscriber, including deliveries to an earlier subscriber with the same \`subscriberId\`. ${newestFirst}`,
    connection: DeliveryConnection,
    args: deliveryArgs,
    resolver: deliveriesOfSubscriber,
    decode: ({ subscriberId }, args) => ({ ...readWorkflowCondition(args), subscriberId }),
  }),
)
