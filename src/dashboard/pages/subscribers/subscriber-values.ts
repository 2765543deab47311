// The values of the form of a subscriber: every field is a text.
import { formatJson, parseJsonObject } from '../../parts/form/json-object.ts'

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

/** The texts of a stored profile. Null if not set. */
type StoredProfile = {
  readonly [Field in keyof Omit<SubscriberValues, 'subscriberId' | 'data'>]: string | null
} & { readonly subscriberId: string; readonly data: Readonly<Record<string, unknown>> }

/** Returns the form's values of a subscriber. */
export const profileValues = (stored: StoredProfile): SubscriberValues => ({
  subscriberId: stored.subscriberId,
  firstName: stored.firstName ?? '',
  lastName: stored.lastName ?? '',
  email: stored.email ?? '',
  phone: stored.phone ?? '',
  avatar: stored.avatar ?? '',
  locale: stored.locale ?? '',
  timezone: stored.timezone ?? '',
  data: formatJson(stored.data),
})

/** The fields that the form can change. */
export const profileLabels = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
  locale: 'Locale',
  timezone: 'Time zone',
  avatar: 'Avatar',
  data: 'Data',
} as const satisfies Record<keyof Omit<SubscriberValues, 'subscriberId'>, string>
