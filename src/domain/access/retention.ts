// Retention: the number of days for which events and notifications are kept.
import { z } from 'zod'

/** The longest retention, in days. */
export const MAX_RETENTION_DAYS = 3_650

/**
 * The retention that is recorded at the first start with a new database. Databases of versions without retention keep
 * everything.
 */
export const newOrganizationRetention = { retentionDays: 90, feedRetentionDays: 90 } as const

const range = `must be a whole number from 0 to ${MAX_RETENTION_DAYS}`

/** The environment's own retention, in days. 0 keeps everything. */
export const retentionDays = z.int(range).min(0, range).max(MAX_RETENTION_DAYS, range)

/** A setting of the process, in days. If undefined, the value in the database applies. */
export type RetentionSetting = number | 'off' | undefined

export interface RetentionSettings {
  /** The retention of finished events, with their runs, steps, deliveries and attempts. */
  readonly events: RetentionSetting
  /** The retention of notifications. */
  readonly feed: RetentionSetting
}

/**
 * Returns the days after which an environment's rows are deleted, or undefined if they are kept.
 *
 * @param own the environment's retention. @param setting the process's. @param stored the organization's.
 */
export function daysKept(own: number | null, setting: RetentionSetting, stored: number | null): number | undefined {
  if (own !== null) return own === 0 ? undefined : own
  if (setting !== undefined) return setting === 'off' ? undefined : setting
  return stored ?? undefined
}
