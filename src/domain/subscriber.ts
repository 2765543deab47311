// Subscribers: the recipients of notifications, identified by ids that the client application defines.
import { z } from 'zod'
import type { CredentialRow } from '../data/subscriber-credential.ts'
import {
  lockSubscriber,
  type StoredSubscriber as Subscriber,
  subscriberPages,
  subscribersById,
  subscribersBySubscriberId,
  type SubscriberPatch,
  type SubscriberReference,
  subscribersWithCredentials,
  updateSubscriber as updateStored,
  upsertSubscribers,
  writeSubscriber,
  type WrittenSubscriber,
} from '../data/subscriber.ts'
import { Refusal, refuseTaken } from '../lib/errors.ts'
import { orderWithName, pageRequest } from '../lib/page.ts'
import { isTimeZone } from '../lib/time/time-zone.ts'
import { emailAddress, filterOf, jsonObject, parse, text, storableText } from '../lib/validation.ts'
import { channelCredentials, credentialRows } from './credential.ts'
import { wantedAmong } from './outbox/webhook-message.ts'
import { subscriberTypes } from './outbox/webhook-type.ts'
import { dryRun } from './resolver/deletion.ts'
import { notFound, referenceOf } from './resolver/reference.ts'
import { atomicMutation, query } from './resolver/resolver.ts'
import type { AtomicScope, Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion } from './resolver/version.ts'
import { assertNewSubscribers, objectionsToNew, subscriberReference, subscriberId } from './subscriber-id.ts'

export type { Subscriber }

/** Maximum subscribers in one bulk write (SPEC: Limits). */
export const MAX_BULK = 500

/** Returns true for a BCP 47 locale, which may have underscores. */
function isLocale(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value.replaceAll('_', '-')).length === 1
  } catch {
    return false
  }
}

/** Returns true for the name of a time zone. Offsets such as `+01:00`, which newer engines accept, do not count. */
const isTimezone = (value: string): boolean => /^[A-Za-z]/.test(value) && isTimeZone(value)

/** The input schema of a profile. On an update, an absent field is unchanged and null clears it. */
export const profile = z.object({
  firstName: text(255).nullish(),
  lastName: text(255).nullish(),
  email: emailAddress.nullish(),
  phone: text(255).nullish(),
  avatar: text(2048).nullish(),
  locale: text(35).refine(isLocale, 'must be a BCP 47 locale, such as en-US or en_US').nullish(),
  timezone: text(100).refine(isTimezone, 'must be an IANA time zone, such as Europe/Berlin').nullish(),
  data: jsonObject().nullish(),
})

const newSubscriber = z.object({ subscriberId, ...profile.shape, channels: channelCredentials.nullish() })
type NewSubscriber = z.output<typeof newSubscriber>

export const subscriber = query({
  name: 'subscriber.get',
  permission: 'subscriber:read',
  input: z.object(subscriberReference),
  run({ load }, { subscriberId, id }): Promise<Subscriber | null> {
    const named = referenceOf({ subscriberId }, { id })
    return 'id' in named ? load(subscribersById, named.id) : load(subscribersWithCredentials, named.subscriberId)
  },
})

export const subscriberNotFound = (named: SubscriberReference) => notFound('Subscriber', named)

/** Returns the subscriber. Batched. @throws Refusal `NOT_FOUND`, which names the field. */
export async function loadSubscriber({ load }: Pick<Scope, 'load'>, named: SubscriberReference): Promise<Subscriber> {
  const found = await ('id' in named
    ? load(subscribersById, named.id)
    : load(subscribersBySubscriberId, named.subscriberId))
  if (found === null) throw subscriberNotFound(named)
  return found
}

/** Reads the subscriber of a row. Batched. @throws Refusal `NOT_FOUND` if the subscriber was just deleted. */
export const subscriberOf = query({
  name: 'subscriber.getOfRow',
  permission: 'subscriber:read',
  input: z.object({ subscriberId: storableText }),
  run: (scope, { subscriberId }) => loadSubscriber(scope, { subscriberId }),
})

