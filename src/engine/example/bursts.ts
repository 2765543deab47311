// The triggers of the two weeks of the example data. Their times relative to the end are always the same.
import type { triggerEvent } from '../../domain/trigger/event.ts'
import { examplePdf } from './files.ts'
import { people, tenants } from './people.ts'
import { OUTAGE } from './sink.ts'

export type ExampleTrigger = Parameters<typeof triggerEvent>[1]

/**
 * Triggers that arrive within an hour and are executed together. A digest collects the triggers of one burst.
 */
export interface Burst {
  readonly at: Date
  readonly triggers: readonly ExampleTrigger[]
  /** How many milliseconds after `at` each trigger arrives. Default: at that time. */
  readonly delays?: readonly number[]
}

export const DAYS = 14

const HOUR = 3_600_000

const MINUTE = HOUR / 60

/** When the push integration was paused, in milliseconds before the end. */
export const PAUSED = 4 * HOUR
const DAY = 24 * HOUR

/**
 * Digests of comments close within two hours, and invoice reminders follow a day later. Both must have ended by the end.
 */
const LATEST = { burst: 3 * HOUR, invoice: 2 * DAY, signIn: 10 * MINUTE } as const

/** Most comments on a document, the time between two of them, and how many people follow it. */
const MOST_COMMENTS = 4
const BETWEEN = 4 * MINUTE
const FOLLOWERS = 3

/** All triggers of a burst arrive within this time, so that it counts in one hour of the statistics. */
const WITHIN = 55 * MINUTE

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

/** A trigger, and how many milliseconds after its burst it arrives. */
interface Arrival {
  readonly trigger: ExampleTrigger
  readonly delay: number
}

/** The beginning of the hour of a time. */
const hourOf = (time: Date) => new Date(Math.floor(time.getTime() / HOUR) * HOUR)

/** Returns the bursts of two weeks, oldest first. @param end the end of the two weeks. */
export function burstsUntil(end: Date): readonly Burst[] {
  const random = createRandom()
  const pick = <Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('the example data was picked from nothing')
    return value
  }
  const before = (milliseconds: number) => new Date(end.getTime() - milliseconds)
  const bursts: Burst[] = []
  const add = (at: Date, arrivals: readonly Arrival[]) =>
    bursts.push({ at, triggers: arrivals.map(({ trigger }) => trigger), delays: arrivals.map(({ delay }) => delay) })
  const arriving = (trigger: ExampleTrigger, within = WITHIN): Arrival => ({
    trigger,
    delay: Math.floor(random() * within),
  })

  const signIn = () => {
    const code = String(100_000 + Math.floor(random() * 900_000))
    return { name: 'sign-in-code', to: pick(people).profile.subscriberId, payload: { code } }
  }
  const welcome = () => {
    const { profile, tenant } = pick(people)
    return { name: 'welcome', to: profile.subscriberId, context: { tenant: tenant.identifier } }
  }
  /** Comments on a document, for the members of its tenant who follow it. */
  const thread = (): Arrival[] => {
    const tenant = pick(tenants)
    const members = people.filter((one) => one.tenant === tenant)
    const followers = new Set(Array.from({ length: FOLLOWERS }, () => pick(members).profile.subscriberId))
    const document = pick(documents)
    const begin = random() * (WITHIN - MOST_COMMENTS * BETWEEN)
    return Array.from({ length: 2 + Math.floor(random() * (MOST_COMMENTS - 1)) }, (_, index) => {
      const payload = { document, author: pick(members).profile.firstName, comment: pick(comments) }
      const trigger = { name: 'comment-added', to: [...followers], context: { tenant: tenant.identifier }, payload }
      return { trigger, delay: Math.floor(begin + index * BETWEEN) }
    })
  }

  /** What happens beside the daily triggers, by the days before the end and the index of the burst. */
  const rare = rareTriggers(before, random)
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo -= 1) {
    const isWeekend = [0, 6].includes(before(daysAgo * DAY).getUTCDay())
    const count = isWeekend ? 2 : 5
    for (let index = 0; index < count; index += 1) {
      // The first burst of a day is the earliest one.
      const time = (daysAgo + (count - 1 - index + 0.15 + 0.7 * random()) / count) * DAY
      const daily = [
        ...Array.from({ length: 2 }, () => arriving(signIn())),
        ...(index % 3 === 0 ? [arriving(welcome())] : []),
        ...(index % 2 === 1 ? thread() : []),
      ]
      const others = (rare.get(`${daysAgo} ${index}`) ?? []).map((trigger) => arriving(trigger))
      add(hourOf(before(Math.max(LATEST.burst, time))), [...daily, ...others])
    }
  }
  add(
    before(LATEST.signIn),
    Array.from({ length: 3 }, () => arriving(signIn(), LATEST.signIn / 2)),
  )
  // The first full hour of the outage of the SMS provider.
  add(
    new Date(hourOf(before(OUTAGE.from)).getTime() + HOUR),
    Array.from({ length: 6 }, () => arriving(signIn())),
  )
  // A subscriber with the mobile application, whose push message waits for the end of the pause.
  const [waiting] = people.filter(({ profile: { data, channels } }) => data.role === 'manager' && channels.length > 0)
  if (waiting !== undefined) {
    const payload = { document: 'Roadmap', author: 'Grace', comment: 'Can we move this to Friday?' }
    const context = { tenant: waiting.tenant.identifier }
    const trigger = { name: 'comment-added', to: waiting.profile.subscriberId, context, payload }
    add(before(PAUSED - HOUR), [{ trigger, delay: 0 }])
  }
  return bursts.sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** The invoices, releases and incidents, by the days before the end and the index of the burst of that day. */
