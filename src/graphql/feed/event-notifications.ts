// The mutation that deletes the notifications of one event.
import { deleteNotificationsOfEvent } from '../../domain/execution/event-notifications.ts'
import { addressOf } from '../schema/address.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { Event } from '../trigger/event.ts'

const named = addressOf(Event, { transactionId: 'The transaction id of the event.' })

mutationField('deleteNotificationsOfEvent', {
  description:
    'Deletes the notifications of an event from all feeds. The execution log keeps what was sent. If the request fails, some may be deleted: send it again.',
  input: named.fields,
  resolver: deleteNotificationsOfEvent,
  decode: named.decode,
  payload: {
    deleted: (t) => part(t, 'Int', 'The number of deleted notifications.', ({ deleted }) => deleted),
  },
})
