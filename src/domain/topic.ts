// Topics: groups of subscribers.
import { z } from 'zod'
import { whenMissing, whenTaken } from '../data/driver/database-errors.ts'
import { keepTopic } from '../data/lock.ts'
import type { Topic } from '../data/prisma/client.ts'
import { topicPages, topicsById, topicsByKey } from '../data/topic.ts'
import { refuse, refuseTaken } from '../lib/errors.ts'
import { orderWithName, pageRequest } from '../lib/page.ts'
import { emailAddress, filterOf, jsonObject, text } from '../lib/validation.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import { atomicMutation, query } from './resolver/resolver.ts'
import type { AtomicScope, Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion, inVersion } from './resolver/version.ts'

export type { Topic }

/** Keys are ASCII, because subscription identifiers contain them and must fit into an index. */
const isKey = (text: string) =>
  /^[a-zA-Z0-9_:-]*$/.test(text) || (/^[!-~]*$/.test(text) && emailAddress.safeParse(text).success)

/** The key of a topic in a write that may create it. */
export const topicKey = text(255, 1).refine(isKey, 'must be letters, digits, "-", "_" and ":", or an email address')

/** The key of a topic in a lookup. A key that no topic can have is "not found" rather than invalid. */
export const topicKeyLookup = text(255, 1)

/** The fields of an input that name an existing topic. */
const named = { key: topicKeyLookup.nullish(), id: rowId }

/** The input schema of a topic's fields. On an update, an absent field is unchanged and null clears it. */
const details = z.object({ name: text(255).nullish(), data: jsonObject().nullish() })
type Details = z.output<typeof details>

export const topic = query({
  name: 'topic.get',
  permission: 'topic:read',
  input: z.object(named),
  run({ load }, { key, id }) {
    const topic = referenceOf({ key }, { id })
    return 'id' in topic ? load(topicsById, topic.id) : load(topicsByKey, topic.key)
  },
})

export const topics = query({
  name: 'topic.list',
  permission: 'topic:read',
  input: z.object({
    page: pageRequest,
    orderBy: orderWithName,
    filter: filterOf({ key: text(255), name: text(255), search: text(255) }),
  }),
  run: ({ load, environmentId }, list) => load(topicPages, { parent: environmentId, ...list }),
})

function newTopic({ environmentId, newId, now }: AtomicScope, key: string, { name, data }: Details) {
  const createdAt = now()
  return { environmentId, id: newId(), key, name: name ?? null, data: data ?? {}, createdAt, updatedAt: createdAt }
}

/**
 * Returns the columns to update. Null clears a column, and absent leaves it unchanged. Without fields, nothing is
 * written.
 */
const changes = ({ now }: AtomicScope, { name, data }: Details) => ({
  name,
  data: data === null ? {} : data,
  updatedAt: name === undefined && data === undefined ? undefined : now(),
})

export const topicNotFound = (key: string, field: string) => refuse('NOT_FOUND', `Topic "${key}" not found`, field, key)

const exists = (key: string) => refuseTaken(`Topic "${key}" already exists`, 'key', key)

const create = (scope: AtomicScope, key: string, given: Details): Promise<Topic> =>
  scope.db.topic.create({ data: newTopic(scope, key, given) }).catch(whenTaken(() => exists(key)))

/** Creates a topic. @throws Refusal `CONFLICT` if the key exists. */
export const createTopic = atomicMutation({
  name: 'topic.create',
  permission: 'topic:write',
  input: details.extend({ key: topicKey }),
  run: (scope, { key, ...given }) => create(scope, key, given),
})

/**
 * Creates the topic if it does not exist, and locks it against deletion until the transaction ends.
 *
 * @param given the fields of a new topic.
 */
export async function ensureTopic(scope: Scope, key: string, given: Details = {}): Promise<void> {
  // A concurrent write may create the topic after the lookup, or delete it before the lock. Then the lookup is
  // repeated.
  while (!(await keepTopic(scope, key))) {
    await scope.db.topic.createMany({ data: [newTopic(scope, key, given)], skipDuplicates: true })
  }
}

interface UpsertedTopic {
  readonly topic: Topic
  readonly created: boolean
}

/** Creates a topic, or changes the given fields if the key exists. */
export const upsertTopic = atomicMutation({
  name: 'topic.upsert',
  permission: 'topic:write',
  input: details.extend({ key: topicKey, failIfExists: z.boolean().optional() }),
  async run(scope, { key, failIfExists, ...given }): Promise<UpsertedTopic> {
    if (failIfExists) return { topic: await create(scope, key, given), created: true }
    const row = newTopic(scope, key, given)
    const changed = changes(scope, given)
    const topic = await scope.db.topic.upsert({
      where: { environmentId_key: { environmentId: scope.environmentId, key } },
      create: row,
      // With no column to write, Prisma would need several statements. The key is written unchanged instead.
      update: changed.updatedAt === undefined ? { key } : changed,
    })
    return { topic, created: topic.id === row.id }
  },
})

/**
 * Changes the given fields. Null clears a field, and `data` is replaced as a whole.
 *
 * @throws Refusal `STALE` if the topic has another version than the expected one.
 */
export const updateTopic = atomicMutation({
  name: 'topic.update',
  permission: 'topic:write',
  input: details.extend({ ...named, expectedVersion }),
  async run(scope, { key, id, expectedVersion, ...given }) {
    const topic = referenceOf({ key }, { id })
    const where = { environmentId: scope.environmentId, ...topic }
    const [updated] = await scope.db.topic.updateManyAndReturn({
      where: { ...where, ...inVersion(expectedVersion) },
      data: changes(scope, given),
    })
    if (updated !== undefined) return updated
    assertVersion('The topic', expectedVersion, (await scope.db.topic.findFirst({ where }))?.version)
    throw notFound('Topic', topic)
  },
})

/** Deletes a topic with its subscriptions. */
export const deleteTopic = atomicMutation({
  name: 'topic.delete',
  permission: 'topic:write',
  input: z.object(named),
  async run({ db, environmentId }, { key, id }) {
    const topic = referenceOf({ key }, { id })
    const where =
      'id' in topic
        ? { environmentId_id: { environmentId, ...topic } }
        : { environmentId_key: { environmentId, ...topic } }
    return db.topic.delete({ where }).catch(whenMissing(() => notFound('Topic', topic)))
  },
})
