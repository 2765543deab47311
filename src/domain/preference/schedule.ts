// The schedule of a subscriber: the hours of the week in which it receives messages, in its time zone.
import { z } from 'zod'
import {
  firstInstantWithin,
  isTimeZone,
  localTimeAt,
  type MinuteRange,
  MINUTES_OF_DAY,
} from '../../lib/time/time-zone.ts'
import { jsonColumn } from '../channel/stored-json.ts'

/** The days of the week as a schedule names them, in the order of their numbers: 0 is Sunday. */
export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
export type Weekday = (typeof weekdays)[number]

/** Maximum ranges of hours of a day. */
export const MAX_HOURS = 24

const form = /^(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?: ?(?<half>[AP]M))?$/i

/** Returns the minute of the day, 0 to 1440, or undefined if the text is not a local time. */
function minuteOf(text: string): number | undefined {
  const { hour = '', minute = '', half } = form.exec(text)?.groups ?? {}
  const [hours, minutes] = [Number(hour), Number(minute)]
  if (hour === '') return undefined
  if (half === undefined) return hours < 24 || text === '24:00' ? hours * 60 + minutes : undefined
  if (hours < 1 || hours > 12) return undefined
  return (hours % 12) * 60 + minutes + (half.toUpperCase() === 'PM' ? 720 : 0)
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
const textOf = (minute: number) => `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`

/** Writes a stored local time as `09:00 AM`. The end of the day is `12:00 AM`. */
export function onTwelveHours(stored: string): string {
  const minute = (minuteOf(stored) ?? 0) % MINUTES_OF_DAY
  const hour = Math.floor(minute / 60) % 12
  return `${twoDigits(hour === 0 ? 12 : hour)}:${twoDigits(minute % 60)} ${minute < 720 ? 'AM' : 'PM'}`
}

/** A local time as `09:00`, also given as `09:00 AM`. */
const localTime = z.string().transform((given, { issues }) => {
  const minute = minuteOf(given)
  if (minute !== undefined) return minute
  issues.push({ code: 'custom', message: 'must be a local time, such as "09:00 AM" or "09:00"', input: given })
  return z.NEVER
})

/** Hours from `start` until `end`, which can be midnight at the end of the day: `24:00` or `12:00 AM`. */
const hours = z
  .strictObject({
    start: localTime.meta({ description: 'The local time at which the hours begin, such as `09:00 AM` or `09:00`.' }),
    end: localTime.meta({
      description: 'The local time at which they end. `12:00 AM` and `24:00` are midnight at the end of the day.',
    }),
  })
  .transform(({ start, end }, { issues }) => {
    const until = end === 0 ? MINUTES_OF_DAY : end
    if (start < until) return { start: textOf(start), end: textOf(until) }
    const message = 'must be later than start: hours over midnight are two ranges, one of each day'
    issues.push({ code: 'custom', message, path: ['end'], input: end })
    return z.NEVER
  })

const day = z.strictObject({
  isEnabled: z.boolean().meta({ description: 'False if the day has no hours, whatever `hours` says.' }),
  hours: z
    .array(hours)
    .max(MAX_HOURS)
    .nullish()
    .transform((given) => given ?? [])
    .meta({ description: `At most ${MAX_HOURS} ranges. Without any, nothing is sent on this day.` }),
})

const weeklySchedule = z
  .strictObject({
    ...{ monday: day.nullish(), tuesday: day.nullish(), wednesday: day.nullish(), thursday: day.nullish() },
    ...{ friday: day.nullish(), saturday: day.nullish(), sunday: day.nullish() },
  } satisfies Record<Weekday, z.ZodType>)
  .meta({ description: 'The hours of each day. Nothing is sent on days that are absent.' })

/** The input schema of a schedule. */
export const scheduleInput = z
  .strictObject({
    isEnabled: z.boolean().meta({ description: 'False if messages are sent at all hours.' }),
    weeklySchedule: weeklySchedule.nullish().meta({ description: 'Absent keeps the stored hours.' }),
  })
  .meta({
    description:
      'The hours in which messages are sent, in the time zone of the subscriber. In-app messages and critical workflows ignore them. For all workflows only. Null removes the schedule.',
  })
type ScheduleInput = z.output<typeof scheduleInput>

/** A change of a schedule. Null removes it, and undefined leaves it unchanged. */
export type ScheduleChange = ScheduleInput | null | undefined

/**
 * A schedule as stored, with times such as `09:00` and `24:00`. Null hours mean that messages are sent at all hours. A
 * type of JSON, which an interface is not.
 */
export type Schedule = {
  readonly isEnabled: boolean
  readonly weeklySchedule: NonNullable<ScheduleInput['weeklySchedule']> | null
}

const storedSchedule = jsonColumn<Schedule>()

/** Reads the schedule in a column. Null if there is none. */
export const scheduleIn = (stored: Parameters<typeof storedSchedule>[0] | null | undefined): Schedule | null =>
  stored === null || stored === undefined ? null : storedSchedule(stored)

/** Returns the schedule with a change applied. */
export function changedSchedule(before: Schedule | null, change: ScheduleChange): Schedule | null {
  if (change === undefined) return before
  if (change === null) return null
  const { isEnabled, weeklySchedule } = change
  return { isEnabled, weeklySchedule: weeklySchedule ?? before?.weeklySchedule ?? null }
}

/** A time zone that this version of Node.js does not know counts as UTC, as does none. */
export const zoneOf = (timezone: string | null): string =>
  timezone !== null && isTimeZone(timezone) ? timezone : 'UTC'

const rangesIn =
  ({ weeklySchedule }: Schedule) =>
  (weekday: number): readonly MinuteRange[] => {
    const day = weeklySchedule?.[weekdays[weekday] ?? 'sunday']
    if (!day?.isEnabled) return []
    return day.hours.map(({ start, end }) => ({ from: minuteOf(start) ?? 0, until: minuteOf(end) ?? 0 }))
  }

const isUnlimited = ({ isEnabled, weeklySchedule }: Schedule) => !isEnabled || weeklySchedule === null

/** Returns true if messages are sent at a time. @param timezone that of the subscriber. Null is UTC. */
export function isOpen(schedule: Schedule | null, timezone: string | null, at: Date): boolean {
  if (schedule === null || isUnlimited(schedule)) return true
  const { weekday, minute } = localTimeAt(zoneOf(timezone), at)
  return rangesIn(schedule)(weekday).some(({ from, until }) => from <= minute && minute < until)
}

/** Daylight saving time can leave out the only hours of a week, but not of two. */
const SEARCHED_DAYS = 15

/** Returns the first time, at `from` or later, at which messages are sent. Undefined if there is none. */
export function nextOpening(schedule: Schedule | null, timezone: string | null, from: Date): Date | undefined {
  if (schedule === null || isUnlimited(schedule)) return from
  return firstInstantWithin(zoneOf(timezone), from, SEARCHED_DAYS, rangesIn(schedule))
}
