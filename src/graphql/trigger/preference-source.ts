// The messages that led to changes of preferences.
import { delivery } from '../../domain/execution/delivery.ts'
import { PreferenceChange } from '../preference-change.ts'
import { builder } from '../schema/builder.ts'
import { edge } from '../schema/query.ts'
import { Delivery } from './delivery.ts'

builder.objectField(PreferenceChange, 'delivery', (t) =>
  edge(t, {
    description:
      'The message that led to the change, such as the one whose link was clicked. Null for none, and if it was deleted. Not available to browser sessions.',
    type: Delivery,
    nullable: true,
    resolver: delivery,
    decode: ({ deliveryId }) => (deliveryId === null ? null : { id: deliveryId }),
  }),
)
