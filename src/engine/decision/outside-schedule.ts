// Decides by the schedule of a subscriber: outside its hours, nothing is sent.
import type { Subscriber } from '../../data/subscriber.ts'
import { isOpen, nextOpening, type Schedule, zoneOf } from '../../domain/preference/schedule.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { type Decision, skip } from './decided.ts'

type Located = Pick<Subscriber, 'subscriberId' | 'timezone'>

/** The time at which a step is executed. In a preview, waits end immediately, so it is due in the future. */
export const sendingTime = ({ now }: Pick<EnvironmentScope, 'now'>, dueAt: Date): Date =>
  new Date(Math.max(now().getTime(), dueAt.getTime()))

const written = (zone: string, at: Date) =>
  new Intl.DateTimeFormat('en', {
    timeZone: zone,
    ...{ weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  }).format(at)

/** @returns undefined if the schedule allows messages at this time. */
export function decideBySchedule(
  schedule: Schedule | null,
  { subscriberId, timezone }: Located,
  at: Date,
): Decision | undefined {
  if (isOpen(schedule, timezone, at)) return undefined
  const zone = zoneOf(timezone)
  const next = nextOpening(schedule, timezone, at)
  const later = next ? `Its next hours begin at ${next.toISOString()}.` : 'It has no hours.'
  const sentence = `It was outside the schedule of subscriber "${subscriberId}": ${written(zone, at)} in the time zone ${zone}.`
  return skip('outside_schedule', `${sentence} ${later}`)
}
