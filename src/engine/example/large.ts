// The large example: a crowd beside the hundred people, a thousand workflows, and an event for ten thousand recipients.
import { upsertSubscribers } from '../../data/subscriber.ts'
import { insertSubscriptions } from '../../data/topic-subscription.ts'
import type { ApiKeyCaller } from '../../domain/resolver/caller.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { defaultIdentifier } from '../../domain/subscribe.ts'
import { createTopic } from '../../domain/topic.ts'
import { createWorkflow } from '../../domain/workflow.ts'
import { exampleWorkflows } from './furnish.ts'
import { people, personAt } from './people.ts'
import { scopeAt, simulateInPages } from './simulate.ts'

/** The numbers of a large example, including what every example has. */
export interface ExampleSize {
  /** All of them subscribe to one topic. */
  readonly subscribers: number
  readonly workflows: number
  /** The recipients of the largest event, who subscribe to another topic. */
  readonly recipients: number
}

export const LARGE: ExampleSize = { subscribers: 100_000, workflows: 1_000, recipients: 10_000 }

/** What is created, and which part of it exists. Throws to stop it. */
export type Follow = (progress: { readonly done: number; readonly unit: string; readonly part: number }) => void

/** Rows of one statement. */
const PORTION = 5_000

const DAY = 24 * 3_600_000

/** When the newsletter was sent, in milliseconds before the end. */
const SENT = 9 * 3_600_000

const NEWSLETTER = 'newsletter'

type NewWorkflow = Parameters<typeof createWorkflow>[1]

const areas = ['Orders', 'Billing', 'Accounts', 'Support', 'Projects', 'Security', 'Shipping', 'Calendar', 'Reports']
const happenings = ['created', 'changed', 'cancelled', 'approved', 'rejected', 'overdue', 'assigned', 'archived']

const inApp = { type: 'in_app', subject: '{{payload.title}}', body: 'Open it to see what changed.' } as const
const email = { type: 'email', subject: '{{payload.title}}', body: '<p>{{payload.title}}</p>' } as const
const sms = { type: 'sms', body: '{{payload.title}}' } as const
const push = { type: 'push', subject: '{{payload.title}}', body: 'Open it to see what changed.' } as const
const wait = { type: 'delay', amount: 1, unit: 'hours' } as const

const stepsOfKinds: readonly NonNullable<NewWorkflow['steps']>[] = [
  [inApp],
  [inApp, email],
  [email],
  [sms],
  [inApp, push],
  [inApp, wait, email],
]

function workflowAt(index: number): NewWorkflow {
  const area = areas[index % areas.length] ?? ''
  const happening = happenings[Math.floor(index / areas.length) % happenings.length] ?? ''
  const version = 1 + Math.floor(index / (areas.length * happenings.length))
  return {
    identifier: `${area}-${happening}-${version}`.toLowerCase(),
    name: `${area}: ${happening} (${version})`,
    tags: [area.toLowerCase()],
    steps: stepsOfKinds[index % stepsOfKinds.length],
  }
}

/** A person of the crowd. The names repeat, the addresses do not. */
function memberAt(index: number) {
  const { channels: _channels, ...profile } = personAt(index).profile
  return {
    ...profile,
    subscriberId: `${profile.subscriberId}.${index}`,
    email: profile.email.replace('@', `.${index}@`),
    phone: profile.phone === null ? null : `+1202${String(index).padStart(7, '0')}`,
  }
}

/** Calls `work` with portions of a list, at times that are evenly spread over a day. */
async function inPortions<Item>(
  items: readonly Item[],
  from: Date,
  work: (portion: readonly Item[], at: Date) => Promise<unknown>,
  follow: (done: number) => void,
): Promise<void> {
  for (let start = 0; start < items.length; start += PORTION) {
    const portion = items.slice(start, start + PORTION)
    await work(portion, new Date(from.getTime() + (start / items.length) * DAY))
    follow(start + portion.length)
  }
}

/** Creates the subscribers beside the hundred. @returns the ids of all. */
async function createCrowd(
  scopeOf: (at: Date) => Scope,
  begin: Date,
  count: number,
  follow: Follow,
): Promise<readonly string[]> {
  const crowd = Array.from({ length: Math.max(0, count - people.length) }, (_, index) =>
    memberAt(people.length + index),
  )
  await inPortions(
    crowd,
    begin,
    async (patches, at) => {
      const scope = scopeOf(at)
      await upsertSubscribers(scope, { patches, newId: scope.newId, now: at })
    },
    (done) => follow({ done, unit: 'subscribers', part: done / crowd.length }),
  )
  return [...people.map(({ profile }) => profile), ...crowd].map(({ subscriberId }) => subscriberId)
}

interface Subscribing {
  readonly key: string
  readonly name: string
  readonly subscriberIds: readonly string[]
}

/** Creates a topic and its subscriptions. In portions, because the resolver takes at most a hundred at once. */
async function createLargeTopic(
  scopeOf: (at: Date) => Scope,
  from: Date,
  { key, name, subscriberIds }: Subscribing,
  follow: Follow,
): Promise<void> {
  await createTopic(scopeOf(from), { key, name })
  await inPortions(
    subscriberIds,
    from,
    async (portion, at) => {
      const scope = scopeOf(at)
      const rows = portion.map((subscriberId) => ({
        id: scope.newId(),
        identifier: defaultIdentifier(key, subscriberId, []),
        subscriberId,
        name: null,
      }))
      await insertSubscriptions(scope, key, [], rows, at)
    },
    (done) => follow({ done, unit: `subscriptions to ${key}`, part: done / subscriberIds.length }),
  )
}

/** Creates the workflows beside those of every example. */
async function createWorkflows(scope: Scope, count: number, follow: Follow): Promise<void> {
  await createWorkflow(scope, {
    identifier: NEWSLETTER,
    name: 'Newsletter',
    tags: ['product'],
    steps: [{ type: 'email', subject: 'News of {{payload.month}}', body: '<p>Hello {{subscriber.firstName}},</p>' }],
  })
  const others = count - exampleWorkflows.length - 1
  for (let index = 0; index < others; index += 1) {
    await createWorkflow(scope, workflowAt(index))
    follow({ done: index + 1, unit: 'workflows', part: (index + 1) / others })
  }
}

interface Period {
  readonly begin: Date
  readonly end: Date
}

/** Adds a crowd, its topics, workflows and a newsletter to an environment with the example data. */
export async function enlarge(
  creator: Scope,
  caller: ApiKeyCaller,
  { begin, end }: Period,
  size: ExampleSize,
  follow: Follow,
): Promise<void> {
  const scopeOf = (at: Date) => scopeAt(creator, caller, at)
  await createWorkflows(scopeOf(begin), size.workflows, follow)
  const everyone = await createCrowd(scopeOf, begin, size.subscribers, follow)
  const afterwards = new Date(begin.getTime() + DAY)
  const topics = [
    { key: 'everyone', name: 'Everyone', subscriberIds: everyone },
    { key: NEWSLETTER, name: 'Readers of the newsletter', subscriberIds: everyone.slice(-size.recipients) },
  ]
  for (const topic of topics) await createLargeTopic(scopeOf, afterwards, topic, follow)
  const trigger = {
    name: NEWSLETTER,
    to: { type: 'Topic' as const, topicKey: NEWSLETTER },
    payload: { month: 'November' },
  }
  await simulateInPages(creator, caller, { at: new Date(end.getTime() - SENT), trigger, end }, (done) =>
    follow({ done, unit: 'recipients', part: Math.min(1, done / size.recipients) }),
  )
}