/** The input schema of a filter. */
export const subscriberFilter = filterOf({
  subscriberId: text(255),
  email: text(320),
  phone: text(255),
  name: text(511),
  search: text(320),
})

export const subscribers = query({
  name: 'subscriber.list',
  permission: 'subscriber:read',
  input: z.object({ page: pageRequest, orderBy: orderWithName, filter: subscriberFilter }),
  run: ({ load, environmentId }, list) => load(subscriberPages, { parent: environmentId, ...list }),
})

/** Returns the subscriber, not batched. @throws Refusal `NOT_FOUND`, which names the field. */
export async function requireSubscriber({ db, environmentId }: Scope, named: SubscriberReference): Promise<Subscriber> {
  const found = await db.subscriber.findUnique({
    where:
      'id' in named
        ? { environmentId_id: { environmentId, id: named.id } }
        : { environmentId_subscriberId: { environmentId, subscriberId: named.subscriberId } },
  })
  if (found === null) throw subscriberNotFound(named)
  return found
}

/** Returns the subscriber, locked until the transaction ends. @throws Refusal `NOT_FOUND`, which names the field. */
export async function lockedSubscriber(scope: Scope, named: SubscriberReference): Promise<Subscriber> {
  const locked = await lockSubscriber(scope, named)
  if (locked === undefined) throw subscriberNotFound(named)
  return locked
}

/**
 * Creates a subscriber, or changes the given fields if the id exists. @throws Refusal `CONFLICT` if it exists and that
 * is not allowed.
 */
async function write(
  scope: AtomicScope,
  { channels, failIfExists, ...patch }: NewSubscriber & { readonly failIfExists?: boolean | undefined },
): Promise<WrittenSubscriber> {
  await assertNewSubscribers(scope, [{ subscriberId: patch.subscriberId, path: ['subscriberId'] }])
  const credentials = await credentialRows(scope, patch.subscriberId, channels)
  const told = { newId: scope.newId, now: scope.now(), webhooks: await wantedAmong(scope, subscriberTypes) }
  const written = await writeSubscriber(scope, { patch, credentials, ...told }, failIfExists ? 'keep' : 'update')
  if (written !== undefined) return written
  const { subscriberId } = patch
  throw refuseTaken(`Subscriber "${subscriberId}" already exists`, 'subscriberId', subscriberId)
}

/** Creates a subscriber. @throws Refusal `CONFLICT` if the id exists. */
export const createSubscriber = atomicMutation({
  name: 'subscriber.create',
  permission: 'subscriber:write',
  input: newSubscriber,
  run: async (scope, given) => (await write(scope, { ...given, failIfExists: true })).subscriber,
})

export const upsertSubscriber = atomicMutation({
  name: 'subscriber.upsert',
  permission: 'subscriber:write',
  input: newSubscriber.extend({ failIfExists: z.boolean().optional() }),
  run: write,
})

/** Changes the given fields. Null clears a field. Without fields, nothing changes. */
export const updateSubscriber = atomicMutation({
  name: 'subscriber.update',
  permission: 'subscriber:write',
  input: z.object({ ...subscriberReference, ...profile.shape, expectedVersion }),
  async run(scope, { subscriberId, id, expectedVersion, ...patch }) {
    const named = referenceOf({ subscriberId }, { id })
    const webhooks = await wantedAmong(scope, ['subscriber.updated'])
    const updated = await updateStored(scope, named, patch, { now: scope.now(), expectedVersion, webhooks })
    if (updated !== undefined) return updated
    const present = await scope.db.subscriber.findFirst({
      where: { environmentId: scope.environmentId, ...named },
      select: { version: true },
    })
    assertVersion('The subscriber', expectedVersion, present?.version)
    throw subscriberNotFound(named)
  },
})

export interface BulkFailure {
  /** The index in the input. */
  readonly index: number
  readonly subscriberId: string | null
  readonly message: string
}

interface BulkResult {
  /** True if nothing was written. The lists then say what a write would do. */
  readonly isDryRun: boolean
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly failed: readonly BulkFailure[]
}

