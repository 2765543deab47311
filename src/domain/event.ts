// Events: triggers that were accepted. What is recorded here is what gets delivered.
import { z } from 'zod'
import { rowBatch } from '../data/loader.ts'
import { keepTopic, keepWorkflows } from '../data/lock.ts'
import { pageOf } from '../data/page.ts'
import type { Event, Prisma } from '../data/prisma/client.ts'
import { upsertSubscribers } from '../data/subscriber-rows.ts'
import { Refusal, refuse } from '../lib/errors.ts'
import { order, pageRequest } from '../lib/page.ts'
import { jsonObject, parse, text } from '../lib/validation.ts'
import { contextInput, contextKeysFilter, ensureContexts } from './context.ts'
import { mutation, query } from './resolver.ts'
import type { Scope } from './scope.ts'
import { profile, subscriberId } from './subscriber.ts'
import { topicNotFound } from './topic.ts'
import { workflowNotFound } from './workflow.ts'

export type { Event }

/** Recipients named in one trigger; a topic counts as one. */
export const MAX_RECIPIENTS = 100

/** Events in one bulk (CALLERS: trigger). */
export const MAX_EVENTS = 100

/** Of a payload, in bytes of JSON (CALLERS: Errors). */
export const MAX_PAYLOAD = 512 * 1024

const subscriberRecipient = profile.extend({ subscriberId, type: z.literal('Subscriber').optional() })
const topicRecipient = z.object({
  type: z.literal('Topic'),
  topicKey: text(255, 1),
  exclude: z.array(z.string()).max(1000).nullish(),
})

/** A subscriber, by id or with the profile to write, or all subscribers of a topic. */
const recipient = z.union([subscriberId, subscriberRecipient, topicRecipient])
type Recipient = z.output<typeof recipient>
type TopicRecipient = z.output<typeof topicRecipient>

const trigger = z.object({
  /** The workflow's identifier (SPEC: trigger). */
  name: text(255, 1),
  to: z.union([recipient, z.array(recipient).min(1).max(MAX_RECIPIENTS)]),
  payload: jsonObject({ maxBytes: Infinity }).nullish(),
  context: contextInput,
  transactionId: text(255, 1).nullish(),
  overrides: jsonObject().nullish(),
  actor: z.union([subscriberId, subscriberRecipient]).nullish(),
})
type Trigger = z.output<typeof trigger>

/** What became of a trigger (CALLERS: trigger). */
export const eventStatuses = ['processed', 'error'] as const

export interface Triggered {
  readonly status: (typeof eventStatuses)[number]
  readonly transactionId: string
  /** Null when it was refused. */
  readonly event: Event | null
  /** Why it was refused; empty otherwise. */
  readonly errors: readonly string[]
}

const processed = (event: Event): Triggered => ({
  status: 'processed',
  transactionId: event.transactionId,
  event,
  errors: [],
})

function assertPayloadSize(payload: Trigger['payload']): void {
  const size = Buffer.byteLength(JSON.stringify(payload ?? {}))
  if (size > MAX_PAYLOAD) {
    throw refuse(
      'PAYLOAD_TOO_LARGE',
      `payload must be at most ${MAX_PAYLOAD} bytes of JSON, and has ${size}`,
      'payload',
    )
  }
}

type SubscriberRecipient = Exclude<Recipient, TopicRecipient>

const isTopic = (named: Recipient): named is TopicRecipient => typeof named === 'object' && named.type === 'Topic'
const isSubscriber = (named: Recipient): named is SubscriberRecipient => !isTopic(named)

/** The profile that is written for a subscriber whom a trigger names. */
function profileOf(named: SubscriberRecipient) {
  if (typeof named === 'string') return { subscriberId: named }
  const { type, ...patch } = named
  return patch
}

/** Writes what a trigger says of its subscribers, and finds its topics. @returns the recipients as they are kept. */
async function writeRecipients(scope: Scope, to: Trigger['to']): Promise<Prisma.JsonObject[]> {
  const named = Array.isArray(to) ? to : [to]
  const topics = named.filter(isTopic)
  for (const { topicKey } of topics) {
    if (!(await keepTopic(scope, topicKey))) throw topicNotFound(topicKey, 'to')
  }
  const profiles = named.filter(isSubscriber).map(profileOf)
  await upsertSubscribers(scope, profiles, scope.newId, scope.now())
  const ids = [...new Set(profiles.map(({ subscriberId }) => subscriberId))]
  return [
    ...ids.map((subscriberId) => ({ subscriberId })),
    ...topics.map(({ topicKey, exclude }) => ({ topicKey, exclude: exclude ?? [] })),
  ]
}

