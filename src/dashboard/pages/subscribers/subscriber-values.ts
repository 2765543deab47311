// The values of the form of a subscriber: every field is a text.
import { parseJsonObject } from '../../parts/form/json-object.ts'

export interface SubscriberValues {
  readonly subscriberId: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly avatar: string
  readonly locale: string
  readonly timezone: string
  /** A JSON object as text. */
  readonly data: string
}

export const emptyProfile: SubscriberValues = {
  subscriberId: '',
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  avatar: '',
  locale: '',
  timezone: '',
  data: '{}',
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

/** Returns the mutation input. Empty fields are cleared. @throws SyntaxError if `data` is not a JSON object */
export const profileInput = (values: SubscriberValues) => ({
  subscriberId: values.subscriberId,
  firstName: orNull(values.firstName),
  lastName: orNull(values.lastName),
  email: orNull(values.email),
  phone: orNull(values.phone),
  avatar: orNull(values.avatar),
  locale: orNull(values.locale),
  timezone: orNull(values.timezone),
  data: parseJsonObject(values.data),
})
