// The values of the form of an environment, and their names on the page.
import type { environmentTypes } from './environment-type.ts'

/** What happens to messages. */
export const sendingModes = {
  LIVE: 'Sent',
  CAPTURE: 'Captured, not sent',
  REDIRECT: 'Redirected to a tester',
} as const

export interface EnvironmentValues {
  /** The purpose, which stays. */
  readonly type: keyof typeof environmentTypes
  readonly name: string
  /** As #rgb or #rrggbb. */
  readonly color: string
  readonly parentId: string | null
  /** Empty if the gateway's configuration applies. */
  readonly retentionDays: number | ''
  readonly feedRetentionDays: number | ''
  readonly sending: keyof typeof sendingModes
  /** Empty if messages are captured instead of redirected. */
  readonly redirectTo: string
  readonly allowedDestinations: readonly string[]
  readonly allowsUnsignedSessions: boolean
  /** Needed to allow them in production. */
  readonly confirmUnsignedSessions: boolean
}

/** The fields of the form, for a comparison. */
export const environmentLabels = {
  type: 'Type',
  name: 'Name',
  color: 'Color',
  parentId: 'Parent',
  retentionDays: 'Days that events are kept',
  feedRetentionDays: 'Days that notifications are kept',
  sending: 'Messages are',
  redirectTo: 'Redirect to',
  allowedDestinations: 'Allowed destinations',
  allowsUnsignedSessions: 'Allow unsigned sessions',
  confirmUnsignedSessions: 'Let anyone read the feeds of this production environment',
} as const satisfies Record<keyof EnvironmentValues, string>
