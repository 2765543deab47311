// The hours of a schedule, in the time zone of a subscriber: a pure function of the schedule, the zone and the time.
import { describe, expect, test } from 'vitest'
import { isOpen, nextOpening, onTwelveHours, scheduleInput } from '../../src/domain/preference/schedule.ts'
import { parse } from '../../src/lib/validation.ts'

type Hours = readonly (readonly [start: string, end: string])[]

/** A schedule with these hours on these days. */
function scheduleOf(days: Readonly<Record<string, Hours>>) {
  const weeklySchedule = Object.fromEntries(
    Object.entries(days).map(([day, hours]) => [
      day,
      { isEnabled: true, hours: hours.map(([start, end]) => ({ start, end })) },
    ]),
  )
  const { isEnabled, weeklySchedule: stored } = parse(scheduleInput, { isEnabled: true, weeklySchedule })
  return { isEnabled, weeklySchedule: stored ?? null }
}

const office = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, [['09:00 AM', '05:00 PM']] as const]),
)
const nights = { saturday: [['10:00 PM', '12:00 AM']], sunday: [['12:00 AM', '06:00 AM']] } as const
const early = { sunday: [['02:00 AM', '03:00 AM']] } as const
const half = { sunday: [['02:30 AM', '05:00 AM']] } as const
const repeated = { sunday: [['02:10 AM', '02:40 AM']] } as const
const always = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
    day,
    [['12:00 AM', '12:00 AM']] as const,
  ]),
)

// 2027-01-04 is a Monday. In Berlin, clocks go forward on 2027-03-28 at 01:00Z, and back on 2027-10-31 at 01:00Z.
test.each([
  ['within the hours', office, 'Europe/Berlin', '2027-01-04T12:00:00Z', '2027-01-04T12:00:00Z'],
  ['at the first minute', office, 'Europe/Berlin', '2027-01-04T08:00:00Z', '2027-01-04T08:00:00Z'],
  ['in the last second before the hours', office, 'Europe/Berlin', '2027-01-04T07:59:59.999Z', '2027-01-04T08:00:00Z'],
  [
    'at the end, which is not part of the hours',
    office,
    'Europe/Berlin',
    '2027-01-04T16:00:00Z',
    '2027-01-05T08:00:00Z',
  ],
  ['on Friday evening', office, 'Europe/Berlin', '2027-01-08T17:00:00Z', '2027-01-11T08:00:00Z'],
  ['without a time zone, which is UTC', office, null, '2027-01-04T08:30:00Z', '2027-01-04T09:00:00Z'],
  ['in a zone that is not known', office, 'Mars/Olympus', '2027-01-04T08:30:00Z', '2027-01-04T09:00:00Z'],
  ['on the next day of a zone ahead', office, 'Pacific/Auckland', '2027-01-03T19:59:00Z', '2027-01-03T20:00:00Z'],
  ['in a zone with half an hour', office, 'Asia/Kolkata', '2027-01-04T03:00:00Z', '2027-01-04T03:30:00Z'],
  ['before midnight at the end of the day', nights, 'UTC', '2027-01-09T23:59:59Z', '2027-01-09T23:59:59Z'],
  ['after midnight at the start of the day', nights, 'UTC', '2027-01-10T00:00:00Z', '2027-01-10T00:00:00Z'],
  ['after the night', nights, 'UTC', '2027-01-10T06:00:00Z', '2027-01-16T22:00:00Z'],
  ['at all hours', always, 'Europe/Berlin', '2027-03-28T01:00:00Z', '2027-03-28T01:00:00Z'],
  [
    'before hours that daylight saving leaves out',
    early,
    'Europe/Berlin',
    '2027-03-28T00:30:00Z',
    '2027-04-04T00:00:00Z',
  ],
  ['before hours whose start is left out', half, 'Europe/Berlin', '2027-03-28T00:30:00Z', '2027-03-28T01:00:00Z'],
  ['between hours that occur twice', repeated, 'Europe/Berlin', '2027-10-31T00:45:00Z', '2027-10-31T01:10:00Z'],
  ['in the second of them', repeated, 'Europe/Berlin', '2027-10-31T01:20:00Z', '2027-10-31T01:20:00Z'],
  ['after the second of them', repeated, 'Europe/Berlin', '2027-10-31T01:40:00Z', '2027-11-07T01:10:00Z'],
  ['before a week in which clocks change', office, 'America/New_York', '2027-03-12T23:00:00Z', '2027-03-15T13:00:00Z'],
] as const)('%s, the next hours are the right ones', (_when, days, zone, at, opening) => {
  const schedule = scheduleOf(days)
  const from = new Date(at)
  expect(nextOpening(schedule, zone, from)).toEqual(new Date(opening))
  expect(isOpen(schedule, zone, from)).toBe(at === opening)
})

