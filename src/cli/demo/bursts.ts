// The triggers of the demo's two weeks. Their times relative to the end are always the same.
import type { triggerEvent } from '../../domain/trigger/event.ts'
import { people, tenants } from './people.ts'
import { OUTAGE } from './sink.ts'

type Trigger = Parameters<typeof triggerEvent>[1]

/** Triggers that arrive together. A digest collects the triggers of one burst. */
export interface Burst {
  readonly at: Date
  readonly triggers: readonly Trigger[]
}

export const DAYS = 14

const HOUR = 3_600_000

/** When the push integration was paused, in milliseconds before the end. */
export const PAUSED = 4 * HOUR
const DAY = 24 * HOUR

/**
 * Digests of comments close within an hour, and invoice reminders follow a day later. Both must have ended by the end.
 */
const LATEST = { comment: 2 * HOUR, invoice: 2 * DAY, other: HOUR / 12 } as const

/** Returns a generator of numbers from 0 to 1, always in the same sequence (Park and Miller's minimal standard). */
function createRandom(): () => number {
  let state = 20_260_101
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const comments = [
  'Looks good to me.',
  'Can we move this to Friday?',
  'I added the missing figures.',
  'Who owns this part?',
]
const documents = ['Roadmap', 'Budget 2027', 'Launch plan', 'Hiring']
const releases = [
  { version: '4.0', summary: 'Dashboards load twice as fast.' },
  { version: '4.1', summary: 'Comments can mention teams.' },
  { version: '4.1.1', summary: 'Fixes for exports with many columns.' },
]
const incidents = [
  { title: 'Elevated error rate', service: 'api' },
  { title: 'Delayed imports', service: 'imports' },
  { title: 'Sign-in is slow', service: 'identity' },
  { title: 'Search is unavailable', service: 'search' },
]

/** Returns the bursts of two weeks, oldest first. @param end the end of the two weeks. */
export function burstsUntil(end: Date): readonly Burst[] {
  const random = createRandom()
  const pick = <Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('the demo picked from nothing')
    return value
  }
  const before = (milliseconds: number) => new Date(end.getTime() - milliseconds)
  /** A time within a day, more likely around its middle. */
  const within = (daysAgo: number, latest: number) =>
    before(Math.max(latest + random() * HOUR, (daysAgo + (random() + random()) / 2) * DAY))
  const bursts: Burst[] = []
  const add = (at: Date, ...triggers: Trigger[]) => bursts.push({ at, triggers })
  const one = () => {
    const { profile, tenant } = pick(people)
    return { to: profile.subscriberId, author: profile.firstName, context: { tenant: tenant.identifier } }
  }

  const signIn = () => {
    const code = String(100_000 + Math.floor(random() * 900_000))
    return { name: 'sign-in-code', to: one().to, payload: { code } }
  }

  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo -= 1) {
    const isWeekend = [0, 6].includes(before(daysAgo * DAY).getUTCDay())
    const share = isWeekend ? 0.35 : 1
    for (let count = Math.round(9 * share); count > 0; count -= 1) {
      add(within(daysAgo, LATEST.other), signIn())
    }
    for (let count = Math.round(2 * share); count > 0; count -= 1) {
      const { to, context } = one()
      add(within(daysAgo, LATEST.other), { name: 'welcome', to, context })
    }
    for (let count = Math.round(5 * share); count > 0; count -= 1) {
      const { to, context } = one()
      const document = pick(documents)
      const thread = Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
        name: 'comment-added',
        to,
        context,
        payload: { document, author: one().author, comment: pick(comments) },
      }))
      add(within(daysAgo, LATEST.comment), ...thread)
    }
  }
  for (let count = 1; count <= 6; count += 1) {
    add(before(OUTAGE.from - (count / 6) * (OUTAGE.from - OUTAGE.to)), signIn())
  }
  for (const [index, { identifier }] of tenants.entries()) {
    for (const weeks of [0, 1]) {
      const at = before(LATEST.invoice + (7 * weeks + index + random()) * DAY)
      const due = new Date(at.getTime() + 10 * DAY).toISOString().slice(0, 10)
      const payload = { number: `2026-${100 + 10 * weeks + index}`, amount: 1_200 * (3 - index), due }
      const to = { type: 'Topic' as const, topicKey: `billing-${identifier}` }
      add(at, { name: 'invoice-due', to, context: { tenant: identifier }, payload })
    }
  }
  for (const [index, payload] of releases.entries()) {
    const at = before((12 - 5 * index) * DAY + 3 * HOUR)
    add(at, { name: 'release-announced', to: { type: 'Topic', topicKey: 'releases' }, payload })
  }
  for (const [index, payload] of incidents.entries()) {
    const at = before((11 - 3 * index) * DAY + 5 * HOUR)
    add(at, { name: 'incident-opened', to: { type: 'Topic', topicKey: 'on-call' }, payload })
  }
  // A subscriber with the mobile application, whose push message waits for the end of the pause.
  const [waiting] = people.filter(({ profile: { data, channels } }) => data.role === 'manager' && channels.length > 0)
  if (waiting !== undefined) {
    const payload = { document: 'Roadmap', author: 'Grace', comment: 'Can we move this to Friday?' }
    const context = { tenant: waiting.tenant.identifier }
    add(before(PAUSED - HOUR), { name: 'comment-added', to: waiting.profile.subscriberId, context, payload })
  }
  return bursts.sort((one, other) => one.at.getTime() - other.at.getTime())
}