function rareTriggers(
  before: (milliseconds: number) => Date,
  random: () => number,
): ReadonlyMap<string, readonly ExampleTrigger[]> {
  const found = new Map<string, ExampleTrigger[]>()
  const add = (daysAgo: number, index: 0 | 1, trigger: ExampleTrigger) => {
    const key = `${daysAgo} ${index}`
    found.set(key, [...(found.get(key) ?? []), trigger])
  }
  for (const [index, { identifier }] of tenants.entries()) {
    for (const weeks of [0, 1]) {
      const daysAgo = LATEST.invoice / DAY + 7 * weeks + index
      const due = before((daysAgo - 10) * DAY)
        .toISOString()
        .slice(0, 10)
      const payload = { number: `2026-${100 + 10 * weeks + index}`, amount: 1_200 * (3 - index), due }
      const to = { type: 'Topic' as const, topicKey: `billing-${identifier}` }
      const name = `invoice-${payload.number}.pdf`
      const data = examplePdf(`Invoice ${payload.number}: ${payload.amount} USD, due on ${due}`)
      const isNewest = index === 0 && weeks === 0
      const trigger = {
        ...{ name: 'invoice-due', to, context: { tenant: identifier }, payload },
        ...(isNewest && {
          attachments: [{ content: { name, contentType: 'application/pdf', data } }],
          overrides: { email: { replyTo: 'billing@example.com' } },
        }),
      }
      add(daysAgo, random() < 0.5 ? 0 : 1, trigger)
    }
  }
  for (const [index, payload] of releases.entries()) {
    add(12 - 5 * index, 0, { name: 'release-announced', to: { type: 'Topic', topicKey: 'releases' }, payload })
  }
  for (const [index, payload] of incidents.entries()) {
    const daysAgo = 11 - 3 * index
    const to = { type: 'Topic' as const, topicKey: 'on-call' }
    add(daysAgo, 0, { name: 'incident-opened', to, payload })
    // The last one is still open.
    if (index < incidents.length - 1) add(daysAgo, 1, { name: 'incident-resolved', to, payload })
  }
  return found
}
