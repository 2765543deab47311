// Changes to the credentials of a subscriber in the graph, one provider at a time.
import {
  appendSubscriberCredentials,
  deleteSubscriberCredentials,
  setSubscriberCredentials,
} from '../domain/subscriber-credential.ts'
import { credentialAddress, credentialFields } from './credential.ts'
import { mutationField } from './schema/mutation.ts'
import { namedSubscriber, Subscriber } from './subscriber.ts'
import { keepsIt } from './schema/wording.ts'

mutationField('setSubscriberCredentials', {
  description: 'Replaces all credentials of a subscriber for one provider.',
  input: (t) => ({ ...namedSubscriber.fields(t), ...credentialFields(t) }),
  resolver: setSubscriberCredentials,
  decode: namedSubscriber.decode,
  payload: { subscriber: Subscriber },
})

mutationField('appendSubscriberCredentials', {
  description: `Adds device tokens to the credentials of a subscriber for one provider. A given webhook URL replaces the current one. ${keepsIt}`,
  input: (t) => ({ ...namedSubscriber.fields(t), ...credentialFields(t) }),
  resolver: appendSubscriberCredentials,
  decode: namedSubscriber.decode,
  payload: { subscriber: Subscriber },
})

mutationField('deleteSubscriberCredentials', {
  description:
    "Deletes the credentials of a subscriber for one provider, for one of the provider's integrations or for all.",
  input: (t) => ({ ...namedSubscriber.fields(t), ...credentialAddress(t) }),
  resolver: deleteSubscriberCredentials,
  decode: namedSubscriber.decode,
  payload: { subscriber: Subscriber },
})