/** @throws every error that is not a Refusal. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refusal)) throw error
  return error
}

function parseItem(item: unknown): NewSubscriber | Refusal {
  try {
    return parse(newSubscriber, item)
  } catch (error) {
    return refusalOf(error)
  }
}

interface BulkItem {
  readonly patch: SubscriberPatch
  readonly credentials: readonly CredentialRow[]
}

/**
 * Validates the items of a bulk request. In place of an invalid item, returns the reason. Only items with credentials
 * need a promise: five hundred promises take longer than their validation.
 */
async function readItems(scope: AtomicScope, items: readonly unknown[]): Promise<readonly (BulkItem | Refusal)[]> {
  const parsed = items.map(parseItem)
  const reading = parsed.flatMap((item) => {
    if (item instanceof Refusal || !item.channels) return []
    const rows = credentialRows(scope, item.subscriberId, item.channels)
    return [rows.catch(refusalOf).then((found) => [item, found] as const)]
  })
  const byItem = new Map<unknown, readonly CredentialRow[] | Refusal>(await Promise.all(reading))
  const objections = await objectionsToNew(
    scope,
    parsed.flatMap((item) =>
      item instanceof Refusal ? [] : { subscriberId: item.subscriberId, path: ['subscriberId'] },
    ),
  )
  return parsed.map((item) => {
    if (item instanceof Refusal) return item
    const objection = objections.get(item.subscriberId)
    if (objection !== undefined) return objection
    const { channels: _channels, ...patch } = item
    const credentials = byItem.get(item) ?? []
    return credentials instanceof Refusal ? credentials : { patch, credentials }
  })
}

const bulkItem = z.object({ subscriberId: storableText })

/** Writes subscribers. @returns the ids of those that were created. */
async function writeMany(
  scope: AtomicScope,
  patches: readonly SubscriberPatch[],
  credentials: readonly CredentialRow[],
): Promise<Set<string>> {
  const told = { newId: scope.newId, now: scope.now(), webhooks: await wantedAmong(scope, subscriberTypes) }
  const written = await upsertSubscribers(scope, { patches, credentials, ...told })
  return new Set(written.filter(({ created }) => created).map(({ subscriberId }) => subscriberId))
}

/** Returns which of these subscribers do not exist. */
async function missingOf({ load }: Pick<Scope, 'load'>, patches: readonly SubscriberPatch[]): Promise<Set<string>> {
  const ids = [...new Set(patches.map(({ subscriberId }) => subscriberId))]
  const found = await Promise.all(ids.map((id) => load(subscribersBySubscriberId, id)))
  return new Set(ids.filter((_, index) => found[index] === null))
}

/**
 * Creates or updates many subscribers. Invalid items fail alone. If an id is given twice, the first item creates the
 * subscriber and the second updates it. Each item is in exactly one of the three lists, in the order of the input.
 *
 * A dry run checks the items in the same way, returns the same lists and writes nothing.
 */
export const createSubscribers = atomicMutation({
  name: 'subscriber.bulk',
  permission: 'subscriber:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ subscribers: z.array(z.unknown()).min(1).max(MAX_BULK), dryRun }),
  async run(scope, { subscribers, dryRun: isDryRun }): Promise<BulkResult> {
    const rows: BulkItem[] = []
    const failed: BulkFailure[] = []
    for (const [index, item] of (await readItems(scope, subscribers)).entries()) {
      if (item instanceof Refusal) {
        const { subscriberId = null } = bulkItem.safeParse(subscribers[index]).data ?? {}
        failed.push({ index, subscriberId, message: item.message })
      } else {
        rows.push(item)
      }
    }
    const patches = rows.map(({ patch }) => patch)
    const credentials = rows.flatMap((row) => row.credentials)
    const isNew = isDryRun === true ? await missingOf(scope, patches) : await writeMany(scope, patches, credentials)

    const created: string[] = []
    const updated: string[] = []
    for (const { subscriberId } of patches) (isNew.delete(subscriberId) ? created : updated).push(subscriberId)
    return { isDryRun: isDryRun === true, created, updated, failed }
  },
})
