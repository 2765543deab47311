// Erasures: the removal of persons from the database, which takes a while, and the texts to search for.
import { z } from 'zod'
import { connectionsById } from '../../data/channel/channel-connection.ts'
import { endpointsById } from '../../data/channel-endpoint.ts'
import { contextsById } from '../../data/context.ts'
import { erasureJobs, erasuresById, hasRunsOf, type StoredErasure } from '../../data/erasure/erasure.ts'
import { subscribersById } from '../../data/subscriber.ts'
import { topicsById } from '../../data/topic.ts'
import type { Marked, Marks } from '../../lib/marks.ts'
import { query } from '../resolver/resolver.ts'
import type { EnvironmentScope, Scope } from '../resolver/scope.ts'

/** An erasure as callers see it. */
export type Erasure = Omit<StoredErasure, 'marks'>

/** A person, and the texts that an erasure searches for. */
export interface Person extends Marks {
  readonly subscriberId: string
}

const texts = z.array(z.string())
const person = z.object({ subscriberId: z.string(), own: texts, exact: texts, shared: texts })
/** Versions that erased one person at a time stored a single object. */
const sealed = z.union([
  z.object({ persons: z.array(person) }).transform(({ persons }) => persons),
  person.transform((one) => [one]),
])

type Sealing = Pick<EnvironmentScope, 'cipher' | 'environmentId'>

/** Encrypts the persons of an erasure, which are stored only while it is in progress. */
export const sealPersons = ({ cipher, environmentId }: Sealing, persons: readonly Person[]): string =>
  cipher.encrypt(JSON.stringify({ persons }), environmentId)

/** Decrypts the persons of an erasure. @throws if the key is missing. */
export const openPersons = (
  { cipher, environmentId }: Sealing,
  id: string,
  marks: string,
): readonly (Person & Marked)[] =>
  sealed
    .parse(JSON.parse(cipher.decrypt(marks, environmentId)))
    .map((one, index) => ({ ...one, placeholder: placeholderOf(id, index) }))

/** The replacement for a person's id, addresses and names. Unique for each person. */
const placeholderOf = (erasureId: string, index: number) =>
  index === 0 ? `erased-${erasureId}` : `erased-${erasureId}-${index}`

export const erasure = query({
  name: 'erasure.get',
  permission: 'subscriber:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }): Promise<Erasure | null> => load(erasuresById, id),
})

/** Objects that an erasure lists. */
export const MAX_MENTIONS = 100

/**
 * The types of objects that belong to others but may name a person, with functions that read an object's name by its
 * row id.
 */
const mentioning = {
  context: async ({ load }: Scope, id: string) => (await load(contextsById, id))?.key,
  topic: async ({ load }: Scope, id: string) => (await load(topicsById, id))?.key,
  subscriber: async ({ load }: Scope, id: string) => (await load(subscribersById, id))?.subscriberId,
  channel_endpoint: async ({ load }: Scope, id: string) => (await load(endpointsById, id))?.identifier,
  channel_connection: async ({ load }: Scope, id: string) => (await load(connectionsById, id))?.identifier,
} as const
export type MentionType = keyof typeof mentioning
export const mentionTypes = [
  'context',
  'topic',
  'subscriber',
  'channel_endpoint',
  'channel_connection',
] as const satisfies MentionType[]

const storedMentions = z.array(z.object({ type: z.enum(mentionTypes), id: z.uuid() }))

/** An object that names an erased person and belongs to others. */
export interface Mention {
  readonly type: MentionType
  readonly id: string
  /** The name by which callers refer to the object, such as the key of a topic. */
  readonly key: string
}

/** Returns the objects that an erasure lists. Objects that were deleted since are left out. Batched. */
export const mentionsOf = query({
  name: 'erasure.listMentions',
  permission: 'subscriber:read',
  input: z.custom<Erasure>(),
  async run(scope, { mentions }): Promise<Mention[]> {
    const listed = storedMentions.parse(mentions)
    const found = await Promise.all(
      listed.map(async ({ type, id }) => ({ type, id, key: await mentioning[type](scope, id) })),
    )
    return found.flatMap(({ key, ...row }) => (key === undefined ? [] : [{ ...row, key }]))
  },
})

/** Returns a text that changes whenever a job of an erasure is taken or finished. */
export const erasureProgress = async (scope: EnvironmentScope, id: string): Promise<string> =>
  JSON.stringify(await erasureJobs(scope, id))

/** True if there are runs with the subscriberId, possibly of a subscriber that was deleted. */
export const hasLeftRuns = (scope: EnvironmentScope, subscriberId: string): Promise<boolean> =>
  hasRunsOf(scope, subscriberId)