test.each([
  ['Europe/Berlin', '2027-03-28'],
  ['Europe/Berlin', '2027-10-31'],
  ['America/New_York', '2027-03-14'],
  ['Australia/Lord_Howe', '2027-04-04'],
  ['America/St_Johns', '2027-11-07'],
])('agrees with a search minute by minute in %s, when clocks change on %s', (zone, day) => {
  const schedule = scheduleOf({
    saturday: [['11:30 PM', '12:00 AM']],
    sunday: [
      ['01:20 AM', '02:40 AM'],
      ['03:05 AM', '03:10 AM'],
    ],
  })
  const start = new Date(`${day}T00:00:00Z`).getTime() - 43_200_000
  const minutes = Array.from({ length: 2_160 }, (_, minute) => new Date(start + minute * 60_000))
  const open = minutes.filter((at) => isOpen(schedule, zone, at))
  expect(open.length).toBeGreaterThan(60)
  const last = open.at(-1) ?? new Date(0)
  for (const from of minutes.filter((at, index) => index % 13 === 0 && at <= last)) {
    expect([from, nextOpening(schedule, zone, from)]).toEqual([from, open.find((at) => at >= from)])
  }
})

describe('a schedule', () => {
  const at = new Date('2027-01-09T03:00:00Z')

  test.each([
    ['there is none', null],
    ['it is disabled', { ...scheduleOf(office), isEnabled: false }],
    ['it has no hours of the week', { isEnabled: true, weeklySchedule: null }],
  ])('allows all hours if %s', (_why, schedule) => {
    expect([isOpen(schedule, 'Europe/Berlin', at), nextOpening(schedule, 'Europe/Berlin', at)]).toEqual([true, at])
  })

  test.each([
    ['no days', {}],
    ['a day without hours', { monday: { isEnabled: true } }],
    ['a day that is disabled', { monday: { isEnabled: false, hours: [{ start: '09:00', end: '17:00' }] } }],
  ])('never opens with %s', (_what, weeklySchedule) => {
    const { weeklySchedule: stored } = parse(scheduleInput, { isEnabled: true, weeklySchedule })
    const schedule = { isEnabled: true, weeklySchedule: stored ?? null }
    expect([isOpen(schedule, null, at), nextOpening(schedule, null, at)]).toEqual([false, undefined])
  })

  test.each([
    ['09:00 AM', '05:30 PM', '09:00', '17:30'],
    ['9:00', '17:30', '09:00', '17:30'],
    ['12:00 AM', '12:00 AM', '00:00', '24:00'],
    ['12:00 PM', '24:00', '12:00', '24:00'],
    ['12:30 am', '1:05 pm', '00:30', '13:05'],
  ])('reads %s to %s', (start, end, from, until) => {
    expect(scheduleOf({ monday: [[start, end]] }).weeklySchedule?.monday?.hours).toEqual([{ start: from, end: until }])
  })

  test.each([
    ['00:00', '12:00 AM'],
    ['00:30', '12:30 AM'],
    ['12:00', '12:00 PM'],
    ['17:05', '05:05 PM'],
    ['24:00', '12:00 AM'],
  ])('writes %s as %s', (stored, shown) => expect(onTwelveHours(stored)).toBe(shown))

  test.each([
    [{ start: '22:00', end: '06:00' }, 'end', 'must be later than start'],
    [{ start: '09:00', end: '09:00' }, 'end', 'must be later than start'],
    [{ start: '9 AM', end: '17:00' }, 'start', 'must be a local time'],
    [{ start: '13:00 PM', end: '17:00' }, 'start', 'must be a local time'],
    [{ start: '09:00', end: '24:30' }, 'end', 'must be a local time'],
  ])('rejects %j, naming the field', (hours, field, message) => {
    const given = { isEnabled: true, weeklySchedule: { monday: { isEnabled: true, hours: [hours] } } }
    expect(() => parse(scheduleInput, given)).toThrow(`weeklySchedule.monday.hours[0].${field} ${message}`)
  })

  test('rejects unknown days', () => {
    expect(() => parse(scheduleInput, { isEnabled: true, weeklySchedule: { funday: { isEnabled: true } } })).toThrow(
      'weeklySchedule.funday',
    )
  })
})
