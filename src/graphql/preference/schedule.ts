// The schedule of a subscriber: the hours of the week in which it receives messages.
import { MAX_HOURS, type Schedule, type Weekday as WeekdayName, weekdays } from '../../domain/preference/schedule.ts'
import type { Path } from '../../lib/errors.ts'
import { builder } from '../schema/builder.ts'

const Weekday = builder.enumType('Weekday', {
  description: 'A day of the week.',
  values: {
    MONDAY: { value: 'monday', description: 'Monday.' },
    TUESDAY: { value: 'tuesday', description: 'Tuesday.' },
    WEDNESDAY: { value: 'wednesday', description: 'Wednesday.' },
    THURSDAY: { value: 'thursday', description: 'Thursday.' },
    FRIDAY: { value: 'friday', description: 'Friday.' },
    SATURDAY: { value: 'saturday', description: 'Saturday.' },
    SUNDAY: { value: 'sunday', description: 'Sunday.' },
  } as const satisfies Record<string, { value: WeekdayName; description: string }>,
})

interface Hours {
  readonly start: string
  readonly end: string
}

const OpenHours = builder.objectRef<Hours>('OpenHours').implement({
  description: 'A part of a day in which messages are sent, in local time with 24 hours.',
  fields: (t) => ({
    start: t.exposeString('start', { description: 'The local time at which the hours begin, such as `09:00`.' }),
    end: t.exposeString('end', {
      description: 'The local time at which the hours end, such as `17:00`. `24:00` is midnight at the end of the day.',
    }),
  }),
})

interface Day {
  readonly day: WeekdayName
  readonly isEnabled: boolean
  readonly hours: readonly Hours[]
}

const DaySchedule = builder.objectRef<Day>('DaySchedule').implement({
  description: 'The hours of one day of the week.',
  fields: (t) => ({
    day: t.expose('day', { type: Weekday, description: 'The day.' }),
    isEnabled: t.exposeBoolean('isEnabled', {
      description: 'True if messages are sent on this day, in its hours. Otherwise none are sent.',
    }),
    hours: t.expose('hours', {
      type: t.listRef(OpenHours),
      description: 'The hours of the day. Empty if it has none.',
    }),
  }),
})

/** From Monday to Sunday. Days without hours of their own are left out. */
function daysOf({ weeklySchedule }: Schedule): Day[] {
  const fromMonday = [...weekdays.slice(1), ...weekdays.slice(0, 1)]
  return fromMonday.flatMap((day) => {
    const given = weeklySchedule?.[day]
    return given ? { day, ...given } : []
  })
}

export const SubscriberSchedule = builder.objectRef<Schedule>('SubscriberSchedule').implement({
  description:
    'The hours of the week in which a subscriber receives messages, in its time zone, or in UTC if it has none. Other channel steps are skipped with `OUTSIDE_SCHEDULE`. In-app messages and critical workflows ignore the schedule.',
  fields: (t) => ({
    isEnabled: t.exposeBoolean('isEnabled', {
      description: 'True if the schedule applies. Otherwise messages are sent at all hours.',
    }),
    days: t.field({
      type: [DaySchedule],
      nullable: true,
      description:
        'The hours of each day, from Monday. No messages are sent on days that are not listed. Null if no hours were ever chosen: messages are sent at all hours.',
      resolve: (schedule) => (schedule.weeklySchedule === null ? null : daysOf(schedule)),
    }),
  }),
})

const OpenHoursInput = builder.inputType('OpenHoursInput', {
  description: 'A part of a day in which messages are sent, in local time.',
  fields: (t) => ({
    start: t.string({
      required: true,
      description: 'The local time at which the hours begin, such as `09:00` or `09:00 AM`.',
    }),
    end: t.string({
      required: true,
      description:
        'The local time at which the hours end, after `start`. `24:00` and `12:00 AM` are midnight at the end of the day.',
    }),
  }),
})

const DayScheduleInput = builder.inputType('DayScheduleInput', {
  description: 'The hours of one day of the week.',
  fields: (t) => ({
    day: t.field({ type: Weekday, required: true, description: 'The day. Each day at most once.' }),
    isEnabled: t.boolean({
      description: 'False if no messages are sent on this day, whatever `hours` says. Default: true.',
    }),
    hours: t.field({ type: [OpenHoursInput], required: true, description: `At most ${MAX_HOURS} parts of the day.` }),
  }),
})

export const SubscriberScheduleInput = builder.inputType('SubscriberScheduleInput', {
  description: 'The hours of the week in which a subscriber receives messages, in its time zone.',
  fields: (t) => ({
    isEnabled: t.boolean({
      required: true,
      description: 'True if the schedule applies. Otherwise messages are sent at all hours.',
    }),
    days: t.field({
      type: [DayScheduleInput],
      description:
        'The hours of each day, which replace all hours. No messages are sent on days that are not listed. Null keeps the hours.',
    }),
  }),
})

type Given = typeof SubscriberScheduleInput.$inferInput

/** Converts a schedule to the domain's input. Of a day that is given twice, the last one counts. */
export function readSchedule({ isEnabled, days }: Given) {
  if (!days) return { isEnabled }
  const given = days.map(({ day, isEnabled, hours }) => [day, { isEnabled: isEnabled ?? true, hours }] as const)
  return { isEnabled, weeklySchedule: Object.fromEntries(given) }
}

/** Converts a path in the domain's input of a schedule to that of the graph: `weeklySchedule.monday` to `days.0`. */
export function locateInSchedule([field, day, ...rest]: Path, given: Given | null | undefined): Path {
  if (field !== 'weeklySchedule') return field === undefined ? [] : [field]
  const index = given?.days?.findIndex((one) => one.day === day) ?? -1
  return index === -1 ? ['days'] : ['days', index, ...rest]
}