/** Accepts a trigger, or finds the event that the same transaction id made before. */
async function accept(scope: Scope, given: Trigger): Promise<Triggered> {
  const { db, environmentId, newId, now } = scope
  assertPayloadSize(given.payload)
  const transactionId = given.transactionId ?? newId()
  const where = { environmentId_transactionId: { environmentId, transactionId } }
  const createdAt = now()
  // First of all writes: of two triggers with one transaction id the second waits here, and then does nothing.
  const { count } = await db.event.createMany({
    data: {
      environmentId,
      id: newId(),
      transactionId,
      workflowIdentifier: given.name,
      recipients: [],
      payload: given.payload ?? {},
      overrides: given.overrides ?? {},
      contextKeys: [],
      createdAt,
      updatedAt: createdAt,
    },
    skipDuplicates: true,
  })
  if (count === 0) return processed(await db.event.findUniqueOrThrow({ where }))

  const [workflow] = await keepWorkflows(scope, [given.name])
  if (workflow === undefined) throw workflowNotFound(given.name, 'name')
  const contextKeys = await ensureContexts(scope, given.context)
  const recipients = await writeRecipients(scope, given.to)
  const actor = given.actor ? profileOf(given.actor) : undefined
  if (actor) await upsertSubscribers(scope, [actor], newId, now())
  return processed(
    await db.event.update({
      where,
      data: { workflowIdentifier: workflow.identifier, recipients, contextKeys, actor: actor?.subscriberId ?? null },
    }),
  )
}

/**
 * Triggers a workflow: writes the subscribers that are given, makes contexts on first use, and records the event. A
 * transaction id that was used before changes nothing and gives the first event again.
 */
export const triggerEvent = mutation({
  name: 'event.trigger',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: trigger,
  run: accept,
})

const named = z.object({ transactionId: z.string() })

/** Triggers many, each as by itself: one that is refused leaves the others alone. */
export const triggerEvents = mutation({
  name: 'event.triggerBulk',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({ events: z.array(z.unknown()).min(1).max(MAX_EVENTS) }),
  async run(scope, { events }): Promise<Triggered[]> {
    const results: Triggered[] = []
    for (const given of events) {
      try {
        results.push(await scope.transaction((inner) => accept(inner, parse(trigger, given))))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const transactionId = named.safeParse(given).data?.transactionId ?? scope.newId()
        results.push({ status: 'error', transactionId, event: null, errors: [error.message] })
      }
    }
    return results
  },
})

/** Cancels what of an event has not been sent yet. @returns whether there was anything to cancel. */
export const cancelEvent = mutation({
  name: 'event.cancel',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ transactionId: text(255, 1) }),
  async run({ db, environmentId, now }, { transactionId }): Promise<boolean> {
    const cancelledAt = now()
    const { count } = await db.event.updateMany({
      where: { environmentId, transactionId, cancelledAt: null },
      data: { cancelledAt, updatedAt: cancelledAt },
    })
    return count > 0
  },
})

const eventsById = rowBatch<Event>(
  ({ db, environmentId }, ids) => db.event.findMany({ where: { environmentId, id: { in: ids } } }),
  ({ id }) => id,
)

const eventsByTransactionId = rowBatch<Event>(
  ({ db, environmentId }, ids) => db.event.findMany({ where: { environmentId, transactionId: { in: ids } } }),
  ({ transactionId }) => transactionId,
)

export const event = query({
  name: 'event.get',
  permission: 'event:read',
  input: z.union([z.object({ transactionId: text(255) }), z.object({ id: z.uuid() })]),
  run: ({ load }, named) =>
    'transactionId' in named ? load(eventsByTransactionId, named.transactionId) : load(eventsById, named.id),
})

export const events = query({
  name: 'event.list',
  permission: 'event:read',
  input: z.object({
    page: pageRequest,
    orderBy: order,
    filter: z.object({ workflow: text(255).nullish(), contextKeys: contextKeysFilter }).nullish(),
  }),
  run({ db, environmentId }, { page, orderBy, filter }) {
    const where: Prisma.EventWhereInput = {
      environmentId,
      workflowIdentifier: filter?.workflow ?? undefined,
      contextKeys: filter?.contextKeys ? { equals: filter.contextKeys } : undefined,
    }
    return pageOf({ name: 'events', ownerId: environmentId }, orderBy, page, {
      find: ({ where: keyset, ...reading }) => db.event.findMany({ where: { ...where, ...keyset }, ...reading }),
      count: (take) => db.event.count({ where, take }),
    })
  },
})
