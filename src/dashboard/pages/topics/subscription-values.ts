// The values of the form of a topic subscription.
import type { PreferenceEntry } from './preference-entries.ts'

export interface SubscriptionValues {
  readonly subscriberId: string | null
  readonly identifier: string
  readonly name: string
  readonly contexts: string[]
  readonly preferences: PreferenceEntry[]
}
