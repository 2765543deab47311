// Changes to the credentials of a subscriber in the graph, one provider at a time.
import {
  appendSubscriberCredentials,
  deleteSubscriberCredentials,
  setSubscriberCredentials,
} from '../domain/subscriber-credential.ts'
import { credentialAddress, credentialFields } from './credential.ts'
import { mutationField } from './schema/mutation.ts'
import { subscriberField, subscriberIdField } from './subscriber.ts'

mutationField('setSubscriberCredentials', {
  description: 'Sets the credentials of one provider whole.',
  input: (t) => ({ subscriberId: subscriberIdField(t), ...credentialFields(t) }),
  resolver: setSubscriberCredentials,
  decode: (input) => input,
  payload: (t) => ({ subscriber: subscriberField(t) }),
})

mutationField('appendSubscriberCredentials', {
  description:
    'Adds device tokens to those of one provider. A webhook URL that is given replaces the old one; null leaves it.',
  input: (t) => ({ subscriberId: subscriberIdField(t), ...credentialFields(t) }),
  resolver: appendSubscriberCredentials,
  decode: (input) => input,
  payload: (t) => ({ subscriber: subscriberField(t) }),
})

mutationField('deleteSubscriberCredentials', {
  description: 'Forgets the credentials of one provider: of one integration when it is named, of all when not.',
  input: (t) => ({ subscriberId: subscriberIdField(t), ...credentialAddress(t) }),
  resolver: deleteSubscriberCredentials,
  decode: (input) => input,
  payload: (t) => ({ subscriber: subscriberField(t) }),
})
