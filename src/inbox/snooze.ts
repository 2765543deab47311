// Snoozing: when a notification may return, and the requests.
import { snooze, unsnooze } from './documents.ts'
import { assertDone } from './errors.ts'
import type { Session } from './session.ts'

/** The offered times, earliest first, by the names of their texts. */
export const snoozeTimes = ['inAnHour', 'tomorrow', 'nextWeek'] as const
export type SnoozeTime = (typeof snoozeTimes)[number]

const HOUR = 3_600_000

/** The hour of the day at which notifications return on a later day. */
const MORNING = 9

/** Returns the morning of a day, in the time zone of the browser. @param days from today. */
function morningIn(days: number, now: Date): Date {
  const date = new Date(now)
  date.setDate(date.getDate() + days)
  date.setHours(MORNING, 0, 0, 0)
  return date
}

/** @returns an hour from now, tomorrow morning, or the morning of next Monday. */
export function timeOf(name: SnoozeTime, now: Date): Date {
  if (name === 'inAnHour') return new Date(now.getTime() + HOUR)
  return morningIn(name === 'tomorrow' ? 1 : ((7 - now.getDay()) % 7) + 1, now)
}

export async function snoozeOne(session: Session, id: string, until: Date): Promise<void> {
  assertDone((await session.send(snooze, { input: { id, until: until.toISOString() } })).snoozeNotification)
}

export async function unsnoozeOne(session: Session, id: string): Promise<void> {
  assertDone((await session.send(unsnooze, { input: { id } })).unsnoozeNotification)
}
