// The message that led to a suppression.
import { delivery } from '../../domain/execution/delivery.ts'
import { builder } from '../schema/builder.ts'
import { edge } from '../schema/query.ts'
import { Suppression } from '../suppression.ts'
import { Delivery } from './delivery.ts'

builder.objectField(Suppression, 'sourceDelivery', (t) =>
  edge(t, {
    description: 'The message that led to the suppression. Null if there is none, or if it was deleted.',
    type: Delivery,
    nullable: true,
    resolver: delivery,
    decode: ({ sourceDeliveryId }) => (sourceDeliveryId === null ? null : { id: sourceDeliveryId }),
  }),
)
