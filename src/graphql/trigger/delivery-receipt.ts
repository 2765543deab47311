// What providers report about deliveries: receipts and reports.
import { ReportKind as kinds } from '../../data/prisma/enums.ts'
import type { DeliveryReport as Report } from '../../data/prisma/client.ts'
import { type Receipted, receiptDetail, receiptOf, type ReceiptState as State } from '../../domain/execution/receipt.ts'
import { builder } from '../schema/builder.ts'
import { edge } from '../schema/query.ts'

export const ReceiptState = builder.enumType('ReceiptState', {
  description:
    'What a provider reported about a message that it accepted. Of several reports, the strongest one counts.',
  values: {
    UNKNOWN: { value: 'unknown', description: 'The provider has reported nothing.' },
    DEFERRED: { value: 'deferred', description: 'The provider could not deliver the message yet, and tries again.' },
    DELIVERED: { value: 'delivered', description: 'The server or the device of the recipient accepted the message.' },
    BOUNCED: { value: 'bounced', description: 'The message did not arrive, and the provider does not try again.' },
    COMPLAINED: { value: 'complained', description: 'The recipient reported the message as spam.' },
  } as const satisfies Record<Uppercase<State>, { value: State; description: string }>,
})

/** The fields of a delivery that its receipt is read from. */
interface ReceiptedDelivery extends Receipted {
  readonly id: string
}

export const DeliveryReceipt = builder.objectRef<ReceiptedDelivery>('DeliveryReceipt').implement({
  description: 'What the provider reported about a message after it accepted it.',
  fields: (t) => ({
    state: t.field({ type: ReceiptState, description: 'The state.', resolve: (delivery) => receiptOf(delivery).state }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The time of what happened, as the provider says. Null if the state is `UNKNOWN`.',
      resolve: (delivery) => receiptOf(delivery).at,
    }),
    detail: edge(t, {
      type: 'String',
      nullable: true,
      description: 'What the provider says about it. Null if it says nothing, and if the subscriber was deleted.',
      resolver: receiptDetail,
      decode: (delivery) => {
        const { state } = receiptOf(delivery)
        return state === 'unknown' ? null : { deliveryId: delivery.id, state }
      },
    }),
  }),
})

const ReportKind = builder.enumType('ReportKind', {
  description: 'What happened to a message after its provider accepted it.',
  values: {
    ACCEPTED: { value: kinds.accepted, description: 'The provider begins to deliver the message.' },
    DEFERRED: {
      value: kinds.deferred,
      description: 'The provider could not deliver the message yet, and tries again.',
    },
    DELIVERED: {
      value: kinds.delivered,
      description: 'The server or the device of the recipient accepted the message.',
    },
    BOUNCED_HARD: {
      value: kinds.bounced_hard,
      description: 'The message did not arrive, and further messages to the address would not either.',
    },
    BOUNCED_SOFT: {
      value: kinds.bounced_soft,
      description: 'The message did not arrive. Another one may, for example once the recipient has room again.',
    },
    DROPPED: { value: kinds.dropped, description: 'The provider did not try to deliver the message.' },
    COMPLAINED: { value: kinds.complained, description: 'The recipient reported the message as spam.' },
    UNSUBSCRIBED: { value: kinds.unsubscribed, description: 'The recipient unsubscribed at the provider.' },
  } as const,
})

export const DeliveryReport = builder.objectRef<Report>('DeliveryReport').implement({
  description: 'A report of a provider about a message.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ReportKind, description: 'What happened.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The time of what happened, as the provider says.' }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime', description: 'The time the report arrived.' }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'The address of a copy that the report is about. Null if it is about the recipient.',
    }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'What the provider says. Null if it says nothing, and if the subscriber was deleted.',
    }),
    code: t.exposeString('code', { nullable: true, description: 'The error code. Null if the provider gave none.' }),
  }),
})
